"""A GGUF file as a Hugging Face model and tokenizer: weights dequantised, tokenizer built from its own tables.

The conversions of transformers 4.57 and 5.24 lose the rule by which a text is cut before the merges (SmolLM2's digits
one by one among them), so the tokenizer is built here. What the file does not say in full is refused, not guessed.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from gguf import GGUFReader, dequantize
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from torch import Tensor
from transformers import LlamaConfig, PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerFast, Qwen2Config
from transformers.models.auto.modeling_auto import AutoModelForCausalLM

from commons.errors import DataError

Floats: TypeAlias = npt.NDArray[np.float32]

CONFIGS: Mapping[str, Callable[..., PreTrainedConfig]] = {"llama": LlamaConfig, "qwen2": Qwen2Config}
# of one block; the names in the file left, ours right
BLOCK_NAMES = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
OTHER_NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}

CONTROL, USER_DEFINED = 3, 4  # types of tokens in a GGUF file
CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
WORDS = rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|%s| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def read_gguf(
    path: Path, tokenizer: PreTrainedTokenizerFast | None = None
) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """The model of a GGUF file in float32, and its tokenizer unless one is given.

    Raises DataError for a file that is no GGUF, an architecture other than llama and qwen2, scaled rotary
    embeddings, or a tokenizer whose rule for cutting a text is not known.
    """
    try:
        reader = GGUFReader(path)
    except (ValueError, IndexError, OSError) as error:
        raise DataError(f"{path} cannot be read as a GGUF file ({error})") from None
    facts = {name: field.contents() for name, field in reader.fields.items()}
    built = tokenizer or tokenizer_of(path, facts)
    shapes = {tensor.name: tuple(tensor.shape) for tensor in reader.tensors}
    config = config_of(path, facts, shapes, built)
    weights = dict(
        weight_of(path, tensor.name, dequantize(tensor.data, tensor.tensor_type), config) for tensor in reader.tensors
    )
    with torch.device("meta"):
        model: PreTrainedModel = AutoModelForCausalLM.from_config(config)
    model.to_empty(device="cpu")
    model.tie_weights()
    missing, unknown = _load(model, weights)
    if missing or unknown:
        raise DataError(f"{path} does not fit a {config.model_type} model: missing {missing}, unknown {unknown}")
    return model.eval(), built


def config_of(
    path: Path, facts: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]], tokenizer: PreTrainedTokenizerFast
) -> PreTrainedConfig:
    """The model's config from the facts of the file and its tensors' shapes; DataError for what is not supported."""
    kind = facts["general.architecture"]
    if kind not in CONFIGS:
        raise DataError(f"{path} holds a {kind} model; models that are read from GGUF: {', '.join(CONFIGS)}")
    if facts.get(f"{kind}.rope.scaling.type", "none") != "none":
        raise DataError(f"{path} scales its rotary embeddings, which is not read from GGUF: import the original folder")
    heads = facts[f"{kind}.attention.head_count"]
    return CONFIGS[kind](
        vocab_size=int(shapes["token_embd.weight"][-1]),
        hidden_size=facts[f"{kind}.embedding_length"],
        intermediate_size=facts[f"{kind}.feed_forward_length"],
        num_hidden_layers=facts[f"{kind}.block_count"],
        num_attention_heads=heads,
        num_key_value_heads=facts.get(f"{kind}.attention.head_count_kv", heads),
        max_position_embeddings=facts[f"{kind}.context_length"],
        # stored in single precision: 1e-5 stands there as 9.999999747378752e-06
        rms_norm_eps=float(f"{facts[f'{kind}.attention.layer_norm_rms_epsilon']:.6g}"),
        rope_parameters={"rope_type": "default", "rope_theta": float(facts.get(f"{kind}.rope.freq_base", 10_000.0))},
        tie_word_embeddings="output.weight" not in shapes,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )


def weight_of(path: Path, name: str, values: Floats, config: PreTrainedConfig) -> tuple[str, Tensor]:
    """One tensor of the file under its Hugging Face name, its rows in Hugging Face's order."""
    stem, _, part = name.rpartition(".")
    if not stem.startswith("blk."):
        if stem not in OTHER_NAMES:
            raise DataError(f"{path} holds a tensor `{name}`, which is not known: import the original folder")
        return f"{OTHER_NAMES[stem]}.{part}", torch.from_numpy(np.array(values))
    _, number, short = stem.split(".", 2)
    if short not in BLOCK_NAMES:
        raise DataError(f"{path} holds a tensor `{name}`, which is not known: import the original folder")
    if config.model_type == "llama" and short in ("attn_q", "attn_k"):
        heads = config.num_attention_heads if short == "attn_q" else config.num_key_value_heads
        values = _rotary_halves(values, heads)
    return f"model.layers.{number}.{BLOCK_NAMES[short]}.{part}", torch.from_numpy(np.array(values))


