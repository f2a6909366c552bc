"""Are two models different on the same questions: paired bootstrap interval, exact McNemar test, flips."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from commons.seeds import np_rng

RESAMPLES = 10_000


@dataclass(frozen=True, slots=True)
class Paired:
    """The gain of one model over another on n common questions, as fractions."""

    n: int
    before: float
    after: float
    gain: float
    ci95: tuple[float, float]
    gained: int  # questions that only the second answers correctly
    lost: int  # questions that only the first answers correctly
    p: float

    def as_json(self) -> dict[str, Any]:
        """JSON values; digits beyond the sixth say nothing."""
        values = {name: getattr(self, name) for name in ("n", "before", "after", "gain", "gained", "lost", "p")}
        values["ci95"] = list(self.ci95)
        return {name: _rounded(value) for name, value in values.items()}


def paired(before: Mapping[str, bool], after: Mapping[str, bool], *, seed: int, resamples: int = RESAMPLES) -> Paired:
    """Compare by question id: both must have answered the same questions, or the difference means nothing."""
    if before.keys() != after.keys() or not before:
        alone = len(before.keys() ^ after.keys())
        raise ValueError(
            f"the evaluations share {len(before.keys() & after.keys())} questions, {alone} are in one only"
        )
    ids = sorted(before)
    first = np.array([before[name] for name in ids], dtype=np.int8)
    second = np.array([after[name] for name in ids], dtype=np.int8)
    gained, lost = int((second > first).sum()), int((first > second).sum())
    return Paired(
        n=len(ids),
        before=float(first.mean()),
        after=float(second.mean()),
        gain=(gained - lost) / len(ids),
        ci95=bootstrap_interval(gained, lost, len(ids), seed=seed, resamples=resamples),
        gained=gained,
        lost=lost,
        p=mcnemar(gained, lost),
    )


def bootstrap_interval(gained: int, lost: int, n: int, *, seed: int, resamples: int) -> tuple[float, float]:
    """The 95% percentile interval of the gain when questions are drawn again with replacement.

    A question's difference is +1, -1 or 0, so a resample is one draw of the three counts: multinomial."""
    shares = [gained / n, lost / n, 1 - (gained + lost) / n]
    drawn = np_rng(seed, "paired bootstrap", gained, lost, n).multinomial(n, shares, size=resamples)
    low, high = np.quantile((drawn[:, 0] - drawn[:, 1]) / n, [0.025, 0.975])
    return float(low), float(high)


def mcnemar(gained: int, lost: int) -> float:
    """Exact two-sided p that a fair coin splits the changed questions at least this unevenly."""
    changed = gained + lost
    if changed == 0:
        return 1.0
    ways, tail = 1, 1  # of choosing k of the changed questions, exact: C(n, k+1) = C(n, k) (n-k) / (k+1)
    for k in range(min(gained, lost)):
        ways = ways * (changed - k) // (k + 1)
        tail += ways
    return min(1.0, float(2 * tail / 2**changed))


def correct_by_id(samples: Sequence[Mapping[str, Any]], split: str) -> dict[str, bool]:
    """Greedy correctness by question id in a split, from the sample rows of an evaluation."""
    return {
        row["id"]: row["verdict"] == "correct" for row in samples if row["mode"] == "greedy" and row["split"] == split
    }


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return round(value, 6) if isinstance(value, float) else value
