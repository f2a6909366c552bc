"""MinHash (section 2.1, method open): shingles as 64-bit hashes, signatures, and the keys of their bands.

A shingle is a run of 5 tokens, digits and operators among them ("what is 2 + 3" is not "what is 7 + 8"); Chinese,
Japanese and Korean count in characters. A text of fewer tokens is one shingle, an empty text has none. All values are
a function of the text alone: no random state, no salt of the process.
"""

from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from corpus.tokens import tokens_of

Hashes: TypeAlias = NDArray[np.uint64]
SHINGLE_TOKENS = 5
SHINGLES_AT_ONCE = 1024  # stays in the processor's cache: five times as fast as all at once
SIGNATURES_AT_ONCE = 256  # likewise
FACTOR = np.uint64(0x9E3779B97F4A7C13)  # 3 mod 8: no shingle collides with its own permutation by parity
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def shingles(text: str) -> Hashes:
    """The distinct shingles of `text` as sorted hashes (two texts of 1,000 shingles collide with chance 1e-13)."""
    return np.unique(_runs(text))


def jaccard(left: Hashes, right: Hashes) -> float:
    """Share of the shingles of either text that both have; 0 when one has none."""
    if not len(left) or not len(right):
        return 0.0
    common = len(np.intersect1d(left, right, assume_unique=True))
    return common / (len(left) + len(right) - common)


def signature(text: str, *, hashes: int) -> bytes:
    """`hashes` MinHash values of `text` as little-endian uint32; empty for an empty text."""
    runs = (_runs(text) >> np.uint64(32)).astype(np.uint32)[:, None]
    if not len(runs):
        return b""
    factors, terms = _permutations(hashes)
    values = np.full(hashes, np.iinfo(np.uint32).max, np.uint32)
    room = np.empty((SHINGLES_AT_ONCE, hashes), np.uint32)
    for start in range(0, len(runs), SHINGLES_AT_ONCE):
        part = runs[start : start + SHINGLES_AT_ONCE]
        permuted = np.multiply(part, factors, out=room[: len(part)])
        permuted += terms
        np.minimum(values, permuted.min(axis=0), out=values)
    return values.astype("<u4").tobytes()


def bands_and_rows(hashes: int, *, similarity: float, missed_weight: float) -> tuple[int, int]:
    """The bands and rows that minimise missed pairs and false candidates around `similarity`, as datasketch does.

    The area of false candidates below it counts `1 - missed_weight`, that of missed pairs above it `missed_weight`.
    """
    below = (np.arange(1000) + 0.5) / 1000 * similarity
    above = similarity + (np.arange(1000) + 0.5) / 1000 * (1 - similarity)
    best, choice = np.inf, (1, 1)
    for bands in range(1, hashes + 1):
        for rows in range(1, hashes // bands + 1):
            false = similarity * float(np.mean(candidate_share(below, bands, rows)))
            missed = (1 - similarity) * float(np.mean(1 - candidate_share(above, bands, rows)))
            error = (1 - missed_weight) * false + missed_weight * missed
            if error < best:
                best, choice = error, (bands, rows)
    return choice


def candidate_share(similarity: NDArray[np.float64], bands: int, rows: int) -> NDArray[np.float64]:
    """The band formula: the chance that two texts of this Jaccard similarity share at least one band."""
    share: NDArray[np.float64] = 1 - (1 - similarity**rows) ** bands
    return share


def band_keys(signatures: NDArray[np.uint32], bands: int, rows: int) -> Hashes:
    """One 64-bit key for each band of `rows` values.  [pages, hashes] -> [pages, bands]"""
    factors = _mixed(np.arange(1001, 1001 + rows, dtype=np.uint64) * GOLDEN) | np.uint64(1)
    terms = _mixed(np.arange(1, bands + 1, dtype=np.uint64) * GOLDEN)
    keys = np.empty((len(signatures), bands), np.uint64)
    for start in range(0, len(signatures), SIGNATURES_AT_ONCE):
        values = signatures[start : start + SIGNATURES_AT_ONCE, : bands * rows].astype(np.uint64)
        keys[start : start + SIGNATURES_AT_ONCE] = _mixed(values.reshape(-1, bands, rows) @ factors + terms)
    return keys


def _runs(text: str) -> Hashes:
    """The hash of each run of SHINGLE_TOKENS tokens: a polynomial in the hashes of the tokens, its bits mixed once."""
    words = _token_hashes(tokens_of(text))
    runs = words[: len(words) - SHINGLE_TOKENS + 1] if len(words) > SHINGLE_TOKENS else words[:1]
    for offset in range(1, min(SHINGLE_TOKENS, len(words))):
        runs = runs * FACTOR
        runs += words[offset : offset + len(runs)]
    return _mixed(runs)


def _token_hashes(tokens: Sequence[str]) -> Hashes:
    """A hash of each token, all at once: a polynomial in numbers drawn for its bytes (a token holds no line end)."""
    if not tokens:
        return np.empty(0, np.uint64)
    content = np.frombuffer("\n".join(tokens).encode("utf-8", "surrogatepass"), np.uint8)
    ends = np.flatnonzero(content == ord("\n"))
    powers, inverse = _powers(1 << len(content).bit_length())  # so that few lengths are remembered
    sums = _letters()[content]
    sums *= powers[: len(content)]
    np.cumsum(sums, out=sums)  # of the polynomial of the whole; a token's is a difference, moved to its own start
    up_to = np.append(sums[ends], sums[-1])
    starts = np.append(0, ends + 1)
    return _mixed(np.diff(up_to, prepend=np.uint64(0)) * inverse[starts])


@cache
def _letters() -> Hashes:
    numbers = _mixed(np.arange(3001, 3001 + 256, dtype=np.uint64) * GOLDEN)
    numbers[ord("\n")] = 0
    return numbers


@cache
def _powers(count: int) -> tuple[Hashes, Hashes]:
    """FACTOR^1, FACTOR^2, .. and FACTOR^0, FACTOR^-1, .. modulo 2^64.  [count] each"""
    inverse = np.full(count, pow(int(FACTOR), -1, 1 << 64), np.uint64)
    inverse[0] = 1
    return np.multiply.accumulate(np.full(count, FACTOR, np.uint64)), np.multiply.accumulate(inverse)


@cache
def _permutations(hashes: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Factors and terms of the maps x -> factor x + term mod 2**32, which order the shingles anew.  [hashes] each"""
    numbers = _mixed(np.arange(2001, 2001 + 2 * hashes, dtype=np.uint64) * GOLDEN)
    halves = (numbers >> np.uint64(32)).astype(np.uint32)
    return halves[:hashes] | np.uint32(1), halves[hashes:]


def _mixed(values: Hashes) -> Hashes:
    """Each bit of the result depends on every bit of the value; different values stay different."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
