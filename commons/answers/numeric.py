"""Are two expressions the same function? Both are evaluated at the same random points with 30 digits and compared.

Points depend on the names of the variables alone, so a verdict never changes between runs. What grows beyond all
bounds is not computed but undecided (None)."""

import threading
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import Any

from mpmath import MPContext
from mpmath.libmp import NoConvergence

from commons.answers.trees import Tree, exact, symbols

DIGITS, MORE_DIGITS = 30, 110
LARGEST_EXPONENT = 5_000  # natural logarithm of the largest power that is computed
POSITIVE_POINTS, ALL_POINTS = 3, 5  # the others mix signs: |x| is not x
CONTEXTS = threading.local()

FUNCTIONS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "cot": "cot", "sec": "sec", "csc": "csc",
    "asin": "asin", "acos": "acos", "atan": "atan", "acot": "acot", "asec": "asec", "acsc": "acsc",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh",
    "exp": "exp", "ln": "ln", "sqrt": "sqrt", "abs": "fabs", "floor": "floor", "ceil": "ceil", "re": "re", "im": "im",
    "binom": "binomial", "conj": "conj", "sign": "sign", "arg": "arg",
}  # fmt: skip


class TooLarge(ArithmeticError):
    """The value cannot be computed within bounds."""


def context(digits: int) -> Any:
    """This thread's context of mpmath with this many digits: the module's own one is shared by all threads."""
    if not hasattr(CONTEXTS, "by_digits"):
        CONTEXTS.by_digits = {}
    if digits not in CONTEXTS.by_digits:
        made = MPContext()
        made.dps = digits
        CONTEXTS.by_digits[digits] = made
    return CONTEXTS.by_digits[digits]


@lru_cache(maxsize=1 << 14)
def identical(one: Tree, other: Tree) -> bool | None:
    """Whether both are the same at all points where both have a value; None: no point could be computed."""
    first, second = exact(one), exact(other)
    if first is not None and second is not None:
        return first == second
    names = sorted(symbols(one) | symbols(other))
    seen = 0
    for index in range(ALL_POINTS if names else 1):
        close = _same_at(one, other, names, index)
        if close is False:
            return False
        seen += close is True
    return seen >= (2 if names else 1) or None


