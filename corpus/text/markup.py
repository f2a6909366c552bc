"""The markup of a page as a browser builds it, in pieces: each `<` begins one, with a tag and the text behind it.

lexbor (through resiliparse) parses the page and writes its tree out again. In what it writes every element is closed,
signs in text and attributes are escaped and attributes stand in double quotes, so that the page can be read in one
pass over strings, without an object for each node, and costs the same however deeply it is nested.
"""

import re
from collections.abc import Iterator
from typing import TypeAlias

from lxml import etree
from resiliparse.parse.html import HTMLTree

Element: TypeAlias = etree._Element

# Control characters mark formulas and line breaks on the way through; a page may not bring its own.
MARKS = "".join(map(chr, range(9)))
ATTRIBUTE = re.compile(r' ([^\s=]+)="([^"]*)"')
VOID_WORDS = "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"
VOID = frozenset(VOID_WORDS.split())
# Their text is written as it stands: what looks like a tag in it is none.
RAW = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext"})
# XHTML may close any element with a slash; to a browser that reads HTML the slash says nothing.
CLOSED = re.compile(r"(?!(?:area|base|br|col|embed|hr|img|input|link|meta)\b)([A-Za-z][\w:]*)(?:\s[^>]*)?$")
START_CHARACTERS = 1_000
FRAGMENTS = {"encoding": "utf-8", "huge_tree": True, "remove_comments": True, "remove_pis": True}


def pieces_of(page: str) -> Iterator[str]:
    """The pieces of a page: tag, `>` and text each; its comments, scripts and styles too."""
    written = _written(_opened(_without_head(page)))
    for mark in MARKS:
        if mark in written:
            written = written.replace(mark, "")
    pieces = iter(written.split("<"))
    next(pieces)
    return pieces


def rest_of(name: str, pieces: Iterator[str]) -> tuple[list[str], str]:
    """The pieces inside an element that has begun, which are taken from `pieces`, and the text behind its end."""
    end = f"/{name}>"
    starts = frozenset() if name in RAW else frozenset({f"{name}>", f"{name} "})
    width = len(end)
    inside: list[str] = []
    depth = 1
    for piece in pieces:
        if piece[:width] == end:
            depth -= 1
            if not depth:
                return inside, piece[width:]
        elif piece[: width - 1] in starts:
            depth += 1
        inside.append(piece)
    return inside, ""


def text_behind(piece: str, pieces: Iterator[str]) -> str:
    """The text behind a comment, or behind a tag with a `<` in its name, which is none of HTML."""
    if piece.startswith("!--"):
        while "-->" not in piece:
            piece = next(pieces, "-->")
        return piece.partition("-->")[2]
    return next(pieces, "").partition(">")[2]


def attributes_of(markup: str) -> dict[str, str]:
    """The attributes of a start tag, in which `markup` is what stands between `<` and `>`."""
    found = dict(ATTRIBUTE.findall(markup))
    return {name: unescaped(value) for name, value in found.items()} if "&" in markup else found


def attribute_of(markup: str, name: str) -> str:
    """The value of an attribute of a start tag; empty when it has none."""
    value = markup.partition(f' {name}="')[2].partition('"')[0]
    return unescaped(value) if "&" in value else value


def unescaped(text: str) -> str:
    """Text without the five escapes in which it is written."""
    if "&" not in text:
        return text
    text = text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">")
    return text.replace("&quot;", '"').replace("&amp;", "&")


def element_of(markup: str, text: str, inside: list[str]) -> Element | None:
    """The tree of one element: its start tag, the text behind that, its other pieces; None when there is none."""
    name = markup.partition(" ")[0]
    fragment = f"<html><body><{'<'.join([f'{markup}>{text}', *inside])}</{name}></body></html>"
    root = etree.fromstring(fragment.encode("utf-8", "replace"), etree.HTMLParser(**FRAGMENTS))
    return next((child for part in root for child in part), None)


def _written(page: str) -> str:
    try:
        return str(HTMLTree.parse(page))
    except UnicodeEncodeError:  # halves of surrogate pairs
        return str(HTMLTree.parse(page.encode("utf-8", "replace").decode("utf-8")))


def _opened(page: str) -> str:
    """The page with an end tag for each element that is closed by a slash, where the slash means that."""
    if not ("xhtml" in page[:START_CHARACTERS].lower() or page.startswith("<?xml") or ":math" in page):
        return page
    parts = page.split("/>")
    for number, part in enumerate(parts[:-1]):
        name = CLOSED.match(part, part.rfind("<") + 1)
        parts[number] += f"></{name[1]}>" if name else "/>"
    return "".join(parts)


def _without_head(page: str) -> str:
    """The page from its body on, where it is beyond doubt that the head ends there and not in a script or a comment."""
    end = page.find("</head>")
    if end < 0 or page.rfind("<script", 0, end) > page.rfind("</script", 0, end):
        return page
    return page if page.rfind("<!--", 0, end) > page.rfind("-->", 0, end) else f"<!DOCTYPE html>{page[end + 7 :]}"
