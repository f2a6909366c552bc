"""Section 2.1: rank the pages by score and keep the best under a token budget.

The big pass only sums pages and tokens by score bin; the cut is made inside one bin, page by page, in a total order
(score, then id), so that equal or nearly equal scores fill the budget to within one page. Bins span the scores that
there are: a classifier that barely separates puts all of them within 1e-4, and then a bin is 2.5e-8 wide.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

BINS = 4096


@dataclass(frozen=True, slots=True)
class Bins:
    """BINS bins of log-odds from `low` on, each `width` wide. A higher score never has a lower bin."""

    low: float
    width: float

    def number(self, score: float) -> int:
        """The bin of a score; what lies outside goes to the bins at the ends."""
        return max(0, min(int((score - self.low) / self.width), BINS - 1))


def bins_between(low: float, high: float) -> Bins:
    """Bins for scores from `low` to `high`."""
    return Bins(low, (high - low) / BINS or 1.0)


@dataclass(frozen=True, slots=True)
class Sums:
    """What one bin holds, and its lowest score; those of the parts of a crawl add up to those of the whole."""

    pages: int
    tokens: int
    lowest: float


@dataclass(frozen=True, slots=True)
class Cutoff:
    """The last page that is kept: everything above its score, and equal scores up to its id."""

    score: float
    id: str

    def keeps(self, score: float | None, identity: str) -> bool:
        """Whether a page is kept; one without a score never is."""
        return score is not None and (score > self.score or (score == self.score and identity <= self.id))


NOTHING = Cutoff(math.inf, "")
EVERYTHING = Cutoff(-math.inf, "~")


def cut_bin(tokens_in_bin: Mapping[int, int], budget_tokens: int) -> tuple[int, int] | None:
    """The bin in which the budget runs out and the tokens that are left for it; None when everything fits."""
    left = budget_tokens
    for number in sorted(tokens_in_bin, reverse=True):
        if tokens_in_bin[number] > left:
            return number, left
        left -= tokens_in_bin[number]
    return None


def cut_inside(pages: Iterable[tuple[float, str, int]], left_tokens: int) -> Cutoff | None:
    """The cut among (score, id, tokens) of one bin: the last page, best first, that the tokens left still pay for."""
    last = None
    for score, identity, tokens in sorted(pages, key=lambda page: (-page[0], page[1])):
        left_tokens -= tokens
        if left_tokens < 0:
            break
        last = Cutoff(score, identity)
    return last


def seed_threshold(seed_scores: Sequence[float], share: float) -> float:
    """The score that `share` of the seed pages reach: how a budget is chosen when none is given."""
    if not seed_scores:
        raise ValueError("no seed page has a score")
    ranked = sorted(seed_scores, reverse=True)
    return ranked[min(math.ceil(share * len(ranked)), len(ranked)) - 1]


def of_round(values: Sequence[float], number: int) -> float:
    """The value for round `number` (from 1): the last one repeats."""
    return values[min(number, len(values)) - 1]
