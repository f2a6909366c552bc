"""What of a benchmark a text quotes (section 2.1): an index of grams, its files, and the scan.

Grams are found by a 64-bit hash of their tokens and then compared token by token, so a finding is exact. Texts are
scanned many at a time in numpy; the arrays of a saved index are mapped, so that workers of one machine share them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import groupby, pairwise, repeat
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from commons.files import atomic_file, write_atomic, write_json
from commons.ngrams import tokens

SHORTEST_TEXT = 3  # tokens; a benchmark text below this protects nothing (section 2.1)
BASES = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)  # odd; the first without a collision is taken
MIN_SLOT_BITS = 16
WORDS_AT_ONCE = 1 << 15
SLOTS_PER_GRAM = 32  # 1 lookup in 30 to 60 finds a slot taken by another gram and is then searched for in vain
ARRAYS = ("ids", "text_starts", "same_as", "hashes", "lengths", "firsts", "posting_starts", "postings")

Ints: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Hit:
    """A benchmark gram in a text: its number in the index, its first token in the text, its tokens."""

    gram: int
    start: int
    tokens: int


@dataclass(frozen=True)
class BenchmarkGrams:
    """What may not be quoted: grams of `n` tokens, and whole texts of fewer, each with the texts that hold it.

    `ids` are the tokens of all texts in a row (numbers of `vocabulary`, from 1), text t from `text_starts[t]`;
    `same_as[t]` is the first text with the same tokens. Gram g has `hashes[g]` (ascending), `lengths[g]` tokens, its
    first occurrence at `firsts[g]`, and stands in the texts `postings[posting_starts[g] : posting_starts[g + 1]]`.
    """

    n: int
    base: int
    vocabulary: Mapping[str, int]
    ids: Ints
    text_starts: Ints
    same_as: Ints
    hashes: Ints
    lengths: Ints
    firsts: Ints
    posting_starts: Ints
    postings: Ints

    def texts_with(self, gram: int) -> Ints:
        """The numbers of the texts that hold a gram, ascending."""
        return self.postings[self.posting_starts[gram] : self.posting_starts[gram + 1]]

    def tokens_of(self, gram: int) -> list[str]:
        """The tokens of a gram."""
        first = self.firsts[gram]
        return [self._words[number - 1] for number in self.ids[first : first + self.lengths[gram]].tolist()]

    def text_tokens(self, text: int) -> int:
        """The number of tokens of a benchmark text."""
        return int(self.text_starts[text + 1] - self.text_starts[text])

    @cached_property
    def _words(self) -> list[str]:
        return list(self.vocabulary)

    @cached_property
    def _slots(self) -> tuple[Ints, int]:
        """Which hashes of n-grams may be there: a bit for each leading part of a hash, and the shift that leaves it."""
        return _slots_of(self.hashes[self.lengths == self.n])

    @cached_property
    def _short_slots(self) -> tuple[Ints, int]:
        """As `_slots`, for the short texts."""
        return _slots_of(self.hashes[self.lengths < self.n])

    @cached_property
    def _short_heads(self) -> tuple[Ints, int]:
        """As `_slots`, for the first SHORTEST_TEXT tokens of the short texts."""
        offsets = self.firsts[self.lengths < self.n]
        windows = np.asarray(self.ids)[offsets[:, None] + np.arange(SHORTEST_TEXT)]
        return _slots_of(_hash_of_rows(windows, self.base))

    @cached_property
    def _short_lengths(self) -> list[int]:
        return sorted({int(length) for length in np.unique(self.lengths)} - {self.n})


def benchmark_grams(texts: Iterable[str], n: int = 10) -> BenchmarkGrams:
    """Section 2.1: all n-grams of the texts; texts of 3 to n-1 tokens are kept whole for exact match.

    Raises ValueError when n is not above 3.
    """
    if n <= SHORTEST_TEXT:
        raise ValueError(f"grams of {n} tokens: more than {SHORTEST_TEXT} are needed")
    words, starts = _words_of(texts)
    numbered = words.dictionary_encode()  # numbers in the order in which the words first come
    vocabulary = {word: place for place, word in enumerate(numbered.dictionary.to_pylist(), 1)}
    ids, text_starts = numbered.indices.to_numpy() + np.int32(1), np.array(starts, dtype=np.int64)
    known: dict[bytes, int] = {}
    spans = enumerate(pairwise(starts))
    same = [known.setdefault(ids[start:end].tobytes(), number) for number, (start, end) in spans]
    for base in BASES:
        arrays = _gram_arrays(ids, text_starts, n, base)
        if arrays is not None:
            return BenchmarkGrams(n, base, vocabulary, ids, text_starts, np.array(same, dtype=np.int32), *arrays)
    raise ValueError("benchmark grams collide under every hash that is tried")


def _words_of(texts: Iterable[str]) -> tuple[pa.StringArray, list[int]]:
    """The tokens of all texts in a row, and where each text begins; few of them at a time are strings of Python."""
    parts: list[pa.StringArray] = []
    words: list[str] = []
    starts = [0]
    for text in texts:
        found = tokens(text)
        words += found
        starts.append(starts[-1] + len(found))
        if len(words) >= WORDS_AT_ONCE:
            parts.append(pa.array(words, pa.string()))
            words.clear()
    return pa.concat_arrays([*parts, pa.array(words, pa.string())]), starts


def quotations(texts: Sequence[str], grams: BenchmarkGrams) -> list[list[Hit]]:
    """For each text every benchmark gram and short benchmark text that it contains, in order of the text."""
    lookup = grams.vocabulary.get
    flat: list[int] = []
    starts: list[int] = []
    for text in texts:
        starts.append(len(flat))
        flat.extend(map(lookup, tokens(text), repeat(0)))
        flat.append(0)  # no gram holds the number 0, so none crosses from text to text
    ids = np.array(flat, dtype=np.uint64)
    found: list[list[Hit]] = [[] for _ in texts]
    if len(ids) < SHORTEST_TEXT or not len(grams.hashes):
        return found
    places, numbers = _places(ids, grams)
    owners = np.searchsorted(starts, places, side="right") - 1
    for place, number, owner in zip(places.tolist(), numbers.tolist(), owners.tolist(), strict=True):
        found[owner].append(Hit(number, place - starts[owner], int(grams.lengths[number])))
    return found


def runs(starts: Iterable[int]) -> Iterator[list[int]]:
    """The numbers, ascending, cut where one does not follow the other: [2, 3, 4, 9] as [2, 3, 4] and [9]."""
    for _, run in groupby(enumerate(sorted(starts)), key=lambda pair: pair[1] - pair[0]):
        yield [start for _, start in run]


def save_grams(grams: BenchmarkGrams, folder: Path) -> None:
    """Writes an index; equal texts give equal bytes."""
    for name in ARRAYS:
        with atomic_file(folder / f"{name}.npy") as file:
            np.save(file, getattr(grams, name), allow_pickle=False)
    write_atomic(folder / "vocabulary.txt", "".join(f"{word}\n" for word in grams.vocabulary))
    write_json(folder / "grams.json", {"n": grams.n, "base": grams.base})


def load_grams(folder: Path) -> BenchmarkGrams:
    """The inverse of `save_grams`; the arrays are mapped, not read."""
    facts = json.loads((folder / "grams.json").read_bytes())
    words = (folder / "vocabulary.txt").read_text(encoding="utf-8").split("\n")[:-1]
    # as plain arrays over the mapped file: each slice of a `memmap` costs ten times that of an array
    arrays = {name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r")) for name in ARRAYS}
    assert {field.name for field in fields(BenchmarkGrams)} == {"n", "base", "vocabulary", *ARRAYS}
    return BenchmarkGrams(facts["n"], facts["base"], {word: place for place, word in enumerate(words, 1)}, **arrays)


def _places(ids: Ints, grams: BenchmarkGrams) -> tuple[Ints, Ints]:
    """Where benchmark grams stand among `ids`, and which, in order of the places."""
    hashes = _hashes(ids, grams.n, grams.base)
    found = [_confirmed(ids, np.flatnonzero(_set_in(hashes, grams._slots)), hashes, grams.n, grams)]
    heads = np.flatnonzero(_set_in(_hashes(ids, SHORTEST_TEXT, grams.base), grams._short_heads))
    for length in grams._short_lengths:
        hashes = _hashes(ids, length, grams.base)
        inside = heads[: np.searchsorted(heads, len(hashes))]
        places = inside[_set_in(hashes[inside], grams._short_slots)]
        found.append(_confirmed(ids, places, hashes, length, grams))
    places, numbers = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((numbers, places))
    return places[order], numbers[order]


def _confirmed(ids: Ints, places: Ints, hashes: Ints, length: int, grams: BenchmarkGrams) -> tuple[Ints, Ints]:
    """Those places at which a benchmark gram of `length` tokens stands, compared token by token, and its number."""
    wanted = hashes[places]
    numbers = np.minimum(np.searchsorted(grams.hashes, wanted), len(grams.hashes) - 1)
    near = (grams.hashes[numbers] == wanted) & (grams.lengths[numbers] == length)
    places, numbers = places[near], numbers[near]
    windows = ids[places[:, None] + np.arange(length)]
    same = (grams.ids[grams.firsts[numbers][:, None] + np.arange(length)] == windows).all(axis=1)
    return places[same], numbers[same]


def _gram_arrays(ids: Ints, text_starts: Ints, n: int, base: int) -> tuple[Ints, ...] | None:
    """`hashes` to `postings` of BenchmarkGrams, or None when two different grams have one hash."""
    sizes = np.diff(text_starts)
    text_of = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    long = np.flatnonzero(text_of[: len(ids) - n + 1] == text_of[n - 1 :]) if len(ids) >= n else np.array([], np.int64)
    parts = [(_hashes(ids.astype(np.uint64), n, base)[long], np.full(len(long), n, np.uint8), long)]
    for length in range(SHORTEST_TEXT, n):
        offsets = text_starts[:-1][sizes == length]
        rows = ids[offsets[:, None] + np.arange(length)].astype(np.uint64)
        parts.append((_hash_of_rows(rows, base), np.full(len(offsets), length, np.uint8), offsets))
    hashes, lengths, offsets = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    order, hashes = _order(hashes, offsets)
    lengths, offsets = lengths[order], offsets[order]
    new = np.ones(len(hashes), bool)
    new[1:] = hashes[1:] != hashes[:-1]
    group = np.cumsum(new) - 1
    firsts = offsets[new]
    again = group[~new]
    if not _all_alike(ids, offsets[~new], lengths[~new], firsts[again], lengths[new][again]):
        return None
    text = text_of[offsets]
    once = new.copy()  # a text that repeats a gram is listed once
    once[1:] |= text[1:] != text[:-1]
    posting_starts = np.append(np.flatnonzero(new[once]), once.sum()).astype(np.int64)
    return hashes[new], lengths[new], firsts.astype(np.int64), posting_starts, text[once]


def _order(hashes: Ints, offsets: Ints) -> tuple[Ints, Ints]:
    """`np.lexsort((offsets, hashes))`, four times as fast, as few stand among equals, and the hashes in that order."""
    order = np.argsort(hashes)
    arranged = hashes[order]
    equal = arranged[1:] == arranged[:-1]
    repeated = np.flatnonzero(np.append(equal, False) | np.append(False, equal))
    inside = order[repeated]
    order[repeated] = inside[np.lexsort((offsets[inside], arranged[repeated]))]
    return order, arranged


def _all_alike(ids: Ints, offsets: Ints, lengths: Ints, firsts: Ints, first_lengths: Ints) -> bool:
    if not np.array_equal(lengths, first_lengths):
        return False
    return all(
        np.array_equal(ids[offsets[inside] + place], ids[firsts[inside] + place])
        for place in range(int(lengths.max(initial=0)))
        for inside in [lengths > place]
    )


def _hashes(ids: Ints, length: int, base: int) -> Ints:
    """The hash of each run of `length` ids (uint64): a polynomial in `base`, modulo 2^64."""
    hashes = ids[: max(len(ids) - length + 1, 0)].copy()
    for place in range(1, length):
        hashes *= np.uint64(base)
        hashes += ids[place : place + len(hashes)]
    return hashes


def _hash_of_rows(rows: Ints, base: int) -> Ints:
    hashes = rows[:, 0].astype(np.uint64)
    for place in range(1, rows.shape[1]):
        hashes = hashes * np.uint64(base) + rows[:, place].astype(np.uint64)
    return hashes


def _slots_of(hashes: Ints) -> tuple[Ints, int]:
    bits = max(MIN_SLOT_BITS, int(len(hashes) * SLOTS_PER_GRAM).bit_length())
    places = np.sort(hashes) >> np.uint64(64 - bits)
    slots = np.zeros(1 << (bits - 3), np.uint8)
    if len(places):
        bytes_, marks = places >> np.uint64(3), np.uint8(1) << (places & np.uint64(7)).astype(np.uint8)
        starts = np.flatnonzero(np.append(True, bytes_[1:] != bytes_[:-1]))
        slots[bytes_[starts]] = np.bitwise_or.reduceat(marks, starts)
    return slots, 64 - bits


def _set_in(hashes: Ints, slots: tuple[Ints, int]) -> Ints:
    bits, shift = slots
    place = hashes >> np.uint64(shift)
    return ((bits[place >> np.uint64(3)] >> (place & np.uint64(7)).astype(np.uint8)) & np.uint8(1)).astype(bool)
