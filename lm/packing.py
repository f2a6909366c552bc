"""Examples of different length laid into rows of equal length, with the tokens that are learned marked.

N rows of T tokens. Two ways: `concatenate` keeps examples whole and pads what is left of a row (fine-tuning, section
3.2: random concatenation up to the context length); `rows_of_parts` are full of one endless text (pre-training).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from commons.seeds import np_rng

NO_DOCUMENT = -1


@dataclass(frozen=True, slots=True)
class Example:
    """Tokens, and for each whether the model learns to write it (False: a question, or what a program printed)."""

    tokens: tuple[int, ...]
    learned: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one length, ready for the model."""

    tokens_NT: Tensor
    learned_NT: Tensor  # True where the token is a target
    documents_NT: Tensor  # which example of the row a token belongs to, -1 for padding
    attend_across: bool  # True: an example sees those before it in its row; False: only itself

    def __len__(self) -> int:
        return len(self.tokens_NT)

    def __getitem__(self, rows: slice) -> "Rows":
        return Rows(self.tokens_NT[rows], self.learned_NT[rows], self.documents_NT[rows], self.attend_across)

    def to(self, device: torch.device) -> "Rows":
        """The same rows on `device`."""
        return Rows(
            self.tokens_NT.to(device), self.learned_NT.to(device), self.documents_NT.to(device), self.attend_across
        )

    @property
    def targets_NT(self) -> Tensor:
        """Learned tokens that have something before them to be predicted from.  -> [N, T]

        Nothing stands before the first token of a row, nor, without attention across, of an example."""
        targets_NT = self.learned_NT.clone()
        targets_NT[:, 0] = False
        if not self.attend_across:
            targets_NT[:, 1:] &= self.documents_NT[:, 1:] == self.documents_NT[:, :-1]
        return targets_NT

    @property
    def positions_NT(self) -> Tensor:
        """Positions, starting again at each example unless attention goes across.  -> [N, T]"""
        columns_NT = torch.arange(self.tokens_NT.shape[1], device=self.tokens_NT.device).expand_as(self.tokens_NT)
        if self.attend_across:
            return columns_NT
        starts_NT = torch.ones_like(self.documents_NT, dtype=torch.bool)
        starts_NT[:, 1:] = self.documents_NT[:, 1:] != self.documents_NT[:, :-1]
        return columns_NT - torch.where(starts_NT, columns_NT, 0).cummax(1).values

    @property
    def mask_N1TT(self) -> Tensor | None:
        """Who sees whom, None for plain causal attention over the row.  -> [N, 1, T, T]"""
        if self.attend_across:
            return None
        same_NTT = self.documents_NT[:, :, None] == self.documents_NT[:, None, :]
        return same_NTT.tril()[:, None]


def concatenate(examples: Iterable[Example], length: int, *, attend_across: bool = True) -> Rows:
    """Whole examples in the given order, as many as fit in each row; the rest of a row is padding (section 3.2).

    The paper says only "randomly concatenated", so examples see their neighbours by default, as plain concatenation
    does; order them by `shuffled`. An example longer than a row keeps its first `length` tokens."""
    rows: list[list[Example]] = []
    room = 0
    for example in examples:
        cut = Example(example.tokens[:length], example.learned[:length])
        if len(cut.tokens) > room:
            rows.append([])
            room = length
        rows[-1].append(cut)
        room -= len(cut.tokens)
    return _rows(rows, length, attend_across)


def stream(documents: Iterable[Sequence[int]], length: int) -> Iterator[tuple[int, ...]]:
    """One document after the other as one text, cut every `length` tokens; what does not fill a row is left out."""
    waiting: list[int] = []
    for document in documents:
        waiting.extend(document)
        full = len(waiting) // length * length
        for start in range(0, full, length):
            yield tuple(waiting[start : start + length])
        del waiting[:full]


def rows_of_parts(rows: Sequence[Sequence[Sequence[int]]], *, attend_across: bool) -> Rows:
    """Rows of one length without padding, each given as its documents in turn; every token is learned.

    Without attention across, documents see only themselves, positions start again at each of them, and its first
    token is not learned: nothing stands before it."""
    tokens_NT = torch.tensor([[token for part in row for token in part] for row in rows], dtype=torch.long)
    documents = [[number for number, part in enumerate(row) for _ in part] for row in rows]
    learned_NT = torch.ones_like(tokens_NT, dtype=torch.bool)
    return Rows(tokens_NT, learned_NT, torch.tensor(documents, dtype=torch.long), attend_across)


def full_rows(rows: Sequence[Sequence[int]]) -> Rows:
    """Rows of one document each, without padding; every token is learned."""
    return rows_of_parts([[row] for row in rows], attend_across=True)


def shuffled(count: int, *, seed: int, epoch: int) -> list[int]:
    """The order in which `count` examples are visited in one epoch."""
    return [int(i) for i in np_rng(seed, "epoch", epoch).permutation(count)]


def examples_of_step(step: int, *, per_step: int, count: int, seed: int) -> list[int]:
    """Which of `count` examples step number `step` takes: epochs in new order each, one running into the next."""
    if count < 1:
        raise ValueError("no examples to draw from")
    wanted = range(step * per_step, (step + 1) * per_step)
    orders = {epoch: shuffled(count, seed=seed, epoch=epoch) for epoch in {i // count for i in wanted}}
    return [orders[i // count][i % count] for i in wanted]


def _rows(rows: Sequence[Sequence[Example]], length: int, attend_across: bool) -> Rows:
    tokens_NT = torch.zeros(len(rows), length, dtype=torch.long)
    learned_NT = torch.zeros(len(rows), length, dtype=torch.bool)
    documents_NT = torch.full((len(rows), length), NO_DOCUMENT)
    for row, examples in enumerate(rows):
        start = 0
        for document, example in enumerate(examples):
            end = start + len(example.tokens)
            tokens_NT[row, start:end] = torch.tensor(example.tokens)
            learned_NT[row, start:end] = torch.tensor(example.learned)
            documents_NT[row, start:end] = document
            start = end
    return Rows(tokens_NT, learned_NT, documents_NT, attend_across)
