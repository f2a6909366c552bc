"""Activation checkpointing: the blocks of a model are computed again in the backward pass instead of being kept.

transformers has a switch for it that needs `model.train()` and turns key-value caches off, also in sampling. Ours acts
only while gradients are recorded, so evaluation and sampling with the same module are as before. Results are the same
bits: no block has dropout (lm/checkpoints.py).
"""

from functools import partial

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel


def recompute_blocks(model: PreTrainedModel) -> None:
    """Makes each transformer block of `model` keep its input only (memory of one block plus one state per block)."""
    for block in blocks_of(model):
        block.forward = partial(_forward, block.forward)  # the modules inside keep their own hooks, as ZeRO 3 needs


def blocks_of(model: PreTrainedModel) -> nn.ModuleList:
    """The transformer blocks of a model, in order; ValueError when the body has no list of modules."""
    lists = [child for child in model.base_model.children() if isinstance(child, nn.ModuleList)]
    if not lists:
        raise ValueError(f"{type(model).__name__} has no list of blocks to compute again")
    return lists[0]


def _forward(forward, *arguments, **named):  # type: ignore[no-untyped-def]  # whatever the block takes
    if not torch.is_grad_enabled():
        return forward(*arguments, **named)
    return checkpoint(forward, *arguments, use_reentrant=False, preserve_rng_state=False, **named)
