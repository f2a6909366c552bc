"""`python -m lm.import_model FOLDER|NAME|FILE.gguf`: a checkpoint artifact from a model that no stage of ours made.

FOLDER is a Hugging Face folder, NAME a model of the Hugging Face hub, FILE.gguf a llama or qwen2 model in GGUF, which
is dequantised. The artifact holds plain Hugging Face files, as every checkpoint here.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OfflineModeIsEnabled
from transformers import AutoConfig, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerFast

from commons.config import Config, load_config
from commons.errors import ArtifactError, ConfigError, ProjectError
from commons.stage import Inputs, Outcome, Stage, Work, run_stage
from lm.checkpoints import load_model, save_checkpoint
from lm.gguf_model import read_gguf

USAGE = "python -m lm.import_model FOLDER|NAME|FILE.gguf [--out FOLDER] [--tokenizer FOLDER] [--replace] [dtype=...]"
HUB_FILES = ("*.json", "*.safetensors", "*.model", "*.jinja", "*.txt")


class ImportConfig(Config):
    """Config of `lm.import_model`."""

    dtype: Literal["stored", "float32", "bfloat16"] = "stored"
    """Numbers that the weights are written in; `stored` keeps those of a folder and is float32 for GGUF. [-; ours]"""


def run(work: Work, config: ImportConfig, inputs: Inputs) -> Outcome:
    """Reads the model and writes it as a checkpoint."""
    source = inputs["model"].path
    given = read_tokenizer(inputs["tokenizer"].path) if "tokenizer" in inputs else None
    if source.is_file():
        model, tokenizer = read_gguf(source, given)
    else:
        model, tokenizer = load_model(source, stored_dtype(source)), given or read_tokenizer(source)
    if config.dtype != "stored":
        model = model.to(getattr(torch, config.dtype))
    if tokenizer.eos_token_id is None:
        raise ArtifactError(f"the tokenizer of {source} names no end token (eos_token), which ends every document")
    save_checkpoint(work.folder, model, tokenizer)
    counts = counts_of(model, tokenizer)
    return Outcome(
        counts, f"{counts['model']}, {counts['parameters'] / 1e6:.1f}M parameters, {counts['vocabulary']} tokens"
    )


def counts_of(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> dict[str, Any]:
    """What the manifest says of an imported model."""
    return {
        "model": model.config.model_type,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "vocabulary": len(tokenizer),
        "dtype": str(model.dtype).removeprefix("torch."),
    }


def read_tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    """The tokenizer of a Hugging Face folder, converted to a fast one where it is not; ArtifactError without one."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, use_fast=True)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise ArtifactError(
            f"no tokenizer in {folder} ({reason}): give the model's own with --tokenizer FOLDER"
        ) from None
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise ArtifactError(f"the tokenizer in {folder} has no fast form (tokenizer.json), which is needed")
    return tokenizer


def stored_dtype(folder: Path) -> torch.dtype:
    """The numbers in which a folder's weights are stored, by its config; float32 where that says nothing."""
    if not (folder / "config.json").is_file():
        raise ArtifactError(f"no config.json in {folder}: a model is a Hugging Face folder, a hub name or a GGUF file")
    found = AutoConfig.from_pretrained(folder, local_files_only=True).dtype
    return found if isinstance(found, torch.dtype) else torch.float32


def local_copy(source: str) -> Path:
    """Where the model lies: the path itself, or the hub's files in the local cache, fetched where they are not.

    Raises ArtifactError when it is neither here nor to be had.
    """
    path = Path(source)
    if path.exists():
        return path
    if path.suffix == ".gguf" or source.count("/") != 1 or source.startswith((".", "/", "~")):
        raise ArtifactError(f"no file or folder {source}, and a name of the Hugging Face hub is OWNER/MODEL")
    try:
        return Path(snapshot_download(source, allow_patterns=list(HUB_FILES)))
    except (HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled, HFValidationError, OSError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ArtifactError(
            f"no folder {source} here, and the Hugging Face hub gives no model of that name ({reason}): "
            "on a machine without network, give a folder or a GGUF file"
        ) from None


STAGE = Stage(
    name="lm.import_model",
    about="Makes a checkpoint of a Hugging Face folder, a model of the hub or a GGUF file.",
    config=ImportConfig,
    run=run,
    makes="checkpoint",
    needs={"model": "file|folder"},
    takes={"tokenizer": "folder"},
)


def main(arguments: Sequence[str]) -> int:
    """Exit code of the command."""
    parser = argparse.ArgumentParser(prog="python -m lm.import_model", usage=USAGE, description=STAGE.about)
    parser.add_argument("model", help="a Hugging Face folder, OWNER/MODEL of the hub, or a GGUF file")
    parser.add_argument("--out", type=Path, help="where the checkpoint goes (runs/models/NAME)")
    parser.add_argument("--tokenizer", type=Path, help="a folder with the tokenizer, instead of the model's own")
    parser.add_argument("--replace", action="store_true", help="make it again where another one stands")
    parser.add_argument("overrides", nargs="*", help="dtype=stored|float32|bfloat16")
    flags = parser.parse_intermixed_args(arguments)
    out = flags.out or Path("runs/models") / Path(flags.model).name.removesuffix(".gguf")
    try:
        config = load_config(ImportConfig, [], flags.overrides)
        paths = {"model": local_copy(flags.model), "tokenizer": flags.tokenizer}
        if paths["model"].resolve() == out.resolve():
            raise ConfigError(f"--out {out} is the model itself: choose another folder")
        run_stage(STAGE, config, paths, out, replace=flags.replace)
    except ProjectError as error:
        print(f"lm.import_model: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
