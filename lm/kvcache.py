"""Keys and values of running outputs: those of a question are kept once for all of its outputs.

P questions, G outputs of each, R = P*G rows, K key-value heads, L slots of the longest question, S slots of the
outputs, D size of a head. Reading keys and values from memory is what sampling on a CPU waits for, and most of a short
output's context is its question. Output slots are allocated once: a new token copies one slot.
"""

from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedConfig
from transformers.cache_utils import Cache, CacheLayerMixin


class GroupLayer(CacheLayerMixin):
    """One layer: the questions' keys and values [P, K, L, D], then those of the outputs [R, K, S, D]."""

    is_sliding = False

    def __init__(self, output_slots: int) -> None:
        super().__init__()
        self.output_slots = output_slots
        self.filled = 0  # output slots in use
        self.question_keys: Tensor | None = None
        self.question_values: Tensor | None = None

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Allocates the output slots at the first token of the outputs, when their shape is known."""
        rows, heads, _, size = key_states.shape
        self.keys = key_states.new_empty(rows, heads, self.output_slots, size)
        self.values = value_states.new_empty(rows, heads, self.output_slots, value_states.shape[-1])
        self.is_initialized = True

    def update(self, key_states: Tensor, value_states: Tensor, *_: object, **__: object) -> tuple[Tensor, Tensor]:
        """The first call keeps the questions; each later one writes a slot and returns the outputs' filled slots."""
        if self.question_keys is None:
            self.question_keys, self.question_values = key_states.contiguous(), value_states.contiguous()
            return key_states, value_states
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        assert self.keys is not None
        assert self.values is not None
        self.keys[:, :, self.filled : self.filled + 1] = key_states
        self.values[:, :, self.filled : self.filled + 1] = value_states
        self.filled += 1
        return self.keys[:, :, : self.filled], self.values[:, :, : self.filled]

    def take(self, questions: Tensor, rows: Tensor) -> None:
        """Keeps the given questions and rows, in that order."""
        assert self.question_keys is not None
        assert self.question_values is not None
        self.question_keys, self.question_values = self.question_keys[questions], self.question_values[questions]
        for name in ("keys", "values") if self.is_initialized else ():
            slots = getattr(self, name)
            kept = slots[: len(rows)]
            kept[:, :, : self.filled] = slots[:, :, : self.filled].index_select(0, rows)
            setattr(self, name, kept)

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """(slots that a query sees, offset of the first)."""
        return self.get_seq_length() + query_length, 0

    def get_seq_length(self) -> int:
        """Slots in use, of question and output."""
        return (0 if self.question_keys is None else self.question_keys.shape[2]) + self.filled

    def get_max_length(self) -> int:
        """All slots."""
        return (0 if self.question_keys is None else self.question_keys.shape[2]) + self.output_slots


class GroupCache(Cache):
    """An empty cache for every layer of a model."""

    def __init__(self, config: PreTrainedConfig, output_slots: int) -> None:
        self.groups = [GroupLayer(output_slots) for _ in range(config.num_hidden_layers)]
        super().__init__(layers=list(self.groups))


def attend_to_group(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor,
    *,
    group_cache: GroupCache,
    scaling: float | None = None,
    **_: object,
) -> tuple[Tensor, None]:
    """Attention of one new token per row to its question and to its own output, one softmax over both.

    An attention function for transformers. `key` and `value` are the outputs' slots [R, K, S, D]; the question's come
    from the cache, and `attention_mask` [P, 1, 1, L] is added to their scores.  -> [R, 1, heads, D]"""
    layer = group_cache.groups[module.layer_idx]
    assert layer.question_keys is not None
    assert layer.question_values is not None
    P, K, L, D = layer.question_keys.shape
    R, heads, _one, _size = query.shape
    G, Q, S = R // P, heads // K, key.shape[2]  # Q query heads share a key-value head
    query = query * (D**-0.5 if scaling is None else scaling)

    by_question = query.view(P, G, K, Q, D).transpose(1, 2).reshape(P, K, G * Q, D)
    question_scores = by_question @ layer.question_keys.transpose(2, 3) + attention_mask
    own_scores = torch.bmm(query.reshape(R * K, Q, D), key.flatten(0, 1).transpose(1, 2))
    scores = torch.cat([_by_row(question_scores, G), own_scores.view(R, K, Q, S)], dim=-1)
    weights = scores.softmax(-1, dtype=torch.float32).to(value.dtype)

    of_question = weights[..., :L].view(P, G, K, Q, L).transpose(1, 2).reshape(P, K, G * Q, L) @ layer.question_values
    of_own = torch.bmm(weights[..., L:].reshape(R * K, Q, S), value.flatten(0, 1))
    return (_by_row(of_question, G) + of_own.view(R, K, Q, -1)).reshape(R, 1, heads, -1), None


def _by_row(x: Tensor, outputs: int) -> Tensor:
    # [P, K, G * Q, N] -> [R, K, Q, N]
    P, K, GQ, N = x.shape
    return x.view(P, K, outputs, GQ // outputs, N).transpose(1, 2).reshape(P * outputs, K, GQ // outputs, N)
