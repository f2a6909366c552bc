"""Are two typed values the same? Exact numbers first, then identity at random points; a tolerance for decimals only."""

from collections.abc import Sequence as Many
from dataclasses import dataclass, replace
from fractions import Fraction

from commons.answers.matrices import matrix_of
from commons.answers.numeric import DIGITS, context, fraction_of, identical, real_value
from commons.answers.relations import interval_of, same_relation, solved, solved_items
from commons.answers.symbolic import Symbolic
from commons.answers.tokens import Unread
from commons.answers.trees import exact, number, over, symbol, symbols, times
from commons.answers.units import same_unit
from commons.answers.values import (
    Based,
    Choice,
    Clock,
    Compound,
    Matrix,
    Ratio,
    Relation,
    Scalar,
    Sequence,
    Text,
    Union,
    Value,
)  # fmt: skip

FLOAT_DIGITS = 15  # a decimal of so many digits is a printed float
FLOAT_ERROR = Fraction(1, 10**12)
MOST_ITEMS = 60


@dataclass(frozen=True, slots=True)
class Rules:
    """What the question allows.

    `decimal_digits`: significant digits from which on a decimal that rounds an exact gold is accepted for it.
    `gold_digits`: significant digits from which on a decimal gold accepts what rounds to it.
    `percent`: the question asks for a percentage, so 50% is also given by 50, whichever side has the sign.
    `symbolic`: the worker for what points cannot decide; without one that is undecided, and not the same."""

    decimal_digits: int = 6
    gold_digits: int = 3
    percent: bool = False
    symbolic: Symbolic | None = None


STRICT = Rules()


def matches(given: Value, gold: Value, rules: Rules = STRICT) -> bool:
    """Whether a given value is the gold one. Only the tolerance of decimals knows which is which."""
    given, gold = _comparable(given), _comparable(gold)
    if isinstance(given, Scalar) and isinstance(gold, Scalar):
        return _scalars(given, gold, rules)
    if isinstance(given, Relation) or isinstance(gold, Relation):
        return _with_relation(given, gold, rules)
    if isinstance(given, Union) and isinstance(gold, Union):
        return _cover(given.parts, gold.parts, rules)
    if isinstance(given, Sequence) and isinstance(gold, Sequence):
        return _sequences(given, gold, rules)
    if isinstance(given, Matrix) or isinstance(gold, Matrix):
        return _matrices(given, gold, rules)
    if isinstance(given, Union) or isinstance(gold, Union):
        return _unions(given, gold, rules)
    return _small_kinds(given, gold, rules)


def _small_kinds(given: Value, gold: Value, rules: Rules) -> bool:
    if isinstance(given, Choice) and isinstance(gold, Choice):
        return _choices(given.letters, gold.letters)
    if isinstance(given, Text) and isinstance(gold, Text):
        return _bare_words(given.words) == _bare_words(gold.words)
    if isinstance(given, Clock) and isinstance(gold, Clock):
        return given.minutes == gold.minutes and (given.half == gold.half or not given.half or not gold.half)
    if isinstance(given, Compound) and isinstance(gold, Compound):
        return _cover(given.parts, gold.parts, rules)
    for one, other in ((given, gold), (gold, given)):
        if isinstance(one, Based):
            return _based(one, other)
        if isinstance(one, Ratio | Clock):
            return _ratio(one, other, rules)
    return False


def equivalent_values(one: Value, other: Value, rules: Rules = STRICT) -> bool:
    """Whether two values are the same whichever of them is the gold one: symmetric."""
    return matches(one, other, rules) and matches(other, one, rules)


def _comparable(value: Value) -> Value:
    """A list or set of one is its item, and x = 5 stays a relation until it meets a value."""
    if isinstance(value, Sequence) and value.brackets in ("", "{}") and len(value.items) == 1:
        return _comparable(value.items[0])
    return value


