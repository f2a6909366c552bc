"""Tables of MathML in LaTeX: matrices with their brackets, cases, aligned rows, arrays."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from corpus.text.mathml_tokens import fence

MATRICES = {
    ("", ""): "matrix",
    ("(", ")"): "pmatrix",
    ("[", "]"): "bmatrix",
    ("{", "}"): "Bmatrix",
    ("|", "|"): "vmatrix",
    ("‖", "‖"): "Vmatrix",
    ("∥", "∥"): "Vmatrix",
}
LETTERS = {"left": "l", "right": "r", "center": "c", "start": "l", "end": "r"}
TAG = re.compile(r"\\text\{\(?(.*?)\)?\}$")


class Cell(NamedTuple):
    """LaTeX of a cell, its alignment, and whether it stands at the side of a displayed row: a number or a margin."""

    latex: str
    align: str
    is_side: bool


class Row(NamedTuple):
    """The cells of a row; `marked`: it has a style of its own."""

    cells: list[Cell]
    marked: bool


def table(rows: Sequence[Row], opening: str, closing: str, *, align: str, displayed: bool) -> str:
    """The environment that draws these rows between these fences."""
    if any(cell.is_side for row in rows for cell in row.cells):
        return _numbered(rows)
    lines = [" & ".join(cell.latex for cell in row.cells) for row in rows]
    body = " \\\\ ".join(lines)
    columns = _columns(rows, align)
    if opening == "{" and not closing and set(columns) <= {"l", "c"} and len(columns) <= 2:
        return _environment("cases", body)
    if opening == "" and closing == "}" and set(columns) <= {"l", "c"} and len(columns) <= 2:
        return _environment("rcases", body)
    if columns and set(columns) != {"c"}:
        inner = _aligned(columns, body, displayed=displayed)
    else:
        name = MATRICES.get((opening, closing))
        if name:
            return _environment(name, body)
        inner = _environment("matrix", body)
    if not (opening or closing):
        return inner
    return f"\\left{fence(opening)}{inner}\\right{fence(closing)}"


def _aligned(columns: str, body: str, *, displayed: bool) -> str:
    pattern = "rl" * (len(columns) // 2 + 1)
    if displayed and len(columns) > 1 and columns == pattern[: len(columns)]:
        return _environment("aligned", body)
    return _environment("array", body, f"{{{columns}}}")


def _numbered(rows: Sequence[Row]) -> str:
    """Displayed rows with margins: numbers and tags stand in the right one."""
    lines, tags, width, centred = [], [], 1, True
    for row in rows:
        cells = [cell for cell in row.cells if not cell.is_side]
        side = row.cells[-1].latex if row.cells and row.cells[-1].is_side else ""
        centred &= not any(cell.align for cell in cells)
        width = max(width, len(cells))
        lines.append(" & ".join(cell.latex for cell in cells))
        tags.append(side)
    numbers = [f"\\text{{({number})}}" for number in range(1, len(rows) + 1)]
    counted = tags == numbers
    if not counted:
        lines = [line + _tag(tag) for line, tag in zip(lines, tags, strict=True)]
    name = "gather" if centred and width == 1 else "align"
    return _environment(name if counted else f"{name}*", " \\\\ ".join(lines))


def _tag(side: str) -> str:
    found = TAG.match(side)
    if not side:
        return ""
    star = "" if side.startswith("\\text{(") else "*"
    return f" \\tag{star}{{{found.group(1) if found else side}}}"


def _columns(rows: Sequence[Row], align: str) -> str:
    width = max((len(row.cells) for row in rows), default=0)
    named = align.split()
    if named:
        return "".join(LETTERS.get(named[min(column, len(named) - 1)], "c") for column in range(width))
    letters = ""
    for column in range(width):
        cells = [row.cells[column] for row in rows if column < len(row.cells)]
        found = next((cell.align for cell in cells if cell.align), "center")
        letters += LETTERS.get(found, "c")
    return letters


def _environment(name: str, body: str, columns: str = "") -> str:
    return f"\\begin{{{name}}}{columns} {body} \\end{{{name}}}"
