"""Which pages repeat another (section 2.1, method open): one order of keeping, and a comparison before any deletion.

A page goes only when it is compared with a page that is kept and found alike, so chains of small steps never join two
different pages, and the outcome does not depend on the order of files or rows.
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from corpus.minhash import Hashes, jaccard

INVERTED = str.maketrans("0123456789abcdef", "fedcba9876543210")
LONGEST_URL = 1_000_000  # characters; only the order of longer ones would change


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page as the comparison sees it: its claim to be kept (`claim`) and its shingles (`minhash.shingles`)."""

    id: str
    key: str
    claim: str
    shingles: Hashes


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A page to drop, the kept page that it repeats, and the Jaccard similarity of their shingles."""

    id: str
    kept_id: str
    kept_key: str
    similarity: float


def text_digest(text: str) -> str:
    """Equal for texts that differ in white space only."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def claim(tokens: int, date: str, identity: str, url: str = "", row: str = "") -> str:
    """A string that sorts higher the rather a page is kept: longest text, newest, smallest id.

    `url` (the shorter first) and `row` only tell captures of one page with the same text apart.
    """
    address = f"{max(LONGEST_URL - len(url), 0):07d}\t{url}"
    return "\t".join([f"{tokens:012d}", date, identity.translate(INVERTED), address, row])


def near_duplicates(pages: Sequence[Candidate], *, threshold: float) -> Iterator[Duplicate]:
    """The pages of one group to drop: each repeats a kept page with a true similarity of at least `threshold`.

    Pages are met in the order of their claims. Two texts that are alike share one of their rarest shingles: of n
    shingles those before the last threshold * n (n * (1 - threshold) + 1 of them) suffice, whatever the order, as long
    as it is one order for all. So a page is compared with the kept pages that share such a shingle and no others: no
    pair at or above the threshold is missed, and pages that have only a frame in common are never compared.
    """
    kept_with: dict[int, list[Candidate]] = {}
    frequency = _Frequency(pages)
    for page in sorted(pages, key=lambda page: page.claim, reverse=True):
        rare = frequency.rarest(page.shingles, threshold)
        rivals = {rival.id: rival for shingle in rare for rival in kept_with.get(shingle, ())}
        best = max(
            ((_similarity(page, rival, threshold), rival.claim, rival) for rival in rivals.values()), default=None
        )
        if best and best[0] >= threshold:
            yield Duplicate(page.id, best[2].id, best[2].key, best[0])
            continue
        for shingle in rare:
            kept_with.setdefault(shingle, []).append(page)


class _Frequency:
    """How many pages of a group hold each shingle."""

    def __init__(self, pages: Sequence[Candidate]) -> None:
        every = [page.shingles for page in pages] or [np.empty(0, np.uint64)]
        self.shingles, self.pages = np.unique(np.concatenate(every), return_counts=True)

    def rarest(self, shingles: Hashes, threshold: float) -> list[int]:
        """The shingles of a page without its commonest threshold * n, but one."""
        count = len(shingles) - math.ceil(threshold * len(shingles) - 1e-9) + 1  # the product may be a hair too large
        order = np.lexsort((shingles, self.pages[np.searchsorted(self.shingles, shingles)]))
        rare: list[int] = shingles[order[:count]].tolist()
        return rare


def _similarity(page: Candidate, rival: Candidate, threshold: float) -> float:
    """The similarity; 0 where the numbers of shingles alone rule out the threshold."""
    fewer, more = sorted((len(page.shingles), len(rival.shingles)))
    return jaccard(page.shingles, rival.shingles) if fewer >= threshold * more - 1e-9 else 0.0
