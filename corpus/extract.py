"""HTML -> text that keeps its mathematics: formulas become opaque words, main content is taken, LaTeX comes back."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lxml import etree

from corpus.text.main_content import Block, Outline, main_blocks
from corpus.text.placeholders import START, Formulas
from corpus.text.reader import PageReader, TooDeepError

# Control characters mark formulas and line breaks on the way through; a page may not bring its own.
CONTROL = bytes(range(9)) + b"\x0b\x0c" + bytes(range(14, 32)) + b"\x7f"
# ... not even as a character reference.
CONTROL_REFERENCE = re.compile(rb"&#(?:0*[1-8]|[xX]0*[1-8])(?![0-9a-fA-F]);?")
MARKS = "".join(map(chr, range(9)))
CELLS = frozenset({"td", "th"})
BLANK_LINES = re.compile(r"[^\S\n]*\n(?:[^\S\n]*\n)*")


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
    outline = _parsed(body, formulas)
    if outline and sum(block.text.count(START) for block in outline.blocks) > len(formulas.found):
        formulas.found.clear()
        outline = _parsed(CONTROL_REFERENCE.sub(b" ", body), formulas)
    return outline


def _parsed(body: bytes, formulas: Formulas) -> Outline | None:
    try:
        reader = PageReader(formulas, body)
        options = {"encoding": "utf-8", "huge_tree": True, "remove_comments": True, "remove_pis": True}
        tree = etree.fromstring(_without_head(body), etree.HTMLParser(**options))
        if tree is None:
            return None
        reader.walk(tree)
        return reader.close()
    except TooDeepError:
        formulas.found.clear()
        return _parsed_by_events(body, formulas)
    except etree.XMLSyntaxError:  # an empty document
        return None


def _parsed_by_events(body: bytes, formulas: Formulas) -> Outline:
    """The blocks of a page without a tree: however deeply it is nested."""
    parser = etree.HTMLParser(target=PageReader(formulas, body), encoding="utf-8", huge_tree=True)
    outline: Outline = etree.fromstring(_without_head(body), parser)
    return outline


def _without_head(body: bytes) -> bytes:
    """The page from its body on, where it is beyond doubt that the head ends there and not in a script or a comment."""
    end = body.find(b"</head>")
    head = body[: max(end, 0)]
    whole = head.count(b"<script") == head.count(b"</script") and head.count(b"<!--") == head.count(b"-->")
    return body[end + len(b"</head>") :] if end > 0 and whole else body


def _joined(blocks: Sequence[Block], page: Outline) -> str:
    """One block a line; the cells of a table row share a line."""
    parts = []
    row = -1
    for block in blocks:
        node = page.nodes[block.node]
        cell = node.parent if node.tag in CELLS else -1
        parts.append("\t" if cell == row != -1 else "\n")
        parts.append(block.text)
        row = cell
    return "".join(parts)


def _tidy(text: str) -> str:
    for mark in MARKS:
        if mark in text:
            text = text.replace(mark, "")
    return BLANK_LINES.sub("\n", text).strip()
