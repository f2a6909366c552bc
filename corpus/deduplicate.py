"""Near duplicates (section 2.1, method open): MinHash proposes, a comparison of the texts decides.

Shingles are runs of 5 tokens, digits and operators among them ("what is 2 + 3" is not "what is 7 + 8"); Chinese
counts in characters. A page goes only when it is compared with a page that is kept and found alike, so chains of
small steps never join two different pages, and the outcome does not depend on the order of files or rows.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from datasketch import MinHash

from corpus.tokens import tokens_of

SHINGLE_TOKENS = 5
SCHEME = "affine32"  # the permutations of datasketch; other schemes give other values for equal texts
ROWS_PER_BAND = 8


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page as near-duplicate search sees it."""

    id: str
    key: str
    signature: bytes
    text: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A page to drop, the kept page that it repeats, and their Jaccard similarity."""

    id: str
    kept_key: str
    similarity: float


def shingles(text: str) -> frozenset[str]:
    """The runs of SHINGLE_TOKENS tokens of `text`; the whole text when it is shorter; none when it is empty."""
    tokens = tokens_of(text)
    if not tokens:
        return frozenset()
    last = max(len(tokens) - SHINGLE_TOKENS, 0)
    return frozenset(" ".join(tokens[start : start + SHINGLE_TOKENS]) for start in range(last + 1))


def signature(text: str, *, hashes: int) -> bytes:
    """MinHash values of the shingles of `text` as little-endian uint32; empty for an empty text."""
    found = shingles(text)
    if not found:
        return b""
    sketch = MinHash(num_perm=hashes, scheme=SCHEME)
    sketch.update_batch([shingle.encode() for shingle in found])
    return sketch.hashvalues.astype("<u4").tobytes()


def band_keys(signed: bytes) -> list[int]:
    """One key for each band of ROWS_PER_BAND values: pages that share a key may be near duplicates."""
    width = 4 * ROWS_PER_BAND
    return [
        int.from_bytes(hashlib.blake2b(signed[at : at + width], digest_size=8, salt=band.to_bytes(8, "big")).digest())
        >> 1
        for band, at in enumerate(range(0, len(signed) - width + 1, width))
    ]


def components(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The connected groups of ids, each sorted, in order of their first ids (union-find)."""
    parent: dict[str, str] = {}

    def root(node: str) -> str:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for left, right in edges:
        low, high = sorted((root(left), root(right)))
        parent[high] = low
    groups: dict[str, list[str]] = {}
    for node in sorted(parent):
        groups.setdefault(root(node), []).append(node)
    return list(groups.values())


def near_duplicates(pages: Sequence[Candidate], *, threshold: float) -> Iterator[Duplicate]:
    """The pages of one group to drop: each repeats a kept page with a Jaccard similarity of at least `threshold`.

    Kept first is the page with the shortest address, then the first in alphabetical order: copies mostly live below
    an extra folder (`/print/..`) or carry an extra parameter.
    """
    kept_in_band: dict[int, list[Candidate]] = {}
    cache: dict[str, frozenset[str]] = {}
    for page in sorted(pages, key=lambda page: keep_rank(page.key, page.id)):
        bands = band_keys(page.signature)
        rivals = {rival.id: rival for band in bands for rival in kept_in_band.get(band, [])}
        best = max(
            ((_similarity(page, rival, threshold, cache), rival.key) for rival in rivals.values()), default=(0.0, "")
        )
        if best[0] >= threshold:
            yield Duplicate(page.id, best[1], best[0])
            continue
        for band in bands:
            kept_in_band.setdefault(band, []).append(page)


def keep_rank(key: str, identity: str) -> tuple[int, str, str]:
    """Order in which equal pages are kept: a total order on what the pages are, not on where they lay."""
    return len(key), key, identity


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Share of the shingles of either text that both have."""
    return len(left & right) / len(left | right) if left and right else 0.0


def _similarity(page: Candidate, rival: Candidate, threshold: float, cache: dict[str, frozenset[str]]) -> float:
    """Exact similarity; 0 where the signatures alone are far below the threshold (5 standard errors at 128 hashes)."""
    mine, other = np.frombuffer(page.signature, "<u4"), np.frombuffer(rival.signature, "<u4")
    spread = 5 * (threshold * (1 - threshold) / len(mine)) ** 0.5
    if float((mine == other).mean()) < threshold - spread:
        return 0.0
    for candidate in (page, rival):
        if candidate.id not in cache:
            cache[candidate.id] = shingles(candidate.text)
    return jaccard(cache[page.id], cache[rival.id])
