"""`python -m pretrain.base`: tokenizer and base model from a general mix of text.

It stands where the paper starts from DeepSeek-Coder-Base-v1.5 7B (section 2.3, docs/deviations.md).
"""

from dataclasses import replace
from math import sqrt
from pathlib import Path

import torch
from pydantic import Field, model_validator
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel, PreTrainedTokenizerFast

from commons.config import Config
from commons.seeds import seed_of
from commons.stage import Inputs, Outcome, Stage, Work, main
from pretrain.config import MixtureConfig, make_a_hundred
from pretrain.sources import document_sources, first_bytes, is_heldout
from pretrain.tokenizer import open_tokenizer, train_tokenizer
from pretrain.train import train_on_mixture

ABOUT = "Tokenizer and base model from a general mix of text (stands for DeepSeek-Coder-Base-v1.5, section 2.3)."


class TokenizerConfig(Config):
    """A byte-level BPE of our own, or with `path` any Hugging Face tokenizer."""

    vocabulary: int = Field(default=102_400, ge=512)
    """Tokens of the tokenizer that is trained, its two special ones included. [tokens; released config]"""
    source_bytes: int = Field(default=1_000_000_000, gt=0)
    """Text of each source that it is trained on. [bytes; ours]"""
    path: Path | None = None
    """Folder of a Hugging Face tokenizer to take instead; it needs an end token. [-; ours]"""


class ModelConfig(Config):
    """Shape of the Llama model."""

    layers: int = Field(default=30, gt=0)
    """Transformer blocks. [blocks; released config]"""
    hidden: int = Field(default=4096, gt=0)
    """Width of the residual stream. [-; released config]"""
    feed_forward: int = Field(default=11_008, gt=0)
    """Width of the feed-forward layer. [-; released config]"""
    heads: int = Field(default=32, gt=0)
    """Attention heads. [heads; released config]"""
    key_value_heads: int = Field(default=32, gt=0)
    """Heads of keys and values. [heads; released config]"""
    context_tokens: int = Field(default=4096, gt=1)
    """Positions of the model. [tokens; released config]"""
    rope_theta: float = Field(default=10_000.0, gt=0)
    """Base of the rotary position embedding. [-; released config]"""
    init_std: float = Field(default=0.006, gt=0)
    """Standard deviation of the initial weights. [-; DeepSeek LLM]"""
    scaled_residual_init: bool = False
    """Divide those that write to the residual stream by sqrt(2 layers); DeepSeek does not say. [-; GPT-2]"""
    tied_embeddings: bool = False
    """Whether input and output embeddings are one matrix. [-; released config]"""


class GeneralShares(Config):
    """The general mix: tokens drawn from each source out of every hundred, as in the paper's code model."""

    code: int = Field(default=70, ge=0)
    """Source of Python's standard library. [% of tokens; DeepSeek-Coder-v1.5]"""
    general: int = Field(default=23, ge=0)
    """Pages of the crawl that were not recalled, English and Chinese. [% of tokens; DeepSeek-Coder-v1.5]"""
    corpus: int = Field(default=7, ge=0)
    """Mathematical pages of the corpus. [% of tokens; DeepSeek-Coder-v1.5]"""

    _checked = model_validator(mode="after")(make_a_hundred)


class BaseConfig(MixtureConfig):
    """Config of `pretrain.base`."""

    tokenizer: TokenizerConfig = TokenizerConfig()
    """The tokenizer. [-; -]"""
    model: ModelConfig = ModelConfig()
    """The model. [-; -]"""
    shares: GeneralShares = GeneralShares()
    """The general mix. [% of tokens; -]"""


def run(work: Work, config: BaseConfig, inputs: Inputs) -> Outcome:
    """Trains the tokenizer and the model, and writes both as one checkpoint."""
    tokenizer = make_tokenizer(inputs["corpus"].path, config)
    model = new_model(config.model, tokenizer, len(tokenizer), seed=config.seed)
    outcome = train_on_mixture(
        work,
        model,
        tokenizer,
        config,
        config.shares.model_dump(),
        inputs,
        described=("pretrain.base", ABOUT),
        shown="general",
    )
    return replace(outcome, summary=f"{len(tokenizer)} tokens vocabulary, {outcome.summary}")


def make_tokenizer(corpus: Path, config: BaseConfig) -> PreTrainedTokenizerFast:
    """The tokenizer of the config: read, or trained on general text, code and some mathematics.

    Every rank trains it for itself; equal texts give equal tokenizers. Held-out documents are left out.
    """
    if config.tokenizer.path is not None:
        return open_tokenizer(config.tokenizer.path)
    names = ("general", "code", "corpus", "papers")
    sources = document_sources(names, corpus=corpus, own={}, limit_bytes=config.source_bytes, seed=config.seed)
    texts = (
        document.text
        for name in names
        for document in first_bytes(sources[name], config.tokenizer.source_bytes)
        if not is_heldout(document.id, config.heldout.per_mille)
    )
    return train_tokenizer(texts, config.tokenizer.vocabulary)


def new_model(shape: ModelConfig, tokenizer: PreTrainedTokenizerFast, vocabulary: int, *, seed: int) -> PreTrainedModel:
    """A Llama model with random weights drawn from `seed` alone."""
    torch.manual_seed(seed_of(seed, "weights"))
    config = llama_config(shape, vocabulary, end_id=tokenizer.eos_token_id, pad_id=tokenizer.pad_token_id)
    model: PreTrainedModel = LlamaForCausalLM(config)
    if shape.scaled_residual_init:
        with torch.no_grad():
            for name, weight in model.named_parameters():
                if name.endswith(("o_proj.weight", "down_proj.weight")):
                    weight.div_(sqrt(2 * shape.layers))
    return model.eval()


def llama_config(
    shape: ModelConfig, vocabulary: int, *, end_id: int | None = None, pad_id: int | None = None
) -> LlamaConfig:
    """The shape as transformers names it."""
    return LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=shape.hidden,
        intermediate_size=shape.feed_forward,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.key_value_heads,
        max_position_embeddings=shape.context_tokens,
        rope_parameters={"rope_type": "default", "rope_theta": shape.rope_theta},
        initializer_range=shape.init_std,
        tie_word_embeddings=shape.tied_embeddings,
        bos_token_id=None,
        eos_token_id=end_id,
        pad_token_id=pad_id,
    )


STAGE = Stage(
    name="pretrain.base",
    about=ABOUT,
    config=BaseConfig,
    run=run,
    makes="checkpoint",
    ranks=True,
    needs={"corpus": "corpus"},
)

if __name__ == "__main__":
    raise SystemExit(main(STAGE))
