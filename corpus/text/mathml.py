"""Presentation MathML -> LaTeX. What is unknown becomes its text, so that nothing disappears.

`mathml_tokens` writes symbols and words, `mathml_scripts` what stands over, under and beside a base, `mathml_tables`
matrices, cases and aligned rows, `mathml_elements` what an element is; here is the walk, with rows and fences.
"""

import re
from collections.abc import Callable, Sequence

from corpus.text.lines import joined, trimmed
from corpus.text.mathml_elements import (
    CLOSING,
    EITHER,
    OPENING,
    Element,
    children_of,
    has_no_line,
    is_empty_fence,
    is_middle,
    is_stretchy,
    local_name,
    text_in,
    visible_in,
)
from corpus.text.mathml_scripts import Base, accented, multiscripts, scripted
from corpus.text.mathml_tables import Cell, Row, table
from corpus.text.mathml_tokens import fence, identifier, number, operator, quoted, space, text_words

MAX_DEPTH = 150
WORDY = re.compile(r"[A-Za-z]{4,}\s+[A-Za-z]{2,}|[A-Za-z]+\s+[A-Za-z]{4,}")
NOTATIONS = {
    "box": "\\boxed",
    "roundedbox": "\\boxed",
    "updiagonalstrike": "\\cancel",
    "downdiagonalstrike": "\\bcancel",
    "updiagonalstrike downdiagonalstrike": "\\xcancel",
    "horizontalstrike": "\\sout",
    "top": "\\overline",
    "bottom": "\\underline",
    "radical": "\\sqrt",
}
GENERALISED = {("(", ")"): "\\binom", ("[", "]"): "\\brack", ("{", "}"): "\\brace"}


def latex_of_math(math: Element) -> str:
    """LaTeX of a `<math>` element: the TeX that it carries as an annotation, or one converted from its elements."""
    for node in math.iter():
        if local_name(node) == "annotation" and "tex" in node.get("encoding", "").lower():
            source = "".join(node.itertext()).strip()
            if source:
                return source
    alternative = (math.get("alttext") or "").strip()
    if alternative and ("\\" in alternative or not WORDY.search(alternative)):
        return alternative
    return _row(children_of(math), 0)


def _latex(node: Element, depth: int) -> str:
    if depth > MAX_DEPTH:
        return text_words("".join(node.itertext()))
    convert = CONVERTERS.get(local_name(node))
    return convert(node, depth + 1) if convert else _group_row(node, depth + 1)


def _group_row(node: Element, depth: int) -> str:
    """A row with elements of its own; text that stands in it bare is kept."""
    children = children_of(node)
    if not children:
        return text_words(node.text or "") if (node.text or "").strip() else ""
    fenced = _fenced_row(children, depth) if local_name(node) == "mrow" else ""
    return fenced or _row(children, depth)


def _row(children: Sequence[Element], depth: int) -> str:
    parts: list[str] = []
    position = 0
    while position < len(children):
        latex, used = _generalised_fraction(children[position : position + 3], depth)
        if not used:
            latex, used = _latex(children[position], depth), 1
        parts.append(latex)
        position += used
    return joined(parts)


def _generalised_fraction(children: Sequence[Element], depth: int) -> tuple[str, int]:
    """A fraction without a line between brackets, as binomials are written; how many elements that took."""
    if len(children) == 3 and local_name(children[1]) == "mfrac" and has_no_line(children[1]):
        command = GENERALISED.get((text_in(children[0]), text_in(children[2])))
        if command:
            above, below = _arguments(children[1], 2, depth)
            if command == "\\binom":
                return f"\\binom{{{above}}}{{{below}}}", 3
            return f"{{{above} {command} {below}}}", 3
    return "", 0


def _fenced_row(children: Sequence[Element], depth: int) -> str:
    """A row between fences that grow with it: `\\left( .. \\right)`, matrices, cases; else nothing."""
    first, last = children[0], children[-1]
    opening = text_in(first) if is_stretchy(first, OPENING + EITHER) else ""
    closing = text_in(last) if len(children) > 1 and is_stretchy(last, CLOSING + EITHER) else ""
    inner = [child for child in children[bool(opening) : len(children) - bool(closing)] if not is_empty_fence(child)]
    if not (opening or closing) or not inner:
        return ""
    tables = [child for child in inner if local_name(child) == "mtable"]
    if tables and len(inner) == 1:
        return _table(tables[0], depth, opening, closing)
    grows = any(node.get("stretchy") == "true" or node.get("fence") == "true" for node in (first, last))
    one_sided = local_name(first) == local_name(last) == "mo" and "" in (text_in(first), text_in(last))
    if not (opening and closing) and not grows and not one_sided:
        return ""
    if (
        len(inner) == 1
        and (opening, closing) in GENERALISED
        and local_name(inner[0]) == "mfrac"
        and has_no_line(inner[0])
    ):
        return _generalised_fraction(children, depth)[0]
    body = joined(
        [f" \\middle{fence(text_in(child))} " if is_middle(child) else _latex(child, depth) for child in inner]
    )
    return f"\\left{fence(opening).strip()} {body} \\right{fence(closing)}"


def _arguments(node: Element, count: int, depth: int) -> list[str]:
    parts = [_latex(child, depth) for child in children_of(node)]
    return (parts + [""] * count)[:count]


