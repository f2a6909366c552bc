"""Number tokens and named functions as trees, in the few names that `numeric` evaluates."""

from fractions import Fraction

from commons.answers.tokens import CONSTANTS, Unread
from commons.answers.trees import Tree, function, number, over, plus, power, times

LARGEST_EXPONENT = 400  # of ten in 3e8


def literal(token: str) -> Tree:
    """The exact value of a number token."""
    digits, _, exponent = token.lower().partition("e")
    whole, _, decimals = digits.partition(".")
    if len(digits) > 400 or abs(int(exponent or 0)) > LARGEST_EXPONENT:
        raise Unread("a number with too many digits")
    value = Fraction(int(whole + decimals or "0"), 10 ** len(decimals))
    return number(value * Fraction(10) ** int(exponent or 0))


def applied(name: str, args: list[Tree], base: Tree | None) -> Tree:
    """A known function of its arguments, in the few names that `numeric` evaluates."""
    first, second = args[0], args[1] if len(args) > 1 else None
    if len(args) > 2 and name not in ("max", "min", "product", "total"):
        raise Unread(f"too many arguments of {name}")
    if name in ("product", "total"):
        return times(*args) if name == "product" else plus(*args)
    if name in ("quotient", "pow", "frac") and (second is not None or name == "quotient"):
        return first if second is None else power(first, second) if name == "pow" else over(first, second)
    if name in ("max", "min", "binom", "root") and (second is not None or name not in ("binom", "root")):
        return function(name, *args)
    if name == "log":
        base = base or second
        return function("ln", first) if base is None else function("log", first, base)
    if second is not None or name in ("binom", "root", "pow", "frac"):
        raise Unread(f"arguments of {name}")
    if name in ("lg", "log2"):
        return function("log", first, number(10 if name == "lg" else 2))
    if name == "cbrt":
        return function("root", first, number(3))
    if name == "cis":
        return plus(function("cos", first), times(CONSTANTS["i"], function("sin", first)))
    return first if name == "identity" else function(name, first)