def _same_at(one: Tree, other: Tree, names: list[str], index: int) -> bool | None:
    try:
        first, second = (value_at(tree, names, index, DIGITS) for tree in (one, other))
        if index >= POSITIVE_POINTS and (_complex(first) or _complex(second)):
            return None  # off the usual domain: ln(x^2) and 2 ln x part there
        if close_to(first, second, DIGITS):
            return True
        if max(abs(first), abs(second)) > 10.0 ** (-DIGITS // 2):
            return False
        first, second = (value_at(tree, names, index, MORE_DIGITS) for tree in (one, other))
        return close_to(first, second, MORE_DIGITS) or bool(max(abs(first), abs(second)) < 10.0**-60)
    except (ArithmeticError, ValueError, NoConvergence, TypeError):
        return None


def _complex(value: Any) -> bool:
    return abs(getattr(value, "imag", 0)) > 10.0 ** (-DIGITS // 2) * max(1, abs(value))


def close_to(one: Any, other: Any, digits: int) -> bool:
    """Whether two values differ by no more than rounding at this many digits."""
    return bool(abs(one - other) <= context(digits).mpf(10) ** (8 - digits) * max(abs(one), abs(other)))


def proportional(one: Tree, other: Tree) -> tuple[bool, int]:
    """Whether one is a constant multiple of the other, and the sign of that constant (0: complex or unknown).

    Two equations are the same when their differences of sides are; for inequalities the constant must be positive."""
    names = sorted(symbols(one) | symbols(other))
    ratios = []
    for index in range(ALL_POINTS):
        try:
            first, second = (value_at(tree, names, index, DIGITS) for tree in (one, other))
            if max(abs(first), abs(second)) > 10.0 ** (-DIGITS // 2):
                ratios.append(first / second)
        except (ArithmeticError, ValueError, NoConvergence, TypeError):
            continue
    if len(ratios) < 2 or not all(close_to(ratio, ratios[0], DIGITS - 4) for ratio in ratios):
        return False, 0
    return True, 0 if _complex(ratios[0]) else (1 if ratios[0].real > 0 else -1)


@lru_cache(maxsize=1 << 12)
def real_value(tree: Tree) -> Any | None:
    """The real value of a tree without variables as an mpf, or None."""
    value = exact(tree)
    if value is not None:
        return context(DIGITS).mpf(value.numerator) / value.denominator
    if symbols(tree):
        return None
    try:
        found = value_at(tree, [], 0, DIGITS)
    except (ArithmeticError, ValueError, NoConvergence, TypeError):
        return None
    return None if _complex(found) or not context(DIGITS).isfinite(found) else found.real


def value_at(tree: Tree, names: list[str], index: int, digits: int) -> Any:
    """The value of a tree at the point with this index."""
    ctx = context(digits)
    found = _value(tree, {name: _coordinate(name, index, ctx) for name in names}, ctx)
    if not ctx.isfinite(found):
        raise TooLarge
    return found


def _coordinate(name: str, index: int, ctx: Any) -> Any:
    bits = int.from_bytes(sha256(f"{name}\0{index}".encode()).digest()[:16], "big")
    size = ctx.mpf(bits) / 2**128 * 2 + ctx.mpf(1) / 3
    return -size if index >= POSITIVE_POINTS and bits % 2 else size


def _value(tree: Tree, point: Mapping[str, Any], ctx: Any) -> Any:
    if tree.op == "number":
        return ctx.mpf(tree.value.numerator) / tree.value.denominator
    if tree.op == "symbol":
        return point[tree.name]
    if tree.op == "constant":
        if tree.name == "oo":
            raise TooLarge
        return {"pi": +ctx.pi, "e": +ctx.e, "i": ctx.mpc(0, 1)}[tree.name]
    args = [_value(arg, point, ctx) for arg in tree.args]
    if tree.op == "function":
        return _function(tree.name, args, ctx)
    if tree.op == "call":
        return _unknown(tree.name, args, ctx)
    return _operation(tree.op, args, ctx)


def _operation(op: str, args: list[Any], ctx: Any) -> Any:
    if op == "+":
        return sum(args[1:], args[0])
    if op == "*":
        product = args[0]
        for arg in args[1:]:
            product = product * arg
        return product
    if op == "/":
        return args[0] / args[1]
    if op == "neg":
        return -args[0]
    if op == "^":
        return _bounded_power(args[0], args[1], ctx)
    raise TooLarge


def _bounded_power(base: Any, exponent: Any, ctx: Any) -> Any:
    if base == 0:
        return ctx.mpf(0) if exponent.real > 0 else ctx.mpf(1) / 0
    if abs(exponent) * (abs(ctx.ln(abs(base))) + 4 * bool(_complex(exponent))) > LARGEST_EXPONENT:
        raise TooLarge
    return base**exponent


def _function(name: str, args: list[Any], ctx: Any) -> Any:
    if name == "exp":
        return _bounded_power(+ctx.e, args[0], ctx)
    if any(abs(arg) > 10.0**9 for arg in args) and name not in ("abs", "sqrt", "root", "ln", "log", "sign"):
        raise TooLarge
    if name == "log":
        return ctx.ln(args[0]) / ctx.ln(args[1])
    if name == "root":
        odd = ctx.isint(args[1]) and int(args[1].real) % 2 == 1 and not _complex(args[0]) and args[0].real < 0
        return -((-args[0]) ** (1 / args[1])) if odd else args[0] ** (1 / args[1])
    if name == "factorial":
        if abs(args[0]) > 1000:
            raise TooLarge
        return ctx.gamma(args[0] + 1)
    if name in ("max", "min"):
        return (max if name == "max" else min)(args)
    return getattr(ctx, FUNCTIONS[name])(*args)


def _unknown(name: str, args: list[Any], ctx: Any) -> Any:
    """A function of which only the name is known, such as f or u: some smooth one that depends on its name."""
    total = _coordinate(name, 0, ctx)
    for place, arg in enumerate(args, start=1):
        total += _coordinate(name, place, ctx) * arg + _coordinate(name, place + 9, ctx) * arg * arg
    return total


def fraction_of(value: Fraction, ctx: Any) -> Any:
    """A rational number as an mpf."""
    return ctx.mpf(value.numerator) / value.denominator
