"""A formula inside a text, and its tree. Only the LaTeX that our own pages use is understood."""

import functools
import re
from dataclasses import dataclass

# Marks around a formula in a text that is not rendered yet; private-use characters, so no page text can hold them.
INLINE = ("\ue000", "\ue001")
DISPLAY = ("\ue002", "\ue003")
MARKED = re.compile("\ue000([^\ue001]*)\ue001|\ue002([^\ue003]*)\ue003")

TOKEN = re.compile(r"\\text\{[^{}]*\}|\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\S")
NAMES = {
    "alpha": "α", "beta": "β", "theta": "θ", "pi": "π", "infty": "∞",
    "cdot": "·", "times": "×", "div": "÷", "pm": "±", "le": "≤", "ge": "≥", "ne": "≠", "to": "→", "mid": "∣",
    "equiv": "≡", "approx": "≈", "int": "∫", "sum": "∑", "angle": "∠", "triangle": "△", "circ": "°", "cap": "∩",
    "cup": "∪", "in": "∈", "dots": "…", "Rightarrow": "⇒", "perp": "⊥", "prime": "′", "sim": "∼",
}  # fmt: skip
FUNCTIONS = frozenset({"sin", "cos", "tan", "log", "ln", "lim", "gcd", "max", "min", "mod"})
SPACES = {"\\,": " ", "\\;": " ", "\\quad": " ", "\\ ": " "}


def m(latex: object) -> str:
    """A formula in the line of text."""
    return f"{INLINE[0]}{latex}{INLINE[1]}"


def dm(latex: object) -> str:
    """A formula on a line of its own."""
    return f"{DISPLAY[0]}{latex}{DISPLAY[1]}"


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a formula.

    kind: number, name, operator, function, words, space, row, fraction, root, power, index, indexed power, binomial."""

    kind: str
    text: str = ""
    parts: tuple["Node", ...] = ()


@functools.lru_cache(maxsize=4096)  # many sites write the same formula twice on a page
def parse(latex: str) -> Node:
    """The tree of a formula."""
    tokens = TOKEN.findall(latex)
    row, used = _row(tokens, 0)
    if used != len(tokens):
        raise ValueError(f"unbalanced braces in {latex!r}")
    return row


def _row(tokens: list[str], at: int) -> tuple[Node, int]:
    nodes: list[Node] = []
    while at < len(tokens) and tokens[at] != "}":
        if tokens[at] in ("\\left", "\\right", "\\displaystyle"):
            at += 1
            continue
        node, at = _scripted(tokens, at)
        nodes.append(node)
    return (nodes[0] if len(nodes) == 1 else Node("row", parts=tuple(nodes))), at


def _scripted(tokens: list[str], at: int) -> tuple[Node, int]:
    base, at = _atom(tokens, at)
    scripts: dict[str, Node] = {}
    while at < len(tokens) and tokens[at] in "^_":
        mark = tokens[at]
        scripts[mark], at = _atom(tokens, at + 1)
    if len(scripts) == 2:
        return Node("indexed power", parts=(base, scripts["_"], scripts["^"])), at
    if "^" in scripts:
        return Node("power", parts=(base, scripts["^"])), at
    if "_" in scripts:
        return Node("index", parts=(base, scripts["_"])), at
    return base, at


def _atom(tokens: list[str], at: int) -> tuple[Node, int]:
    token = tokens[at]
    at += 1
    if token == "{":
        node, at = _row(tokens, at)
        if at == len(tokens):
            raise ValueError(f"unbalanced braces in {' '.join(tokens)!r}")
        return node, at + 1
    if token in ("\\frac", "\\dfrac", "\\binom"):
        top, at = _atom(tokens, at)
        bottom, at = _atom(tokens, at)
        return Node("binomial" if token == "\\binom" else "fraction", parts=(top, bottom)), at
    if token == "\\sqrt":
        inside, at = _atom(tokens, at)
        return Node("root", parts=(inside,)), at
    return _leaf(token), at


def _leaf(token: str) -> Node:
    if token.startswith("\\text"):
        return Node("words", token[6:-1])
    if token in SPACES:
        return Node("space", SPACES[token])
    if token.startswith("\\"):
        name = token[1:]
        if name in FUNCTIONS:
            return Node("function", name)
        if name in NAMES:
            return Node("name" if NAMES[name].isalpha() or name == "infty" else "operator", NAMES[name])
        if len(name) == 1 and not name.isalpha():
            return Node("operator", name)
        raise ValueError(f"unknown LaTeX command {token}")
    if token[0].isdigit():
        return Node("number", token)
    return Node("name" if token.isalpha() else "operator", token)
