"""Which of many answers are the same: the sets that majority votes count."""

from collections.abc import Sequence

from commons.equivalence import equivalent


def clusters(answers: Sequence[str | None]) -> list[list[int]]:
    """The places of the answers in sets of equivalent ones; sets, and places in a set, in the order of the answers.

    An answer joins the first set whose first member it equals. One that cannot be read is in a set with those of the
    same text; None, an output without an answer, is in no set."""
    found: list[tuple[str, list[int]]] = []
    for place, answer in enumerate(answers):
        if answer is None:
            continue
        for first, places in found:
            if first == answer or equivalent(first, answer):
                places.append(place)
                break
        else:
            found.append((answer, [place]))
    return [places for _, places in found]
