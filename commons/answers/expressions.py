"""Tokens -> expression tree: LaTeX, Python and SymPy spellings in one grammar. All tokens are used or none."""

from fractions import Fraction

from commons.answers.literals import applied, literal
from commons.answers.tokens import CALLED, CONSTANTS, FUNCTIONS, GREEK, PROGRAM_CONSTANTS, Unread, tokens
from commons.answers.trees import Tree, function, minus, negative, number, over, plus, power, symbol, times

DEEPEST = 40
CLOSERS = {"(": ")", "[": "]", "{": "}", "⌊": "⌋", "⌈": "⌉"}
STARTERS = frozenset("([{⌊⌈∞")


def expression(text: str, *, program: bool = False) -> Tree:
    """The tree of a whole text in plain notation. Raises Unread.

    `program`: the text was printed by a program, so I and E are SymPy's constants."""
    at = Cursor(tokens(text), program)
    tree = _sum(at)
    if at.position != len(at.tokens):
        raise Unread(f"not read from: {at.peek()}")
    return tree


class Cursor:
    """A place in the tokens of one text; the functions below read on from it, one for each level of precedence."""

    def __init__(self, found: list[str], program: bool) -> None:
        self.tokens, self.program = found, program
        self.position = self.depth = self.bars = 0

    def peek(self, ahead: int = 0) -> str:
        """The next token, "" at the end."""
        place = self.position + ahead
        return self.tokens[place] if place < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        """The next token, which must be `wanted` where that is given."""
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise Unread(f"{wanted or 'more'} expected at: {token or 'the end'}")
        self.position += 1
        return token


def _sum(at: Cursor) -> Tree:
    """Terms between + and -."""
    at.depth += 1
    if at.depth > DEEPEST:
        raise Unread("nested too deep")
    tree = Tree(at.take(), (number(0), _product(at))) if at.peek() in ("±", "∓") else _product(at)
    while at.peek() in ("+", "-", "±", "∓"):
        sign = at.take()
        right = _product(at)
        if sign in ("±", "∓"):
            tree = Tree(sign, (tree, right))
        else:
            tree = plus(tree, right) if sign == "+" else minus(tree, right)
    at.depth -= 1
    return tree


def _product(at: Cursor) -> Tree:
    """Factors between *, / or nothing."""
    sign = 1
    if at.peek() in ("-", "+"):
        sign = -1 if at.take() == "-" else 1
    tree = _factor(at)
    while True:
        token = at.peek()
        if token == "*":
            at.take()
            tree = times(tree, _signed_factor(at))
        elif token in ("/", "→"):
            at.take("/")
            tree = over(tree, _denominator(at))
        elif _starts_factor(at, token):
            tree = times(tree, _factor(at))
        else:
            return negative(tree) if sign < 0 else tree


def _signed_factor(at: Cursor) -> Tree:
    """A factor behind an operator, which may carry its own sign."""
    if at.peek() in ("-", "+"):
        return negative(_signed_factor(at)) if at.take() == "-" else _signed_factor(at)
    return _factor(at)


def _denominator(at: Cursor) -> Tree:
    """What stands below a slash: t/RC is t/(RC), but 1/2x is x/2."""
    tree = _signed_factor(at)
    while tree.op in ("symbol", "*") and len(at.peek()) == 1 and at.peek().isalpha() and not at.program:
        tree = times(tree, _factor(at))
    return tree


def _starts_factor(at: Cursor, token: str) -> bool:
    """Whether a token may follow a factor as the next one, multiplied."""
    if not token or token[0].isdigit() or token[0] == ".":
        return False
    return (
        token[0] in STARTERS
        or token[0] == "\\"
        or (token.isascii() and token.isalpha())
        or (token == "|" and at.bars == 0)
    )


def _factor(at: Cursor) -> Tree:
    """An atom with what follows it: powers, factorials, primes, a degree sign."""
    tree = _atom(at)
    while True:
        token = at.peek()
        if token == "^":
            at.take()
            tree = power(tree, _exponent(at))
        elif token == "!":
            at.take()
            tree = function("factorial", tree)
        elif token == "%":
            at.take()
            tree = over(tree, number(100))
        elif token == "°":
            at.take()
            tree = over(times(tree, CONSTANTS["pi"]), number(180))
        else:
            return tree


def _exponent(at: Cursor) -> Tree:
    """What stands behind ^: a group, or one atom with its sign; towers bind to the right."""
    if at.peek() in ("-", "+"):
        return negative(_exponent(at)) if at.take() == "-" else _exponent(at)
    tree = _atom(at)
    if at.peek() == "^":
        at.take()
        return power(tree, _exponent(at))
    if at.peek() == "!":
        at.take()
        return function("factorial", tree)
    return tree


