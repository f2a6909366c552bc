"""What may be said of accuracies: intervals that know of clusters, many comparisons, what could be seen at all."""

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist

import numpy as np

from commons.seeds import np_rng

RESAMPLES = 10_000
LEVEL, POWER = 0.05, 0.8


def average_over_n(correct: Mapping[str, Sequence[bool]]) -> float:
    """avg@n: the mean over the questions of the share of their samples that are correct. Raises ValueError for none.

    Every question must have as many samples as the others: a missing one would be left out of its own denominator."""
    sizes = {len(samples) for samples in correct.values()}
    if len(sizes) != 1 or 0 in sizes:
        raise ValueError(f"questions with {sorted(sizes)} samples: each needs the same number, one or more")
    return float(np.mean([np.mean(samples) for samples in correct.values()]))


def cluster_interval(
    correct: Mapping[str, Sequence[bool]], *, seed: int, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """The 95% percentile interval of avg@n when questions, with all their samples, are drawn again.

    Samples of one question resemble each other: an interval that took them for independent would be too narrow."""
    shares = np.array([np.mean(correct[name]) for name in sorted(correct)])
    if not len(shares):
        raise ValueError("no question to draw from")
    draws = np_rng(seed, "cluster bootstrap", len(shares)).integers(0, len(shares), size=(resamples, len(shares)))
    low, high = np.quantile(shares[draws].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values of several tests adjusted by Holm's step-down rule, in their order: the chance that any of them is
    wrong stays below the level at which they are read."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def smallest_detectable(n: int, accuracy: float, *, discordant: float | None = None) -> float:
    """The smallest difference of two accuracies that a test at 5% sees with a chance of 80%, as a fraction.

    Two runs on `n` questions each, near `accuracy`; with `discordant`, the share of questions on which they differ, for
    a paired comparison on the same questions (McNemar). Raises ValueError without a question."""
    if n < 1:
        raise ValueError("no question: no difference can be seen")
    normal = NormalDist()
    factor = normal.inv_cdf(1 - LEVEL / 2) + normal.inv_cdf(POWER)
    if discordant is not None:
        return min(1.0, factor * sqrt(max(discordant, 1 / n) / n))
    share = min(max(accuracy, 0.5 / n), 1 - 0.5 / n)
    return min(1.0, factor * sqrt(2 * share * (1 - share) / n))
