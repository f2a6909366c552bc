"""What the rounds of section 2.1 leave behind: rows for the artifact, and the state that a killed run goes on from."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from commons.files import write_json
from corpus.domains import Tally
from corpus.patterns import Pattern

STATE = "state.json"


@dataclass(frozen=True, slots=True)
class Joined:
    """Why a page that the user did not name is a seed page."""

    pattern: str
    domain: str
    round: int

    def text(self) -> str:
        """As it stands in the column `provenance`."""
        return f"pattern {self.pattern} of domain {self.domain} in round {self.round}"


@dataclass(frozen=True, slots=True)
class Round:
    """One row of rounds.json. `precision` and `recall` are those of held-out pages at the cut (corpus/heldout.py)."""

    round: int
    positives: int
    negatives: int
    negatives_from: str
    held_out_positives: int
    held_out_negatives: int
    learning_rate: float
    nan_attempts: int
    lowest_score: float | None
    highest_score: float | None
    budget_tokens: int
    cutoff_score: float | None
    pages: int
    tokens: int
    languages: Mapping[str, int]
    precision: float | None
    recall: float | None
    already_collected: float
    maths_domains: int
    accepted_patterns: int
    new_seed_pages: int


@dataclass(frozen=True, slots=True)
class State:
    """Everything that the next round needs, beside the pages that were collected (`round-n/collected`).

    `domains` are the hosts of the seed and all that any round found mathematical: what is there is no example of other
    text. `joined` are the seed pages that patterns let in, by id. Rows of the curve and of the budgets carry a round.
    The held-out ids are those of the last round.
    """

    rounds: tuple[Round, ...] = ()
    domains: frozenset[str] = frozenset()
    joined: Mapping[str, Joined] = field(default_factory=dict)
    patterns: tuple[Pattern, ...] = ()
    tallies: tuple[Tally, ...] = ()
    curve: tuple[dict[str, Any], ...] = ()
    budgets: tuple[dict[str, Any], ...] = ()
    held_out_maths: tuple[str, ...] = ()
    held_out_other: tuple[str, ...] = ()


def save_state(folder: Path, state: State) -> None:
    """Writes the state of a round; it is written after everything else that the round leaves."""
    write_json(folder / STATE, {**asdict(state), "domains": sorted(state.domains)})


def read_state(folder: Path) -> State | None:
    """The state that a finished round left in its folder; None when it was not finished."""
    path = folder / STATE
    if not path.exists():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    return State(
        tuple(Round(**one) for one in found["rounds"]),
        frozenset(found["domains"]),
        {name: Joined(**one) for name, one in found["joined"].items()},
        tuple(_pattern(one) for one in found["patterns"]),
        tuple(Tally(**one) for one in found["tallies"]),
        tuple(found["curve"]),
        tuple(found["budgets"]),
        tuple(found["held_out_maths"]),
        tuple(found["held_out_other"]),
    )


def _pattern(row: Mapping[str, Any]) -> Pattern:
    samples = {name: tuple(row[name]) for name in ("collected_samples", "other_samples")}
    return Pattern(**{**row, **samples})
