"""Majority votes and pass rates over the outputs of one question (figure 7), and the interval of a share."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt

from commons.equivalence import equivalent

NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Vote:
    """The answer of one output (None votes for nothing) and whether it was graded correct."""

    answer: str | None
    correct: bool


def ks_up_to(samples: int) -> list[int]:
    """1, 2, 4, ... and the number of samples itself where it is a power of two."""
    return [2**power for power in range(samples.bit_length()) if 2**power <= samples]


def pass_at_k(correct: Sequence[bool], k: int) -> float:
    """Figure 7, Pass@K: the chance that k outputs drawn from these hold a correct one, by the unbiased product form.

    1 - C(wrong, k) / C(all, k), which is exact for each question; k above the number drawn is refused."""
    if not 1 <= k <= len(correct):
        raise ValueError(f"pass@{k} needs {k} outputs or more, got {len(correct)}")
    wrong = len(correct) - sum(correct)
    return 1.0 - comb(wrong, k) / comb(len(correct), k)


def maj_at_k(votes: Sequence[Vote], k: int) -> float:
    """Figure 7, Maj@K: how often the majority of k outputs is correct, mean over the disjoint runs of k outputs.

    Outputs that do not fill a last run are left out: with K a power of two there are none."""
    if not 1 <= k <= len(votes):
        raise ValueError(f"maj@{k} needs {k} outputs or more, got {len(votes)}")
    runs = [votes[start : start + k] for start in range(0, len(votes) - k + 1, k)]
    return sum(map(majority, runs)) / len(runs)


def majority(votes: Sequence[Vote]) -> float:
    """The chance that the most frequent answer is correct: 0 or 1, and between them where answers tie."""
    sizes = clusters(votes)
    if not sizes:
        return 0.0
    largest = max(size for size, _ in sizes)
    tied = [correct for size, correct in sizes if size == largest]
    return sum(tied) / len(tied)


def clusters(votes: Sequence[Vote]) -> list[tuple[int, bool]]:
    """Size of each set of equivalent answers, and whether its first is correct. An answer that cannot be read is in a
    set with those of the same text; an output without an answer is in none."""
    found: list[tuple[Vote, list[Vote]]] = []
    for vote in votes:
        if vote.answer is None:
            continue
        for first, members in found:
            if first.answer == vote.answer or equivalent(first.answer or "", vote.answer):
                members.append(vote)
                break
        else:
            found.append((vote, [vote]))
    return [(len(members), first.correct) for first, members in found]


def wilson(correct: int, n: int) -> tuple[float, float]:
    """The 95% Wilson interval of a share: good for small n, and inside 0 to 1 where the normal one is not."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = correct / n, NORMAL_95**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = NORMAL_95 * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)