def _scalars(given: Scalar, gold: Scalar, rules: Rules) -> bool:
    if len(given.unit) == 1 or len(gold.unit) == 1:
        given, gold = _letter_unit_as_factor(given, gold), _letter_unit_as_factor(gold, given)
    if not same_unit(given.unit, gold.unit):
        return False
    if _same_numbers(given, gold, rules):
        return True
    if gold.percent and not given.percent:
        return rules.percent and _same_numbers(given, _hundredfold(gold), rules)
    if given.percent and not gold.percent:
        return rules.percent and _same_numbers(_hundredfold(given), gold, rules)
    return False


def _letter_unit_as_factor(one: Scalar, other: Scalar) -> Scalar:
    """4 t is 4 tons, but 4 times t beside an answer with variables."""
    if len(one.unit) == 1 and one.unit.isascii() and one.unit.isalpha() and symbols(other.tree):
        return Scalar(times(one.tree, symbol(one.unit)))
    return one


def _hundredfold(one: Scalar) -> Scalar:
    value = exact(one.tree)
    tree = times(one.tree, number(100)) if value is None else number(value * 100)
    return replace(one, tree=tree, percent=False, ulp=one.ulp * 100)


def _same_numbers(given: Scalar, gold: Scalar, rules: Rules) -> bool:
    first, second = exact(given.tree), exact(gold.tree)
    if first is not None and first == second:
        return True
    if given.ulp or gold.ulp:
        return _close(given, gold, rules)
    if first is not None and second is not None:
        return False
    found = identical(given.tree, gold.tree)
    if found is None:
        return given.tree == gold.tree or (rules.symbolic is not None and rules.symbolic.equal(given.tree, gold.tree))
    return found


def _close(given: Scalar, gold: Scalar, rules: Rules) -> bool:
    """A decimal gold accepts what rounds to it, an exact gold a decimal long enough that rounds it."""
    first, second = real_value(given.tree), real_value(gold.tree)
    if first is None or second is None:
        return False
    distance, ctx = abs(first - second), context(DIGITS)
    if max(given.digits, gold.digits) >= FLOAT_DIGITS and distance <= fraction_of(FLOAT_ERROR, ctx) * abs(second):
        return True
    if gold.ulp:
        less_precise = given.ulp > gold.ulp
        return not less_precise and gold.digits >= rules.gold_digits and _rounds(distance, gold.ulp)
    return given.digits >= rules.decimal_digits and _rounds(distance, given.ulp)


def _rounds(distance: object, ulp: Fraction) -> bool:
    ctx = context(DIGITS)
    return bool(distance <= fraction_of(ulp, ctx) / 2 * (1 + ctx.mpf(10) ** -12))


def _with_relation(given: Value, gold: Value, rules: Rules) -> bool:
    first, second = _named(given), _named(gold)
    if isinstance(given, Relation) and isinstance(gold, Relation):
        if first is not None and second is not None and first[0] == second[0] and matches(first[1], second[1], rules):
            return True
        return same_relation(given, gold)
    one, other = given if first is None else first[1], gold if second is None else second[1]
    if isinstance(one, Relation) or isinstance(other, Relation):
        return False
    return matches(one, other, rules)


def _named(value: Value) -> tuple[str, Value] | None:
    """(unknown, what a relation says of it): x = 5 says 5, -2 < x < 3 and x \\in (-2,3) say (-2,3)."""
    if not isinstance(value, Relation):
        return None
    return solved(value) or interval_of(value)


def _resolved(value: Value) -> Value:
    found = _named(value)
    return value if found is None else found[1]


def _sequences(given: Sequence, gold: Sequence, rules: Rules) -> bool:
    given, gold = _as_values(given, gold), _as_values(gold, given)
    loose = ("", "{}")
    if given.brackets in loose and gold.brackets in loose:
        return _cover(given.items, gold.items, rules)
    return (
        given.brackets == gold.brackets
        and len(given.items) == len(gold.items)
        and all(matches(one, other, rules) for one, other in zip(given.items, gold.items, strict=True))
    )


def _as_values(one: Sequence, other: Sequence) -> Sequence:
    """x = 1, y = 2 as 1, 2 where the other list names no variables."""
    if any(isinstance(item, Relation) for item in other.items):
        return one
    return solved_items(one)


