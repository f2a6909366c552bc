"""What a grader says about one output: a verdict with its reason, never a bare zero."""

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """The first that applies, from the top; all but the last count as not correct and are reported apart."""

    UNGRADABLE_GOLD = "ungradable gold"
    GRADER_ERROR = "grader error"
    TIMED_OUT = "timed out"
    NO_ANSWER = "no answer"
    UNPARSED = "unparsed answer"
    WRONG = "wrong"
    CORRECT = "correct"


@dataclass(frozen=True, slots=True)
class Grade:
    """One verdict, why it was given, and the answer text that it was given for (None: the output holds none)."""

    verdict: Verdict
    reason: str
    answer: str | None

    @property
    def correct(self) -> bool:
        """Whether the output counts as correct."""
        return self.verdict is Verdict.CORRECT
