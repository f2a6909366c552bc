"""The typed values that answers are read as."""

from dataclasses import dataclass
from fractions import Fraction

from commons.answers.trees import Tree


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number or an expression.

    `ulp` is the worth of the last printed digit of a decimal and `digits` counts its significant ones; both are 0 for
    what is exact. A percent sign is worked in: 50% is 1/2."""

    tree: Tree
    percent: bool = False
    unit: str = ""
    ulp: Fraction = Fraction(0)
    digits: int = 0


@dataclass(frozen=True, slots=True)
class Sequence:
    """Several values. `brackets` is "" for a bare list and "{}" for a set, where order does not count; () [] [) (]."""

    brackets: str
    items: tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Union:
    """A union of sets."""

    parts: tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of expressions."""

    rows: tuple[tuple[Scalar, ...], ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """A chain of sides with the signs between them, one fewer: = < > ≤ ≥ ≠ ≈ ∈."""

    sides: tuple["Value", ...]
    signs: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ratio:
    """a:b or a:b:c."""

    parts: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in minutes; `half` is "am", "pm" or ""."""

    minutes: int
    half: str = ""


@dataclass(frozen=True, slots=True)
class Based:
    """Digits in a base that is named: 2516_8."""

    digits: str
    base: int


@dataclass(frozen=True, slots=True)
class Choice:
    """Options of a multiple-choice question, in the order in which they were written."""

    letters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Compound:
    """Quantities in several units that are one: 5千克300克."""

    parts: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """Words, in lower case and with single spaces."""

    words: str


Value = Scalar | Sequence | Union | Matrix | Relation | Ratio | Clock | Based | Choice | Compound | Text
