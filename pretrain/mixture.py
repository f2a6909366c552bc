"""Section 2.3: which source each training sequence is drawn from, as a pure function of its position.

All sequences are equally long, so shares of sequences are shares of tokens.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd


def one_period(shares: Mapping[str, int]) -> tuple[str, ...]:
    """Section 2.3: an order of sources in which every prefix holds each share exactly, to less than one sequence.

    `shares` are whole numbers, e.g. percent; the period is their sum over their greatest common divisor. Greedy
    choices by largest remainder can fall a whole sequence behind with five sources; Tijdeman's rule cannot: among
    the sources that may be drawn now without running ahead, take the one that must be drawn soonest.
    """
    shares = {name: share for name, share in shares.items() if share}
    if not shares or min(shares.values()) < 0:
        raise ValueError(f"shares must be positive whole numbers, got {dict(shares)}")
    total = sum(shares.values())
    slack = Fraction(1, max(2 * len(shares) - 2, 2))
    drawn: Counter[str] = Counter()
    order = []
    for position in range(1, total // gcd(*shares.values()) + 1):
        owed = {name: Fraction(share * position, total) - drawn[name] for name, share in shares.items()}
        eligible = [name for name in shares if owed[name] >= slack]
        order.append(min(eligible, key=lambda name: (1 - slack - owed[name]) / shares[name]))
        drawn[order[-1]] += 1
    return tuple(order)


def draw(order: Sequence[str], position: int) -> tuple[str, int]:
    """The source of the sequence at `position` of training, and which of that source's sequences it is."""
    rounds, rest = divmod(position, len(order))
    source = order[rest]
    return source, rounds * order.count(source) + order[:rest].count(source)


def drawn_before(order: Sequence[str], position: int) -> dict[str, int]:
    """How many sequences of each source the first `position` sequences of training hold."""
    rounds, rest = divmod(position, len(order))
    return {name: rounds * order.count(name) + order[:rest].count(name) for name in sorted(set(order))}
