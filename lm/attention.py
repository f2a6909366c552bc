"""Which tokens see which in packed rows, said in the way of each attention kernel: SDPA, flex, flash.

N rows of T tokens, H hidden size. A row holds several documents; with `attend_across` it is one text. Without it each
kernel is told otherwise: SDPA and eager by a mask [N, 1, T, T], flex by a block mask of the same rule that skips empty
blocks, flash by the lengths of the documents of all rows laid in one line (its variable-length kernel).
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask, create_block_mask
from transformers import PreTrainedModel

from commons.errors import ConfigError
from lm.packing import Rows

MASKED, FLEX, FLASH = ("sdpa", "eager"), "flex_attention", "flash_attention_2"


@dataclass(frozen=True, slots=True)
class Reads:
    """What the model's base is called with. Flash reads all rows as one: tokens and positions are [1, N * T]."""

    tokens: Tensor
    positions: Tensor
    mask: Tensor | BlockMask | None
    lengths: dict[str, Any]  # of the documents in one line, for flash alone


def hidden_of_rows(model: PreTrainedModel, rows: Rows) -> Tensor:
    """Last hidden states of packed rows under the attention kernel of `model`.  -> [N, T, H]"""
    reads = reads_of(rows, model.config._attn_implementation)
    output = model.base_model(
        input_ids=reads.tokens,
        position_ids=reads.positions,
        attention_mask=reads.mask,
        use_cache=False,
        **reads.lengths,
    )
    return output.last_hidden_state.view(*rows.tokens_NT.shape, -1)


def reads_of(rows: Rows, kernel: str) -> Reads:
    """What a model with this attention kernel reads of `rows`; ConfigError for a kernel that is not known."""
    if kernel not in (*MASKED, FLEX, FLASH):
        raise ConfigError(
            f"attention kernel {kernel}: rows of several documents need {', '.join((*MASKED, FLEX, FLASH))}"
        )
    tokens_NT, positions_NT = rows.tokens_NT, rows.positions_NT
    if rows.attend_across:
        return Reads(tokens_NT, positions_NT, None, {})
    if kernel == "sdpa":
        return Reads(tokens_NT, positions_NT, rows.mask_N1TT, {})
    if kernel == "eager":
        return Reads(tokens_NT, positions_NT, added_mask(rows), {})
    if kernel == FLEX:
        return Reads(tokens_NT, positions_NT, block_mask(rows.documents_NT), {})
    return Reads(tokens_NT.view(1, -1), positions_NT.view(1, -1), None, document_lengths(positions_NT))


def added_mask(rows: Rows) -> Tensor:
    """The mask as numbers that eager attention adds to its scores.  -> [N, 1, T, T]"""
    seen_N1TT = rows.mask_N1TT
    assert seen_N1TT is not None
    return torch.zeros_like(seen_N1TT, dtype=torch.float32).masked_fill(~seen_N1TT, torch.finfo(torch.float32).min)


def block_mask(documents_NT: Tensor) -> BlockMask:
    """The rule for flex: a token sees those of its own document up to itself."""
    rows, length = documents_NT.shape

    def sees(row: Tensor, _head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return (query >= key) & (documents_NT[row, query] == documents_NT[row, key])

    return create_block_mask(sees, rows, None, length, length, device=str(documents_NT.device))


def document_lengths(positions_NT: Tensor) -> dict[str, Any]:
    """Where the documents of all rows begin when these are laid in one line, as flash wants it.

    Padding at the end of a row counts as one more document: it is seen by itself alone."""
    flat = positions_NT.reshape(-1)
    starts = torch.nonzero(flat == 0).reshape(-1)
    bounds = torch.cat([starts, starts.new_tensor([len(flat)])]).to(torch.int32)
    longest = int(bounds.diff().max())
    return {
        "cu_seq_lens_q": bounds,
        "cu_seq_lens_k": bounds,
        "max_length_q": longest,
        "max_length_k": longest,
    }
