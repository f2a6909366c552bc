"""Times of two sides of a benchmark that share a busy machine: taken in turn, compared by medians."""

import time
from collections.abc import Callable, Mapping
from statistics import median


def alternating(sides: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each side in each round; the sides follow one another, in turned order every other round."""
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds):
        for name in sorted(sides, reverse=bool(number % 2)):
            began = time.perf_counter()
            sides[name]()
            taken[name].append(time.perf_counter() - began)
    return taken


def medians(taken: dict[str, list[float]]) -> dict[str, float]:
    """The median of each side."""
    return {name: median(seconds) for name, seconds in taken.items()}
