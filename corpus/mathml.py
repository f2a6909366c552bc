"""Presentation MathML -> LaTeX: fractions, roots, scripts, limits, tables, fences, the usual symbols.

A first version: what it does not know becomes its text, so that nothing disappears.
"""

from collections.abc import Callable
from typing import TypeAlias

from lxml import etree

from corpus.symbols import ACCENTS, FUNCTIONS, LATEX

Element: TypeAlias = etree._Element
MAX_DEPTH = 200


def latex_of_math(math: Element) -> str:
    """LaTeX of a `<math>` element: the TeX that it carries as an annotation, or one converted from its elements."""
    for node in math.iter():
        if _name(node) == "annotation" and "tex" in node.get("encoding", "").lower() and node.text:
            return str(node.text)
    return str(math.get("alttext") or "") or " ".join(_row(math, 0).split())


def _latex(node: Element, depth: int) -> str:
    if not isinstance(node.tag, str) or depth > MAX_DEPTH:
        return ""
    convert = CONVERTERS.get(_name(node))
    return convert(node, depth + 1) if convert else _row(node, depth + 1)


def _row(node: Element, depth: int) -> str:
    own = (node.text or "").strip()
    return " ".join(part for part in [own, *(_latex(child, depth) for child in node)] if part)


def _symbol(node: Element, depth: int) -> str:
    text = "".join(node.itertext()).strip()
    if text in FUNCTIONS:
        return f"\\{text}"
    if _name(node) == "mi" and len(text) > 1 and text.isalpha() and text.isascii():
        return f"\\mathrm{{{text}}}"
    return "".join(f"{LATEX[character]} " if character in LATEX else character for character in text).strip()


def _text(node: Element, depth: int) -> str:
    text = " ".join("".join(node.itertext()).split())
    return f"\\text{{{text}}}" if text else ""


def _children(node: Element, count: int, depth: int) -> list[str]:
    parts = [_latex(child, depth) for child in node if isinstance(child.tag, str)]
    return (parts + [""] * count)[:count]


def _fraction(node: Element, depth: int) -> str:
    above, below = _children(node, 2, depth)
    if node.get("linethickness", "").startswith("0"):
        return f"\\binom{{{above}}}{{{below}}}"
    return f"\\frac{{{above}}}{{{below}}}"


def _root(node: Element, depth: int) -> str:
    inside, degree = _children(node, 2, depth)
    return f"\\sqrt[{degree}]{{{inside}}}"


def _scripts(node: Element, depth: int) -> str:
    name = _name(node)
    if name in ("msubsup", "munderover"):
        base, below, above = _children(node, 3, depth)
    elif name in ("msub", "munder"):
        (base, below), above = _children(node, 2, depth), ""
    else:
        (base, above), below = _children(node, 2, depth), ""
    if name == "mover" and above in ACCENTS:
        return f"{ACCENTS[above]}{{{base}}}"
    body = base if len(base) <= 1 or (base.startswith("\\") and base[1:].isalpha()) else f"{{{base}}}"
    return body + (f"_{_group(below)}" if below else "") + (f"^{_group(above)}" if above else "")


def _group(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"


def _table(node: Element, depth: int) -> str:
    rows = [row for row in node if _name(row) in ("mtr", "mlabeledtr")]
    lines = [" & ".join(_row(cell, depth) for cell in row if _name(cell) == "mtd") for row in rows]
    return "\\begin{matrix} " + " \\\\ ".join(lines) + " \\end{matrix}"


def _fenced(node: Element, depth: int) -> str:
    parts = [_latex(child, depth) for child in node]
    opening, closing = node.get("open", "("), node.get("close", ")")
    comma = (node.get("separators", ",").strip() or " ")[0]
    left, right = LATEX.get(opening, opening) or ".", LATEX.get(closing, closing) or "."
    return f"\\left{left} {f'{comma} '.join(parts)} \\right{right}"


def _name(node: Element) -> str:
    return str(node.tag).rpartition("}")[2].rpartition(":")[2].lower() if isinstance(node.tag, str) else ""


def _nothing(node: Element, depth: int) -> str:
    return ""


CONVERTERS: dict[str, Callable[[Element, int], str]] = {
    "mi": _symbol,
    "mo": _symbol,
    "mn": _symbol,
    "mtext": _text,
    "ms": _text,
    "mfrac": _fraction,
    "msqrt": lambda node, depth: f"\\sqrt{{{_row(node, depth)}}}",
    "mroot": _root,
    **dict.fromkeys(("msub", "msup", "msubsup", "munder", "mover", "munderover"), _scripts),
    "mtable": _table,
    "mfenced": _fenced,
    "annotation": _nothing,
    "annotation-xml": _nothing,
    "mspace": _nothing,
    "mphantom": _nothing,
}
