"""How well the classifier of a round finds pages that it never saw: precision and recall against the tokens kept.

A fixed share of all pages is held out by their ids, in every round the same ones: seed pages among them are the
positives here, pages drawn as negatives are drawn among them are the others. Nothing held out is ever trained on.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import isfinite

from corpus.draws import draw
from corpus.recall import Cutoff, Sums

PARTS = 10_000
Scored = tuple[str, float | None]  # id, log-odds


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The scores of the held-out pages of one round; None for a page without a known word, which is never kept."""

    maths: tuple[Scored, ...]
    other: tuple[Scored, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """One row of curve.jsonl: a threshold, what it keeps of the crawl, and of the held-out pages.

    `precision` is that of held-out pages at equal numbers of both kinds, which no draw of negatives changes; None
    where nothing is kept. `threshold` is None where everything or nothing is."""

    threshold: float | None
    pages: int
    tokens: int
    precision: float | None
    recall: float | None
    maths_kept: int
    maths: int
    other_kept: int
    other: int


def is_held_out(identity: str, *, seed: int, share: float) -> bool:
    """Whether a page is never trained on; it depends on the seed and the id alone."""
    return draw(identity, seed) % PARTS < share * PARTS


def point(cutoff: Cutoff, kept: Sums, pages: HeldOut) -> Point:
    """What one cut keeps of the held-out pages."""
    maths = sum(cutoff.keeps(score, name) for name, score in pages.maths)
    other = sum(cutoff.keeps(score, name) for name, score in pages.other)
    recall = maths / len(pages.maths) if pages.maths else None
    wrong = other / len(pages.other) if pages.other else None
    precision = None
    if recall is not None and wrong is not None and recall + wrong > 0:
        precision = round(recall / (recall + wrong), 6)
    rounded = None if recall is None else round(recall, 6)
    score = cutoff.score if isfinite(cutoff.score) else None
    return Point(score, kept.pages, kept.tokens, precision, rounded, maths, len(pages.maths), other, len(pages.other))


def edges(sums: Mapping[int, Sums], *, points: int) -> list[tuple[float, Sums]]:
    """Up to `points` thresholds with what they keep, evenly spread over the tokens, best pages first.

    Each is the lowest score of a bin, so that it keeps exactly the bins from there on."""
    numbers = sorted(sums, reverse=True)
    kept = list(accumulate((sums[number] for number in numbers), _plus))
    found: list[tuple[float, Sums]] = []
    wanted = 1
    for sofar in kept:
        if sofar.tokens * points >= wanted * kept[-1].tokens:
            found.append((sofar.lowest, sofar))
            wanted = sofar.tokens * points // max(kept[-1].tokens, 1) + 1
    return found


def curve(thresholds: Iterable[tuple[float, Sums]], pages: HeldOut) -> list[Point]:
    """Precision and recall on the held-out pages at each threshold."""
    return [point(Cutoff(score, "~"), kept, pages) for score, kept in thresholds]


def agreement(full: Sequence[Scored], small: Sequence[Scored], threshold: float) -> float | None:
    """Share of pages that two models put on the same side of a threshold; None without pages."""
    same = [
        Cutoff(threshold, "~").keeps(one, name) == Cutoff(threshold, "~").keeps(two, name)
        for (name, one), (_, two) in zip(full, small, strict=True)
    ]
    return round(sum(same) / len(same), 6) if same else None


def _plus(one: Sums, two: Sums) -> Sums:
    return Sums(one.pages + two.pages, one.tokens + two.tokens, min(one.lowest, two.lowest))
