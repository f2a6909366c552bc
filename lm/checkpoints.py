"""Models and tokenizers as Hugging Face folders, written so that equal weights give equal bytes."""

import json
from pathlib import Path

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    logging,
)

from commons.errors import ArtifactError
from commons.files import write_json
from lm.linear import use_onednn

# what save_pretrained writes that tells where the model was read from, or with which version
ORIGIN_KEYS = ("_name_or_path", "name_or_path", "is_local", "local_files_only", "transformers_version")
DROPOUT_KEYS = ("attention_dropout", "hidden_dropout", "attn_pdrop", "embd_pdrop", "resid_pdrop")


def load_model(folder: Path, dtype: torch.dtype = torch.float32) -> PreTrainedModel:
    """The causal language model in `folder`, in eval mode, every dropout probability set to 0.

    Dropout off: a ratio of two log-probabilities of one output is 1 only when both passes see the same network."""
    _require(folder, "config.json")
    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    for name in DROPOUT_KEYS:
        if hasattr(config, name):
            setattr(config, name, 0.0)
    logging.disable_progress_bar()  # bars belong to commands
    model = AutoModelForCausalLM.from_pretrained(
        folder, config=config, dtype=dtype, attn_implementation="sdpa", local_files_only=True
    )
    use_onednn(model)
    return model.eval()


def load_tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    """The fast tokenizer in `folder`."""
    _require(folder, "tokenizer.json")
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, use_fast=True)
    assert isinstance(tokenizer, PreTrainedTokenizerFast)
    return tokenizer


def save_checkpoint(folder: Path, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> None:
    """Writes model and tokenizer into `folder`; the bytes depend on the weights and the vocabulary alone."""
    folder.mkdir(parents=True, exist_ok=True)
    logging.disable_progress_bar()
    model.save_pretrained(folder, safe_serialization=True)
    tokenizer.save_pretrained(folder)
    for name in ("config.json", "generation_config.json", "tokenizer_config.json"):
        path = folder / name
        if path.exists():
            values = json.loads(path.read_text(encoding="utf-8"))
            write_json(path, {key: value for key, value in values.items() if key not in ORIGIN_KEYS})


def end_token_ids(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> frozenset[int]:
    """Every id that ends an output: those of the generation config joined with the tokenizer's own."""
    configured = model.generation_config.eos_token_id if model.generation_config else None
    ids = configured if isinstance(configured, list) else [configured]
    ends = frozenset(i for i in [*ids, tokenizer.eos_token_id] if i is not None)
    if not ends:
        raise ArtifactError("the checkpoint names no end token: set eos_token in its tokenizer or generation config")
    return ends


def _require(folder: Path, name: str) -> None:
    if not (Path(folder) / name).is_file():
        raise ArtifactError(f"no {name} in {folder}: a checkpoint is a Hugging Face folder with weights and tokenizer")