def _fraction(node: Element, depth: int) -> str:
    above, below = _arguments(node, 2, depth)
    return f"{{{above} \\atop {below}}}" if has_no_line(node) else f"\\frac{{{above}}}{{{below}}}"


def _root(node: Element, depth: int) -> str:
    inside, degree = _arguments(node, 2, depth)
    return f"\\sqrt[{degree}]{{{inside}}}"


def _square_root(node: Element, depth: int) -> str:
    return f"\\sqrt{{{_group_row(node, depth)}}}"


def _base(node: Element | None, depth: int) -> Base:
    if node is None:
        return Base("", "", is_operator=False)
    core = node
    while local_name(core) in ("mrow", "mstyle", "mpadded") and len(visible_in(core)) == 1:
        core = visible_in(core)[0]
    is_token = local_name(core) in ("mo", "mi", "mtext", "mn")
    return Base(trimmed(_latex(node, depth)), text_in(core) if is_token else "", is_operator=local_name(core) == "mo")


def _scripts(node: Element, depth: int) -> str:
    name, children = local_name(node), children_of(node)
    base = _base(children[0] if children else None, depth)
    rest = [trimmed(_latex(child, depth)) for child in children[1:]]
    if name in ("msubsup", "munderover"):
        below, above = (*rest, "", "")[:2]
    elif name in ("msub", "munder"):
        below, above = (*rest, "")[0], ""
    else:
        below, above = "", (*rest, "")[0]
    if name in ("msub", "msup", "msubsup"):
        return scripted(base, below, above)
    marks = [text_in(child) if local_name(child) == "mo" else "" for child in children[1:]]
    under, over = (*marks, "", "")[:2] if name == "munderover" else (marks * 2)[:2] if marks else ("", "")
    return accented(
        base,
        below,
        above,
        under=under if name != "mover" else "",
        over=over if name != "munder" else "",
        stretched=_stretches(children[-1]) if len(children) > 1 else False,
    )


def _stretches(mark: Element) -> bool:
    return mark.get("stretchy") != "false"


def _multiscripts(node: Element, depth: int) -> str:
    children = children_of(node)
    base = _base(children[0] if children else None, depth)
    before: list[str] = []
    after: list[str] = []
    current = after
    for child in children[1:]:
        if local_name(child) == "mprescripts":
            current = before
        else:
            current.append(trimmed(_latex(child, depth)))
    return multiscripts(base, before, after)


def _table(node: Element, depth: int, opening: str = "", closing: str = "") -> str:
    rows = []
    for row in children_of(node):
        if local_name(row) in ("mtr", "mlabeledtr"):
            cells = [_cell(cell, row, depth) for cell in children_of(row)]
            if local_name(row) == "mlabeledtr" and cells:
                cells = [*cells[1:], cells[0]._replace(is_side=True)]
            rows.append(Row(cells, "style" in row.attrib))
    displayed = node.get("displaystyle") == "true"
    return table(rows, opening, closing, align=node.get("columnalign", ""), displayed=displayed)


def _cell(cell: Element, row: Element, depth: int) -> Cell:
    style = cell.get("style", "").replace(" ", "")
    aligned = re.search(r"text-align:(\w+)", style)
    align = aligned.group(1) if aligned else cell.get("columnalign") or row.get("columnalign") or ""
    children = children_of(cell) if local_name(cell) == "mtd" else [cell]
    return Cell(_row(children, depth) if children else text_words(cell.text or ""), align, "width:50%" in style)


def _fenced(node: Element, depth: int) -> str:
    parts = [_latex(child, depth) for child in children_of(node)]
    separators = [mark for mark in node.get("separators", ",") if not mark.isspace()] or [""]
    line = parts[:1]
    for number_, part in enumerate(parts[1:]):
        line += [separators[min(number_, len(separators) - 1)] + " ", part]
    opening, closing = node.get("open", "("), node.get("close", ")")
    return f"\\left{fence(opening).strip()} {joined(line)} \\right{fence(closing)}"


def _enclosed(node: Element, depth: int) -> str:
    notation = " ".join(node.get("notation", "longdiv").split())
    command = NOTATIONS.get(notation)
    body = _group_row(node, depth)
    return f"{command}{{{body}}}" if command else body


def _phantom(node: Element, depth: int) -> str:
    return f"\\phantom{{{_group_row(node, depth)}}}"


def _first(node: Element, depth: int) -> str:
    """The first child alone: what `semantics` and `maction` show."""
    children = children_of(node)
    return _latex(children[0], depth) if children else ""


def _token(write: Callable[[Element], str]) -> Callable[[Element, int], str]:
    return lambda node, depth: write(node)


CONVERTERS: dict[str, Callable[[Element, int], str]] = {
    "mi": _token(identifier),
    "mo": _token(operator),
    "mn": _token(number),
    "mtext": _token(quoted),
    "ms": _token(quoted),
    "mspace": _token(space),
    "mglyph": lambda node, depth: node.get("alt", ""),
    "mfrac": _fraction,
    "msqrt": _square_root,
    "mroot": _root,
    **dict.fromkeys(("msub", "msup", "msubsup", "munder", "mover", "munderover"), _scripts),
    "mmultiscripts": _multiscripts,
    "mtable": _table,
    "mfenced": _fenced,
    "menclose": _enclosed,
    "mphantom": _phantom,
    "semantics": _first,
    "maction": _first,
    **dict.fromkeys(("none", "mprescripts"), lambda node, depth: ""),
}
