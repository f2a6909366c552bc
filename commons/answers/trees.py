"""Expression trees of answers, and their exact value where it is a rational number of reasonable size.

No text is evaluated by Python or SymPy: `expressions` builds the trees, bounded by the length of the input."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import factorial

LARGEST_BITS = 60_000  # of an exact power or factorial: 1/2004! is one, 5^5^5^5 is not
LARGEST_FACTORIAL = 3_000


@dataclass(frozen=True, slots=True)
class Tree:
    """One node. `op` is number, symbol, constant, + * / ^ neg, function (known), call (unknown), ± or ∓."""

    op: str
    args: tuple["Tree", ...] = ()
    name: str = ""
    value: Fraction = Fraction(0)


def number(value: Fraction | int) -> Tree:
    """The leaf of a rational number."""
    return Tree("number", value=Fraction(value))


def symbol(name: str) -> Tree:
    """The leaf of a variable."""
    return Tree("symbol", name=name)


def plus(*args: Tree) -> Tree:
    """A sum."""
    return Tree("+", args)


def times(*args: Tree) -> Tree:
    """A product."""
    return Tree("*", args)


def over(above: Tree, below: Tree) -> Tree:
    """A quotient."""
    return Tree("/", (above, below))


def power(base: Tree, exponent: Tree) -> Tree:
    """A power."""
    return Tree("^", (base, exponent))


def negative(tree: Tree) -> Tree:
    """The tree with the other sign; a number stays one leaf."""
    return number(-tree.value) if tree.op == "number" else Tree("neg", (tree,))


def minus(one: Tree, other: Tree) -> Tree:
    """A difference."""
    return plus(one, negative(other))


def function(name: str, *args: Tree) -> Tree:
    """A known function of its arguments."""
    return Tree("function", args, name)


def nodes(tree: Tree) -> Iterator[Tree]:
    """The tree and everything below it."""
    yield tree
    for arg in tree.args:
        yield from nodes(arg)


def symbols(tree: Tree) -> frozenset[str]:
    """The names of the variables."""
    return frozenset(node.name for node in nodes(tree) if node.op == "symbol")


@lru_cache(maxsize=1 << 15)
def exact(tree: Tree) -> Fraction | None:
    """The rational value, or None: there is a variable, a root or a constant, it is too large, or it has none."""
    if tree.op == "number":
        return tree.value
    if tree.op == "function":
        return _exact_function(tree)
    if tree.op not in ("+", "*", "/", "^", "neg"):
        return None
    values = [exact(arg) for arg in tree.args]
    known = [value for value in values if value is not None]
    return _combined(tree.op, known) if len(known) == len(values) else None


def _combined(op: str, values: list[Fraction]) -> Fraction | None:
    if op == "neg":
        return -values[0]
    if op == "+":
        return sum(values, Fraction(0))
    if op == "*":
        product = Fraction(1)
        for value in values:
            product *= value
        return product
    if op == "/":
        return values[0] / values[1] if values[1] else None
    return _power(values[0], values[1])


def _power(base: Fraction, exponent: Fraction) -> Fraction | None:
    if base == 0:
        return Fraction(0) if exponent > 0 else None
    if exponent.denominator != 1:
        return _root(base, exponent)
    bits = max(abs(base.numerator), base.denominator).bit_length()
    return base ** int(exponent) if bits * abs(exponent) <= LARGEST_BITS else None


def _root(base: Fraction, exponent: Fraction) -> Fraction | None:
    """9^(1/2) is the rational 3, 2^(1/2) is none."""
    if base < 0 or exponent.denominator > 12 or abs(exponent.numerator) > 100:
        return None
    above, below = (whole_root(part, exponent.denominator) for part in (base.numerator, base.denominator))
    return None if above is None or below is None else _power(Fraction(above, below), Fraction(exponent.numerator))


def whole_root(n: int, degree: int) -> int | None:
    """The integer whose `degree`-th power is n, or None."""
    if n < 2:
        return n
    if n.bit_length() > 900:
        return None
    guess = round(n ** (1 / degree))
    return next((root for root in (guess - 1, guess, guess + 1) if root >= 0 and root**degree == n), None)


def _exact_function(tree: Tree) -> Fraction | None:
    values = [exact(arg) for arg in tree.args]
    if any(value is None for value in values):
        return None
    known = [value for value in values if value is not None]
    first = known[0]
    if tree.name == "sqrt":
        return None if first < 0 else _root(first, Fraction(1, 2))
    if tree.name == "root":
        return None if first < 0 or known[1].denominator != 1 or known[1] <= 0 else _root(first, 1 / known[1])
    if tree.name == "abs":
        return abs(first)
    if tree.name == "floor":
        return Fraction(first // 1)
    if tree.name == "ceil":
        return Fraction(-(-first // 1))
    whole = all(value.denominator == 1 and 0 <= value <= LARGEST_FACTORIAL for value in known)
    if tree.name == "factorial" and whole:
        return Fraction(factorial(int(first)))
    if tree.name == "binom" and whole:
        return _binomial(int(first), int(known[1]))
    return None


def _binomial(n: int, k: int) -> Fraction:
    return Fraction(factorial(n), factorial(k) * factorial(n - k)) if k <= n else Fraction(0)


def with_sign(tree: Tree, sign: int) -> Tree:
    """The tree with each ± read as + (sign 1) or - (sign -1), and each ∓ the other way."""
    if not tree.args:
        return tree
    args = tuple(with_sign(arg, sign) for arg in tree.args)
    if tree.op in ("±", "∓"):
        return plus(args[0], args[1] if (sign > 0) == (tree.op == "±") else negative(args[1]))
    return Tree(tree.op, args, tree.name)


def has_plus_minus(tree: Tree) -> bool:
    """Whether there is a ± or ∓ anywhere."""
    return any(node.op in ("±", "∓") for node in nodes(tree))