def _cover(given: Many[Value], gold: Many[Value], rules: Rules) -> bool:
    """Whether each item of one is an item of the other, in any order: a list of guesses covers no gold."""
    given, gold = _distinct(given, rules), _distinct(gold, rules)
    if len(given) != len(gold) or len(given) > MOST_ITEMS:
        return False
    left = list(gold)
    for item in given:
        place = next((place for place, other in enumerate(left) if matches(item, other, rules)), None)
        if place is None:
            return False
        del left[place]
    return True


def _distinct(items: Many[Value], rules: Rules) -> list[Value]:
    kept: list[Value] = []
    for item in items[: MOST_ITEMS + 1]:
        if item not in kept:
            kept.append(item)
    return kept


def _matrices(given: Value, gold: Value, rules: Rules) -> bool:
    try:
        first, second = (value if isinstance(value, Matrix) else matrix_of(_nested(value)) for value in (given, gold))
    except Unread:
        return False
    if [len(row) for row in first.rows] != [len(row) for row in second.rows]:
        return False
    pairs = zip(first.rows, second.rows, strict=True)
    return all(_scalars(a, b, rules) for one, other in pairs for a, b in zip(one, other, strict=True))


def _nested(value: Value) -> Value | None:
    """Lists of lists stand for a matrix, a flat list or tuple does not."""
    nested = isinstance(value, Sequence) and all(isinstance(item, Sequence) for item in value.items)
    return value if nested else None


def _unions(given: Value, gold: Value, rules: Rules) -> bool:
    """x < 1 or x > 2 is a union of intervals that is written as a list."""
    union, other = (given, gold) if isinstance(given, Union) else (gold, given)
    if not isinstance(union, Union) or not isinstance(other, Sequence) or other.brackets:
        return False
    return _cover([_resolved(item) for item in other.items], union.parts, rules)


def _choices(given: Many[str], gold: Many[str]) -> bool:
    """Options count as a set when one side lists them in alphabetical order; else the order is the answer."""
    if sorted(given) != sorted(gold):
        return False
    return given == gold or list(given) == sorted(given) or list(gold) == sorted(gold)


def _bare_words(words: str) -> str:
    kept = [word.strip("(),.:;'") for word in words.replace("-", " ").split() if word not in ("the", "a", "an")]
    return " ".join(word for word in kept if word)


def _based(one: Based, other: Value) -> bool:
    """Digits with a base are the same in the same base; bare digits are those of the base that the gold names."""
    if isinstance(other, Based):
        if one.base == other.base:
            return one.digits == other.digits
        try:
            return int(one.digits, one.base) == int(other.digits, other.base)
        except ValueError:
            return False
    return isinstance(other, Scalar) and other.tree.op == "number" and str(other.tree.value) == one.digits


def _ratio(one: Ratio | Clock, other: Value, rules: Rules) -> bool:
    """Ratios are proportional, and 2:3 is 2/3; a time without am or pm may be a ratio, one with it is not."""
    first, second = _as_ratio(one), _as_ratio(_resolved(other))
    if not isinstance(first, Ratio):
        return False
    if isinstance(second, Scalar) and len(first.parts) == 2:
        return _scalars(_quotient(*first.parts), second, rules)
    if not isinstance(second, Ratio) or len(first.parts) != len(second.parts):
        return False
    pairs = zip(first.parts[1:], second.parts[1:], strict=True)
    return all(_scalars(_quotient(first.parts[0], a), _quotient(second.parts[0], b), rules) for a, b in pairs)


def _as_ratio(value: Value) -> Value:
    if isinstance(value, Clock) and not value.half:
        return Ratio((Scalar(number(value.minutes // 60)), Scalar(number(value.minutes % 60))))
    return value


def _quotient(above: Scalar, below: Scalar) -> Scalar:
    tree = over(above.tree, below.tree)
    value = exact(tree)
    return Scalar(tree if value is None else number(value))
