"""Tables that the configs of `pretrain.base` and `pretrain` share."""

from pydantic import Field, model_validator

from commons.config import Config
from lm.guard import BadSteps
from lm.optimiser import AdamW


def make_a_hundred(shares: Config) -> Config:
    """The table of shares itself; ValueError unless its percentages make 100 together."""
    total = sum(shares.model_dump().values())
    if total != 100:
        raise ValueError(f"the shares of a mixture make 100 together, these make {total}")
    return shares


class Shares(Config):
    """Tokens drawn from each source out of every hundred."""

    corpus: int = Field(default=56, ge=0)
    """Mathematical pages of the corpus. [% of tokens; section 2.3]"""
    algebra: int = Field(default=4, ge=0)
    """Generated algebra programs, for AlgebraicStack. [% of tokens; section 2.3]"""
    papers: int = Field(default=10, ge=0)
    """Generated LaTeX papers, for arXiv. [% of tokens; section 2.3]"""
    code: int = Field(default=20, ge=0)
    """Source of Python's standard library, for GitHub code. [% of tokens; section 2.3]"""
    general: int = Field(default=10, ge=0)
    """Pages of the crawl that were not recalled, English and Chinese. [% of tokens; section 2.3]"""

    _checked = model_validator(mode="after")(make_a_hundred)


class Heldout(Config):
    """Documents that are measured on and never trained on, chosen by a hash of their text."""

    per_mille: int = Field(default=20, ge=1, lt=1000)
    """Documents held out of each thousand; keep it equal in `base` and `pretrain`. [documents/1000; ours]"""
    source_bytes: int = Field(default=20_000, gt=0)
    """Held-out text of each source that bits per byte are measured on. [bytes; ours]"""


class Training(AdamW):
    """Optimiser, schedule and batch."""

    steps: int = Field(default=50_000, gt=0)
    """Optimiser steps; 50,000 batches of 10M tokens are the paper's 500B. [steps; section 2.3]"""
    batch_sequences: int = Field(default=2441, gt=0)
    """Sequences of one step over all ranks; 2,441 of 4,096 tokens are 10M. [sequences; section 2.2]"""
    micro_batch_sequences: int = Field(default=8, gt=0)
    """Sequences that a rank computes at a time. [sequences; ours]"""
    sequence_tokens: int = Field(default=4096, gt=1)
    """Context length. [tokens; section 2.2]"""
    attend_across: bool = True
    """Whether a document sees those before it in its sequence; the paper does not say. [-; ours]"""
    tokenise_workers: int = Field(default=1, ge=1, json_schema_extra={"identity": False})
    """Processes that tokenise a source. [processes; ours]"""
    peak_learning_rate: float = Field(default=4.2e-4, gt=0)
    """Learning rate after warm-up, 31.6% of it after 80% of the steps, 10% after 90%. [-; section 2.3]"""
    warmup_steps: int = Field(default=2_000, ge=0)
    """Steps of linear warm-up. [steps; section 2.2]"""
    save_every: int = Field(default=1_000, gt=0, json_schema_extra={"identity": False})
    """Steps between checkpoints to go on from. [steps; ours]"""
    keep: int = Field(default=2, ge=1, json_schema_extra={"identity": False})
    """Checkpoints that stay; older ones are deleted. [checkpoints; ours]"""
    evaluate_every: int = Field(default=1_000, gt=0, json_schema_extra={"identity": False})
    """Steps between measurements of bits per byte. [steps; ours]"""


class MixtureConfig(Config):
    """What the configs of `pretrain.base` and `pretrain` have in common; each adds its shares."""

    seed: int = Field(default=0, ge=0)
    """Seed of all random streams. [-; ours]"""
    source_bytes: int = Field(default=1_000_000_000_000, gt=0)
    """Text read of each source at most; a generated source is written until it has as much. [bytes; ours]"""
    heldout: Heldout = Heldout()
    """Text to measure on. [-; -]"""
    training: Training = Training()
    """Training. [-; section 2.3]"""
    bad_steps: BadSteps = BadSteps()
    """Steps whose loss is no number or a spike. [-; ours]"""
