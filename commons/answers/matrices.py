"""Matrices in plain notation: entries, products of several, a factor in front; what NumPy and SymPy print."""

from commons.answers.expressions import expression
from commons.answers.scalars import read_scalar
from commons.answers.splitting import cut
from commons.answers.tokens import Unread
from commons.answers.trees import Tree, exact, number, plus, times
from commons.answers.values import Compound, Matrix, Scalar, Sequence, Value

MOST_ENTRIES = 100
Rows = tuple[tuple[Scalar, ...], ...]


def read_matrix(text: str) -> Matrix:
    """The matrix that a text with ⟦...⟧ stands for; several side by side are multiplied. Raises Unread."""
    factor, rows = "", None
    rest = text
    while "⟦" in rest:
        before, _, behind = rest.partition("⟦")
        inner, closed, rest = behind.partition("⟧")
        if not closed or (before.strip(" *()[]") and rows is not None):
            raise Unread("a matrix with something inside the product")
        factor = factor or before.strip(" *()[]")
        found = _rows(inner)
        rows = found if rows is None else _product(rows, found)
    if rows is None or rest.strip(" ()[]"):
        raise Unread("something behind the matrix")
    return Matrix(rows if not factor else _scaled(_factor(factor), rows))


def _factor(text: str) -> Tree:
    return number(-1) if text == "-" else expression(text)


def _rows(inner: str) -> Rows:
    rows = tuple(tuple(_entry(entry) for entry in cut(row, "&")[0]) for row in inner.split(";;"))
    if len({len(row) for row in rows}) != 1 or sum(map(len, rows)) > MOST_ENTRIES:
        raise Unread("rows of different lengths")
    return rows


def _entry(text: str) -> Scalar:
    value = read_scalar(text)
    if isinstance(value, Compound):
        raise Unread("several units in a matrix")
    return value


def _product(one: Rows, other: Rows) -> Rows:
    if len(one[0]) != len(other):
        raise Unread("matrices that cannot be multiplied")
    columns = list(zip(*other, strict=True))
    return tuple(tuple(_dot(row, column) for column in columns) for row in one)


def _dot(row: tuple[Scalar, ...], column: tuple[Scalar, ...]) -> Scalar:
    return Scalar(_short(plus(*(times(a.tree, b.tree) for a, b in zip(row, column, strict=True)))))


def _scaled(factor: Tree, rows: Rows) -> Rows:
    return tuple(tuple(Scalar(_short(times(factor, entry.tree))) for entry in row) for row in rows)


def _short(tree: Tree) -> Tree:
    value = exact(tree)
    return tree if value is None else number(value)


def matrix_of(value: Value | None) -> Matrix:
    """The matrix that nested lists stand for; a flat list is a column. Raises Unread."""
    if not isinstance(value, Sequence) or not value.items:
        raise Unread("no nested lists")
    rows = []
    for row in value.items:
        entries = row.items if isinstance(row, Sequence) else (row,)
        scalars = tuple(entry for entry in entries if isinstance(entry, Scalar))
        if len(scalars) != len(entries):
            raise Unread("an entry that is no number")
        rows.append(scalars)
    if len({len(row) for row in rows}) != 1:
        raise Unread("rows of different lengths")
    return Matrix(tuple(rows))
