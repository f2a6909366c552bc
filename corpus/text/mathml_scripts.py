"""What stands over, under and beside a base, in LaTeX: scripts, limits, accents, braces, labelled arrows."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from corpus.text.symbols import ACCENTS, ARROWS, FUNCTIONS, SPACED_FUNCTIONS, UNDER_ACCENTS, WIDE_ACCENTS

SUMS = frozenset("∑∏∐⋃⋂⨆⨅⋁⋀⨁⨂⨀⨄⅀")
INTEGRALS = frozenset("∫∬∭⨌∮∯∰")
LIMITS_WORDS = "lim max min sup inf det gcd Pr limsup liminf injlim projlim"
LIMITS = frozenset(LIMITS_WORDS.split())
ATOM = re.compile(r"[^\\{}\s^_']|\\[A-Za-z]+|\\[^A-Za-z]|\\(?:math[a-z]+|text|operatorname|boldsymbol)\*?\{[^{}]*\}")
BRACES = ("\\underbrace{", "\\overbrace{", "\\underbracket{", "\\overbracket{")
BLANK = re.compile(r"(?:\\[,:;! ]|\\q?quad|\s)*")
EDGES = re.compile(r"^(?:\\[,:;! ]|\\q?quad|\s)+|(?:\\[,:;! ]|\\q?quad|\s)+$")
ONLY_PRIMES = re.compile(r"(?:\\prime\s*)+")


class Base(NamedTuple):
    """What carries the scripts: its LaTeX, its characters when it is one token, and whether that is an operator."""

    latex: str
    text: str
    is_operator: bool


def scripted(base: Base, below: str, above: str) -> str:
    """`x_{a}^{b}`; primes are written as such."""
    return (_as_base(base.latex) if base.latex else "{}") + _suffix(below, above)


def accented(base: Base, below: str, above: str, *, under: str, over: str, stretched: bool) -> str:
    """Limits of an operator, labels of an arrow or a brace, an accent, or what is set over and under a base.

    `under` and `over`: the character that stands there, when it is a single operator; `stretched`: it grows.
    """
    below, above = ("" if BLANK.fullmatch(part) else part for part in (below, above))
    if not (below or above):
        return base.latex
    if base.text in ARROWS and base.is_operator and not (over in ACCENTS and not below):
        below, above = (EDGES.sub("", part) for part in (below, above))
        return f"{ARROWS[base.text]}{f'[{below}]' if below else ''}{{{above}}}"
    if base.text in INTEGRALS:
        # Primes cannot stand behind \\limits; as a superscript they can.
        primes = ONLY_PRIMES.fullmatch(above)
        return f"{base.latex}\\limits" + (f"{_suffix(below, '')}^{{{above}}}" if primes else _suffix(below, above))
    name = base.text.replace(" ", "")
    if base.text in SUMS or name in LIMITS or base.latex.startswith((*BRACES, "\\operatorname*")):
        return base.latex + _suffix(below, above)
    if (name in FUNCTIONS or base.text in SPACED_FUNCTIONS) and base.latex.startswith("\\"):
        return f"{base.latex}\\limits{_suffix(below, above)}"
    if len(name) > 1 and name.isalpha() and name.isascii() and below:
        return f"\\operatorname*{{{name}}}" + _suffix(below, above)
    inner = base.latex
    if over in ACCENTS and (not below or under in UNDER_ACCENTS):
        command = ACCENTS[over]
        wide = stretched and len(base.text) != 1 and not ATOM.fullmatch(inner)
        above, inner = "", f"{WIDE_ACCENTS.get(command, command) if wide else command}{{{inner}}}"
    if under in UNDER_ACCENTS:
        below, inner = "", f"{UNDER_ACCENTS[under]}{{{inner}}}"
    if below:
        inner = f"\\underset{{{below}}}{{{inner}}}"
    return f"\\overset{{{above}}}{{{inner}}}" if above else inner


def multiscripts(base: Base, before: Sequence[str], after: Sequence[str]) -> str:
    """`{}_{a}^{b} x_{c}^{d}`: scripts before the base hang on an empty one."""
    left = "".join("{}" + _suffix(*pair) for pair in _pairs(before))
    right = [_suffix(*pair) for pair in _pairs(after)]
    return left + (_as_base(base.latex) if left or right else base.latex) + "{}".join(right)


def _pairs(scripts: Sequence[str]) -> list[tuple[str, str]]:
    padded = [*scripts, ""]
    pairs = [(padded[position], padded[position + 1]) for position in range(0, len(scripts), 2)]
    return [pair for pair in pairs if any(pair)]


def _suffix(below: str, above: str) -> str:
    lower = f"_{_argument(below)}" if below else ""
    if ONLY_PRIMES.fullmatch(above):
        return "'" * above.count("\\prime") + lower
    return lower + (f"^{_argument(above)}" if above else "")


def _argument(latex: str) -> str:
    return latex if len(latex) == 1 else f"{{{latex}}}"


def _as_base(latex: str) -> str:
    if ATOM.fullmatch(latex) or re.fullmatch(r"\d+(?:\.\d+)?", latex):
        return latex
    return latex if latex == "" or latex.startswith(BRACES) else f"{{{latex}}}"
