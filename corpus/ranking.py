"""The cut of section 2.1 over a frame of scores: sums by bin first, single pages in one bin only."""

from collections.abc import Mapping
from dataclasses import dataclass

from corpus import round_frames as frames
from corpus.frames import Frame
from corpus.recall import EVERYTHING, NOTHING, Bins, Cutoff, Sums, bins_between, cut_bin, cut_inside

EXACT_PAGES = 1_000_000  # a bin with more is cut into bins of its own before its pages are looked at


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scored pages and the additive sums of their bins."""

    scores: Frame
    bins: Bins
    sums: Mapping[int, Sums]


def ranking(scores: Frame) -> Ranking:
    """Sums the pages of a frame with `id`, `rank` and `tokens` over bins that span its scores."""
    found = frames.bounds(scores, "rank")
    bins = bins_between(*found) if found else Bins(0.0, 1.0)
    return Ranking(scores, bins, frames.sums_by_bin(scores, bins))


def cutoff(ranked: Ranking, budget_tokens: int, *, exact_pages: int = EXACT_PAGES) -> Cutoff:
    """Section 2.1: the last page that the budget pays for."""
    found = cut_bin({number: one.tokens for number, one in ranked.sums.items()}, budget_tokens)
    if found is None:
        return EVERYTHING
    number, left = found
    inside = frames.in_bin(ranked.scores, ranked.bins, number)
    finer = ranking(inside.collect()) if ranked.sums[number].pages > exact_pages else None
    if finer is not None and len(finer.sums) > 1:
        cut = cutoff(finer, left, exact_pages=exact_pages)
    else:  # few pages, or many of one score
        cut = cut_inside(frames.scored_pages(inside), left) or NOTHING
    above = [one.lowest for other, one in ranked.sums.items() if other > number]
    return Cutoff(min(above), "~") if cut == NOTHING and above else cut


def kept_by(ranked: Ranking, cut: Cutoff) -> Sums:
    """Pages and tokens that a cut keeps."""
    return frames.sums_above(ranked.scores, cut)
