"""HTML -> text that keeps its mathematics: formulas become opaque words, the main content is taken, LaTeX comes back."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from corpus.text.constructs import Sources
from corpus.text.main_content import Block, Outline, main_blocks
from corpus.text.placeholders import Formulas
from corpus.text.reader import PageReader

# Control characters mark formulas and line breaks on the way through; a page may not bring its own.
CONTROL = bytes(range(9)) + b"\x0b\x0c" + bytes(range(14, 32)) + b"\x7f"
# ... and what character references smuggled in is dropped at the end.
MARKS = dict.fromkeys(range(9))
CELLS = frozenset({"td", "th"})
BLANK_LINES = re.compile(r"[^\S\n]*\n\s*\n?")


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of one page, the number of formulas on the page, and that number by the kind of construct."""

    text: str
    formulas: int
    kinds: Mapping[str, int] = field(default_factory=dict)


def extract(page: str) -> Extracted:
    """The main text of an HTML page with its formulas as LaTeX, each once; empty text when there is none."""
    formulas = Formulas()
    outline = _outline(page, formulas)
    if outline is None or not outline.blocks:
        return Extracted("", 0)
    text = formulas.put_back(_joined([outline.blocks[number] for number in main_blocks(outline)], outline))
    return Extracted(_tidy(text), len(formulas.found), formulas.counts())


def _outline(page: str, formulas: Formulas) -> Outline | None:
    body = page.encode("utf-8", "replace").translate(None, CONTROL)
    sources = Sources(
        scripts=b"math/tex" in body or b"math/mml" in body, drawings=b"data-mathml" in body or b"MJX_Assistive" in body
    )
    reader = PageReader(formulas, sources=sources, asciimath=b"asciimath" in body.lower())
    parser = etree.HTMLParser(target=reader, encoding="utf-8", huge_tree=True)
    try:
        outline: Outline = etree.fromstring(body, parser)
    except etree.XMLSyntaxError:  # an empty document
        return None
    return outline


def _joined(blocks: Sequence[Block], page: Outline) -> str:
    """One block a line; the cells of a table row share a line."""
    parts = []
    row = -1
    for block in blocks:
        cell = page.parents[block.node] if page.tags[block.node] in CELLS else -1
        parts.append("\t" if cell == row != -1 else "\n")
        parts.append(block.text)
        row = cell
    return "".join(parts)


def _tidy(text: str) -> str:
    return BLANK_LINES.sub("\n", text.translate(MARKS)).strip()
