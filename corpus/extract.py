"""HTML -> text that keeps its mathematics: formulas become opaque words, main content is taken, LaTeX comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from corpus.text.main_content import Block, Outline, is_bare, main_blocks
from corpus.text.markup import pieces_of
from corpus.text.placeholders import Formulas
from corpus.text.reader import PageReader

CELLS = frozenset({"td", "th"})
# What no text holds; those that are white space have become blanks.
CONTROL = "".join(map(chr, (*range(9), *range(11, 13), *range(14, 32), 127)))


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of one page, the number of formulas on the page, and that number by the kind of construct.

    `frame` is all that a page shows when it has next to no text of its own (lists of links), else empty."""

    text: str
    formulas: int
    kinds: Mapping[str, int] = field(default_factory=dict)
    frame: str = ""


def extract(page: str) -> Extracted:
    """The main text of an HTML page with its formulas as LaTeX, each once; empty text when there is none."""
    formulas = Formulas()
    reader = PageReader(formulas, page)
    reader.read(pieces_of(page))
    outline = reader.close()
    if not outline.blocks:
        return Extracted("", 0)
    kept = main_blocks(outline)
    text = formulas.put_back(_joined([outline.blocks[number] for number in kept], outline))
    frame = formulas.put_back(_joined(outline.blocks, outline)) if is_bare(outline, kept) else ""
    return Extracted(_tidy(text), len(formulas.found), formulas.counts(), _tidy(frame))


def _joined(blocks: Sequence[Block], page: Outline) -> str:
    """One block a line; the cells of a table row share a line."""
    parts = []
    row = -1
    for block in blocks:
        node = page.nodes[block.node]
        cell = page.parents[block.node] if node.name in CELLS else -1
        parts.append("\t" if cell == row != -1 else "\n")
        parts.append(block.text)
        row = cell
    return "".join(parts)


def _tidy(text: str) -> str:
    for mark in CONTROL:
        if mark in text:
            text = text.replace(mark, "")
    return "\n".join(filter(None, map(str.rstrip, text.split("\n")))).strip()