def _rotary_halves(values: Floats, heads: int) -> Floats:
    """Rows [heads * size, ...] from pairs side by side, as llama files have them, to two halves, as the model has."""
    return values.reshape(heads, -1, 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)


def _load(model: PreTrainedModel, weights: Mapping[str, Tensor]) -> tuple[list[str], list[str]]:
    """Fills the parameters in place and the rotary tables; the names that are missing, and those of no use."""
    own = dict(model.named_parameters())
    for name, weight in weights.items():
        if name in own:
            own[name].data.copy_(weight)
    rotary = model.base_model.rotary_emb
    model.base_model.rotary_emb = type(rotary)(model.config)
    return sorted(own.keys() - weights.keys()), sorted(weights.keys() - own.keys())


def tokenizer_of(path: Path, facts: Mapping[str, Any]) -> PreTrainedTokenizerFast:
    """The byte-level BPE tokenizer of the file; DataError where its kind or its way of cutting is not known."""
    kind, cut = facts["tokenizer.ggml.model"], facts.get("tokenizer.ggml.pre", "default")
    ways = _ways_to_cut()
    if kind != "gpt2" or cut not in ways:
        raise DataError(
            f"{path} has a tokenizer of kind {kind}, cut {cut}; known are gpt2 with {', '.join(ways)}: give the "
            "model's Hugging Face tokenizer with --tokenizer FOLDER"
        )
    tokens: Sequence[str] = facts["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in facts["tokenizer.ggml.merges"]]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, ignore_merges=cut == "llama-bpe"))
    if cut == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = ways[cut]
    tokenizer.decoder = decoders.ByteLevel()
    types = list(zip(tokens, facts["tokenizer.ggml.token_type"], strict=True))
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token, type_ in types if type_ == CONTROL])
    tokenizer.add_tokens([AddedToken(token, special=False) for token, type_ in types if type_ == USER_DEFINED])
    roles = {
        role: tokens[facts[f"tokenizer.ggml.{name}_token_id"]]
        for role, name in (
            ("bos_token", "bos"),
            ("eos_token", "eos"),
            ("pad_token", "padding"),
            ("unk_token", "unknown"),
        )
        if f"tokenizer.ggml.{name}_token_id" in facts
    }
    if facts.get("tokenizer.ggml.add_bos_token") and "bos_token" in roles:
        first = roles["bos_token"]
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{first} $A", special_tokens=[(first, vocabulary[first])]
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        chat_template=facts.get("tokenizer.chat_template"),
        clean_up_tokenization_spaces=False,
        **roles,
    )


def _ways_to_cut() -> dict[str, pre_tokenizers.PreTokenizer]:
    """How a text is cut before the merges, by the name that GGUF files give it."""

    def words(digits: str) -> pre_tokenizers.PreTokenizer:
        split = pre_tokenizers.Split(Regex(WORDS % digits), "isolated")
        return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])

    gpt2 = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    return {
        "smollm": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), gpt2]),
        "gpt-2": gpt2,
        "llama-bpe": words(r"\p{N}{1,3}"),
        "qwen2": words(r"\p{N}"),
    }
