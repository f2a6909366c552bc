"""Tokens -> expression tree: LaTeX, Python and SymPy spellings in one grammar. All tokens are used or none."""

from fractions import Fraction

from commons.answers.tokens import CALLED, CONSTANTS, FUNCTIONS, GREEK, PROGRAM_CONSTANTS, Unread, tokens
from commons.answers.trees import Tree, function, minus, negative, number, over, plus, power, symbol, times

DEEPEST = 40
CLOSERS = {"(": ")", "[": "]", "{": "}", "⌊": "⌋", "⌈": "⌉"}
STARTERS = frozenset("([{⌊⌈∞")
LARGEST_EXPONENT = 400  # of ten in 3e8
HALF = Fraction(1, 2)


def expression(text: str, *, program: bool = False) -> Tree:
    """The tree of a whole text in plain notation. Raises Unread.

    `program`: the text was printed by a program, so I and E are SymPy's constants."""
    reader = Reader(tokens(text), program)
    tree = reader.sum()
    if reader.position != len(reader.tokens):
        raise Unread(f"not read from: {reader.peek()}")
    return tree


class Reader:
    """One pass over the tokens, by recursive descent; the methods are the levels of precedence."""

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

    def sum(self) -> Tree:
        """Terms between + and -."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise Unread("nested too deep")
        if self.peek() in ("±", "∓"):
            tree = Tree(self.take(), (number(0), self.product()))
        else:
            tree = self.product()
        while self.peek() in ("+", "-", "±", "∓"):
            sign = self.take()
            right = self.product()
            if sign in ("±", "∓"):
                tree = Tree(sign, (tree, right))
            else:
                tree = plus(tree, right) if sign == "+" else minus(tree, right)
        self.depth -= 1
        return tree

    def product(self) -> Tree:
        """Factors between *, / or nothing."""
        sign = 1
        if self.peek() in ("-", "+"):
            sign = -1 if self.take() == "-" else 1
        tree = self.factor()
        while True:
            token = self.peek()
            if token == "*":
                self.take()
                tree = times(tree, self.signed_factor())
            elif token in ("/", "→"):
                self.take("/")
                tree = over(tree, self.denominator())
            elif self.starts_factor(token):
                tree = times(tree, self.factor())
            else:
                return negative(tree) if sign < 0 else tree

    def signed_factor(self) -> Tree:
        """A factor behind an operator, which may carry its own sign."""
        if self.peek() in ("-", "+"):
            return negative(self.signed_factor()) if self.take() == "-" else self.signed_factor()
        return self.factor()

    def denominator(self) -> Tree:
        """What stands below a slash: t/RC is t/(RC), but 1/2x is x/2."""
        tree = self.signed_factor()
        while tree.op in ("symbol", "*") and len(self.peek()) == 1 and self.peek().isalpha() and not self.program:
            tree = times(tree, self.factor())
        return tree

    def starts_factor(self, token: str) -> bool:
        """Whether a token may follow a factor as the next one, multiplied."""
        if not token or token[0].isdigit() or token[0] == ".":
            return False
        return (
            token[0] in STARTERS
            or token[0] == "\\"
            or (token.isascii() and token.isalpha())
            or (token == "|" and self.bars == 0)
        )

    def factor(self) -> Tree:
        """An atom with what follows it: powers, factorials, primes, a degree sign."""
        tree = self.atom()
        while True:
            token = self.peek()
            if token == "^":
                self.take()
                tree = power(tree, self.exponent())
            elif token == "!":
                self.take()
                tree = function("factorial", tree)
            elif token == "%":
                self.take()
                tree = over(tree, number(100))
            elif token == "°":
                self.take()
                tree = over(times(tree, CONSTANTS["pi"]), number(180))
            else:
                return tree

    def exponent(self) -> Tree:
        """What stands behind ^: a group, or one atom with its sign; towers bind to the right."""
        if self.peek() in ("-", "+"):
            return negative(self.exponent()) if self.take() == "-" else self.exponent()
        tree = self.atom()
        if self.peek() == "^":
            self.take()
            return power(tree, self.exponent())
        if self.peek() == "!":
            self.take()
            return function("factorial", tree)
        return tree

    def atom(self) -> Tree:
        """A number, name, function with its arguments, root, fraction, group or absolute value."""
        token = self.take()
        if token[0].isdigit() or token[0] == ".":
            return self.mixed(literal(token))
        if token in CLOSERS:
            return self.group(token)
        if token == "|":
            self.bars += 1
            inner = self.sum()
            self.bars -= 1
            self.take("|")
            return function("abs", inner)
        name = token.lstrip("\\")
        if self.program and name in PROGRAM_CONSTANTS:
            return PROGRAM_CONSTANTS[name]
        if name in ("frac", "binom") and token[0] == "\\":
            above, below = self.argument(), self.argument()
            return over(above, below) if name == "frac" else function("binom", above, below)
        if name == "sqrt":
            return self.root()
        if name in FUNCTIONS:
            return self.known_function(FUNCTIONS[name])
        if token in CONSTANTS or name in CONSTANTS:
            return CONSTANTS[token if token in CONSTANTS else name]
        return self.named(token)

    def mixed(self, tree: Tree) -> Tree:
        """A whole number right before a fraction below one is a mixed number: 1 1/2 and 1\\frac12."""
        if tree.value.denominator != 1 or self.tokens[self.position - 1] != str(tree.value):
            return tree
        below = self.peek(2)
        if self.peek().isdigit() and self.peek(1) == "/" and below.isdigit():
            part = Fraction(int(self.peek()), int(below) or 1)
            if not 0 < part < 1:
                raise Unread("two numbers side by side")
            self.position += 3
            return number(tree.value + part)
        if self.peek() == "\\frac":
            start = self.position
            self.take()
            above, below_tree = self.argument(), self.argument()
            if above.op == below_tree.op == "number" and 0 < above.value < below_tree.value:
                return number(tree.value + above.value / below_tree.value)
            self.position = start
        return tree

    def group(self, opener: str) -> Tree:
        """What stands between an opener that was taken and its closer."""
        if opener == "{" and self.peek() == "}":
            raise Unread("an empty group")
        bars, self.bars = self.bars, 0
        tree = self.sum()
        self.bars = bars
        self.take(CLOSERS[opener])
        return function({"⌊": "floor", "⌈": "ceil"}[opener], tree) if opener in "⌊⌈" else tree

    def argument(self) -> Tree:
        """One argument of a LaTeX macro: a group, or one digit, letter or macro: \\frac12 is a half."""
        token = self.peek()
        if token.isdigit() and len(token) > 1:
            self.tokens[self.position : self.position + 1] = [token[0], token[1:]]
        if self.peek().isdigit():
            return number(int(self.take()))
        return self.atom()

    def root(self) -> Tree:
        """A root behind its \\sqrt or sqrt."""
        if self.peek() != "[":
            return function("sqrt", self.argument())
        self.take()
        degree = self.group("[")
        return function("root", self.argument(), degree)

    def known_function(self, name: str) -> Tree:
        """A function behind its name: base or power first (log_2, sin^2), then its arguments."""
        base = exponent = None
        while self.peek() in ("_", "^"):
            if self.take() == "_":
                base = self.argument()
            else:
                exponent = self.exponent()
        if self.peek() in ("(", "{", "["):
            args = self.arguments(self.take())
        else:
            args = [self.bare_argument()]
        if exponent is not None and exponent == number(-1) and name in ("sin", "cos", "tan", "cot", "sec", "csc"):
            return applied(f"a{name}", args, base)
        tree = applied(name, args, base)
        return tree if exponent is None else power(tree, exponent)

    def arguments(self, opener: str) -> list[Tree]:
        """The arguments up to the closer."""
        found = [self.sum()]
        while self.peek() == ",":
            self.take()
            found.append(self.sum())
        self.take(CLOSERS[opener])
        return found

    def bare_argument(self) -> Tree:
        """The argument of a function without brackets: the factors up to the next sign or function."""
        tree = self.signed_factor()
        while self.starts_factor(self.peek()) and self.peek().lstrip("\\") not in FUNCTIONS.keys() - {"frac", "sqrt"}:
            if self.peek() in ("(", "["):
                break
            tree = times(tree, self.factor())
        if self.peek() == "/" and self.peek(1).isdigit():  # \sin \pi/3
            self.take()
            tree = over(tree, self.factor())
        return tree

    def named(self, token: str) -> Tree:
        """A variable with its subscript and primes, or a function of which only the name is known."""
        if not ((token.isascii() and token.isalpha()) or (token[0] == "\\" and token[1:] in GREEK)):
            raise Unread(f"not read from: {token}")
        name = token
        while self.peek() in ("_", "'"):
            name += self.take()
            if name[-1] == "_":
                name += self.subscript()
        called = self.peek() == "(" and (
            name.rstrip("'") in CALLED or (self.peek(1).isdigit() and self.peek(2) == ")" and len(self.tokens) > 4)
        )
        if called:
            self.take()
            return Tree("call", tuple(self.arguments("(")), name)
        return symbol(name)

    def subscript(self) -> str:
        """The text of a subscript."""
        if self.peek() != "{":
            return self.take().strip('"')
        parts, depth = [], 0
        while True:
            token = self.take()
            depth += (token == "{") - (token == "}")
            if depth == 0:
                return "".join(parts)
            parts.append(token.strip('"') if token != "{" else "")


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