def _atom(at: Cursor) -> Tree:
    """A number, name, function with its arguments, root, fraction, group or absolute value."""
    token = at.take()
    if token[0].isdigit() or token[0] == ".":
        return _mixed(at, literal(token))
    if token in CLOSERS:
        return _group(at, token)
    if token == "|":
        at.bars += 1
        inner = _sum(at)
        at.bars -= 1
        at.take("|")
        return function("abs", inner)
    name = token.lstrip("\\")
    if at.program and name in PROGRAM_CONSTANTS:
        return PROGRAM_CONSTANTS[name]
    if name in ("frac", "binom") and token[0] == "\\":
        above, below = _argument(at), _argument(at)
        return over(above, below) if name == "frac" else function("binom", above, below)
    if name == "sqrt":
        return _root(at)
    if name in FUNCTIONS:
        return _known_function(at, FUNCTIONS[name])
    if token in CONSTANTS or name in CONSTANTS:
        return CONSTANTS[token if token in CONSTANTS else name]
    return _named(at, token)


def _mixed(at: Cursor, tree: Tree) -> Tree:
    """A whole number right before a fraction below one is a mixed number: 1 1/2 and 1\\frac12."""
    if tree.value.denominator != 1 or at.tokens[at.position - 1] != str(tree.value):
        return tree
    below = at.peek(2)
    if at.peek().isdigit() and at.peek(1) == "/" and below.isdigit():
        part = Fraction(int(at.peek()), int(below) or 1)
        if not 0 < part < 1:
            raise Unread("two numbers side by side")
        at.position += 3
        return number(tree.value + part)
    if at.peek() == "\\frac":
        start = at.position
        at.take()
        above, below_tree = _argument(at), _argument(at)
        if above.op == below_tree.op == "number" and 0 < above.value < below_tree.value:
            return number(tree.value + above.value / below_tree.value)
        at.position = start
    return tree


def _group(at: Cursor, opener: str) -> Tree:
    """What stands between an opener that was taken and its closer."""
    if opener == "{" and at.peek() == "}":
        raise Unread("an empty group")
    bars, at.bars = at.bars, 0
    tree = _sum(at)
    at.bars = bars
    at.take(CLOSERS[opener])
    return function({"⌊": "floor", "⌈": "ceil"}[opener], tree) if opener in "⌊⌈" else tree


def _argument(at: Cursor) -> Tree:
    """One argument of a LaTeX macro: a group, or one digit, letter or macro: \\frac12 is a half."""
    token = at.peek()
    if token.isdigit() and len(token) > 1:
        at.tokens[at.position : at.position + 1] = [token[0], token[1:]]
    if at.peek().isdigit():
        return number(int(at.take()))
    return _atom(at)


def _root(at: Cursor) -> Tree:
    """A root behind its \\sqrt or sqrt."""
    if at.peek() != "[":
        return function("sqrt", _argument(at))
    at.take()
    degree = _group(at, "[")
    return function("root", _argument(at), degree)


def _known_function(at: Cursor, name: str) -> Tree:
    """A function behind its name: base or power first (log_2, sin^2), then its arguments."""
    base = exponent = None
    while at.peek() in ("_", "^"):
        if at.take() == "_":
            base = _argument(at)
        else:
            exponent = _exponent(at)
    args = _arguments(at, at.take()) if at.peek() in ("(", "{", "[") else [_bare_argument(at)]
    if exponent is not None and exponent == number(-1) and name in ("sin", "cos", "tan", "cot", "sec", "csc"):
        return applied(f"a{name}", args, base)
    tree = applied(name, args, base)
    return tree if exponent is None else power(tree, exponent)


def _arguments(at: Cursor, opener: str) -> list[Tree]:
    """The arguments up to the closer."""
    found = [_sum(at)]
    while at.peek() == ",":
        at.take()
        found.append(_sum(at))
    at.take(CLOSERS[opener])
    return found


def _bare_argument(at: Cursor) -> Tree:
    """The argument of a function without brackets: the factors up to the next sign or function."""
    tree = _signed_factor(at)
    while _starts_factor(at, at.peek()) and at.peek().lstrip("\\") not in FUNCTIONS.keys() - {"frac", "sqrt"}:
        if at.peek() in ("(", "["):
            break
        tree = times(tree, _factor(at))
    if at.peek() == "/" and at.peek(1).isdigit():  # \sin \pi/3
        at.take()
        tree = over(tree, _factor(at))
    return tree


def _named(at: Cursor, token: str) -> Tree:
    """A variable with its subscript and primes, or a function of which only the name is known."""
    if not ((token.isascii() and token.isalpha()) or (token[0] == "\\" and token[1:] in GREEK)):
        raise Unread(f"not read from: {token}")
    name = token
    while at.peek() in ("_", "'"):
        name += at.take()
        if name[-1] == "_":
            name += _subscript(at)
    called = at.peek() == "(" and (
        name.rstrip("'") in CALLED or (at.peek(1).isdigit() and at.peek(2) == ")" and len(at.tokens) > 4)
    )
    if called:
        at.take()
        return Tree("call", tuple(_arguments(at, "(")), name)
    return symbol(name)


def _subscript(at: Cursor) -> str:
    """The text of a subscript."""
    if at.peek() != "{":
        return at.take().strip('"')
    parts: list[str] = []
    depth = 0
    while True:
        token = at.take()
        depth += (token == "{") - (token == "}")
        if depth == 0:
            return "".join(parts)
        parts.append(token.strip('"') if token != "{" else "")
