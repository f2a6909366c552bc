"""Majority votes and pass rates over the outputs of one question (figure 7), and the interval of a share."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, sqrt

from commons.clusters import clusters

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
    """Figure 7, Maj@K: the expected `majority` of k outputs drawn from these without replacement, exact.

    As pass_at_k, the mean over all choices of k of the outputs; k above the number drawn is refused."""
    if not 1 <= k <= len(votes):
        raise ValueError(f"maj@{k} needs {k} outputs or more, got {len(votes)}")
    if k == len(votes):
        return majority(votes)
    sizes = ballots(votes)
    silent = len(votes) - sum(size for size, _ in sizes)
    ways = sum(
        (
            _ways_to_win(place, [size for size, _ in sizes], silent, k)
            for place, (_, right) in enumerate(sizes)
            if right
        ),
        start=Fraction(0),
    )
    return float(ways / comb(len(votes), k))


def majority(votes: Sequence[Vote]) -> float:
    """The chance that the most frequent answer is correct: 0 or 1, and between them where answers tie."""
    sizes = ballots(votes)
    if not sizes:
        return 0.0
    largest = max(size for size, _ in sizes)
    tied = [correct for size, correct in sizes if size == largest]
    return sum(tied) / len(tied)


def ballots(votes: Sequence[Vote]) -> list[tuple[int, bool]]:
    """Size of each set of equivalent answers, and whether its first is correct; no answer is in no set."""
    return [(len(places), votes[places[0]].correct) for places in clusters([vote.answer for vote in votes])]


def _ways_to_win(place: int, sizes: Sequence[int], silent: int, k: int) -> Fraction:
    """Number of choices of k outputs in which the set at `place` is the largest; a tie of t sets counts 1/t."""
    ways = Fraction(0)
    others = [*sizes[:place], *sizes[place + 1 :]]
    for height in range(1, min(k, sizes[place]) + 1):
        smaller = silent + sum(size for size in others if size < height)  # how these fall out does not matter
        rivals = Counter(size for size in others if size >= height)
        for tied, left in _tied(rivals, height, k - height):
            free = [comb(smaller, rest) * count for rest, count in left.items()]
            ways += Fraction(comb(sizes[place], height) * sum(free), tied + 1)
    return ways


def _tied(rivals: Mapping[int, int], height: int, room: int) -> list[tuple[int, dict[int, int]]]:
    """For each number of rivals that reach `height` (none may pass it): how many choices of theirs leave how many of
    the `room` outputs to others. `rivals` maps the size of a set to the number of sets of that size."""
    found = {(0, room): 1}
    for size, repeated in sorted(rivals.items()):
        for _ in range(repeated):
            grown: Counter[tuple[int, int]] = Counter()
            for (tied, left), count in found.items():
                for drawn in range(min(height, left) + 1):
                    grown[tied + (drawn == height), left - drawn] += count * comb(size, drawn)
            found = dict(grown)
    by_tied: dict[int, dict[int, int]] = {}
    for (tied, left), count in found.items():
        by_tied.setdefault(tied, {})[left] = count
    return sorted(by_tied.items())


def wilson(correct: int, n: int) -> tuple[float, float]:
    """The 95% Wilson interval of a share: good for small n, and inside 0 to 1 where the normal one is not."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = correct / n, NORMAL_95**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = NORMAL_95 * sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return max(0.0, centre - half), min(1.0, centre + half)
