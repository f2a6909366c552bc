"""Plain notation -> tokens, and what each word of it stands for."""

import re
from itertools import pairwise

from commons.answers.trees import Tree

TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4}(?![\d.A-Za-z({^]))?)
    |(?P<word>\\?[A-Za-z]+)
    |(?P<text>"[^"]*")
    |(?P<sign>[^\sA-Za-z0-9]))""",
    re.VERBOSE,
)
FUNCTION_NAMES = """
    sin cos tan cot sec csc sinh cosh tanh exp ln log sqrt abs floor ceil binom re im max min sign arg asin acos
    atan acot asec acsc asinh acosh atanh conj factorial root
"""
GREEK_NAMES = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau upsilon phi chi psi
    omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega hbar ell odot partial nabla triangle angle
    square
"""
FUNCTIONS = {
    name: name
    for name in FUNCTION_NAMES.split()
} | {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arccot": "acot", "arcsec": "asec", "arccsc": "acsc",
    "cosec": "csc", "tg": "tan", "lg": "lg", "Abs": "abs", "ceiling": "ceil", "binomial": "binom", "cbrt": "cbrt",
    "Rational": "quotient", "Fraction": "quotient", "Integer": "identity", "Float": "identity", "int": "identity",
    "float": "identity", "Max": "max", "Min": "min", "Pow": "pow", "pow": "pow", "cis": "cis", "Re": "re", "Im": "im",
    "log2": "log2", "log10": "lg", "conjugate": "conj", "frac": "frac", "comb": "binom", "arctanh": "atanh",
    "arcsinh": "asinh", "arccosh": "acosh", "Mul": "product", "Add": "total",
}  # fmt: skip
CONSTANTS = {
    "\\pi": Tree("constant", name="pi"), "pi": Tree("constant", name="pi"), "e": Tree("constant", name="e"),
    "i": Tree("constant", name="i"), "∞": Tree("constant", name="oo"), "oo": Tree("constant", name="oo"),
    "inf": Tree("constant", name="oo"), "infinity": Tree("constant", name="oo"), "infty": Tree("constant", name="oo"),
}  # fmt: skip
# SymPy prints these two so; in a formula they are a current and an energy
PROGRAM_CONSTANTS = {"I": CONSTANTS["i"], "E": CONSTANTS["e"], "j": CONSTANTS["i"]}
GREEK = frozenset(GREEK_NAMES.split())
CALLED = frozenset(["f", "g", "h", "F", "G", "H", "u", "\\delta"])
MOST_TOKENS = 400


class Unread(ValueError):
    """The text is no answer that can be read; the message says where reading ended."""


def tokens(text: str) -> list[str]:
    """The tokens of a text in plain notation. Raises Unread when there are too many."""
    found: list[str] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = TOKEN.match(text, position)
        if match is None:
            raise Unread(f"not read from: {text[position : position + 20]}")
        token = match[match.lastgroup or 0]
        position = match.end()
        found += letters_of(token) if match.lastgroup == "word" else [token]
    if len(found) > MOST_TOKENS:
        raise Unread("longer than an answer")
    return found


def letters_of(word: str) -> list[str]:
    """A word as one token when it is a name that is known, else its letters: `xy` is x times y. Raises Unread for
    words of language: `apples` is no product of six variables."""
    if word[0] == "\\" or len(word) == 1 or word in FUNCTIONS or word in CONSTANTS:
        return [word]
    if word in GREEK:
        return ["\\" + word]
    for name in ("pi", "sqrt", "sin", "cos", "tan", "log", "ln"):
        if word.startswith(name) and len(word) - len(name) <= 2:
            return [name, *word[len(name) :]]
        if word.endswith(name) and len(word) - len(name) <= 2:
            return [*word[: -len(name)], name]
    if len(word) <= 2 or word.isupper() or _looks_like_product(word):
        return list(word)
    raise Unread(f"a word: {word}")


def _looks_like_product(word: str) -> bool:
    """abc, xyz, rst: letters one after the other in the alphabet, or three without any vowel: mgh."""
    steps = {ord(after) - ord(before) for before, after in pairwise(word)}
    return steps == {1} or (len(word) <= 4 and not set(word.lower()) & set("aeiou"))
