"""HTML -> blocks of text, in one pass over the parser's events, with every formula already an opaque word.

No tree is built, apart from those of the formulas themselves, so that nothing is edited while it is walked, and a
page costs the same however deeply it is nested.
"""

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TypeAlias

from lxml import etree

from corpus.text.constructs import (
    FORMULA_TAGS,
    Sources,
    construct_of,
    formula_of,
    image_formula,
    is_formula_container,
    is_tex_code,
    sources_of,
)
from corpus.text.delimiters import save_written_formulas
from corpus.text.main_content import Block, Node, Outline, looks_like_boilerplate
from corpus.text.placeholders import START, Formulas
from corpus.text.split_formulas import join_split_formulas
from corpus.text.xml_names import xml_attributes, xml_name, xml_text

Get: TypeAlias = Callable[[str], str | None]  # an attribute by its name
Element: TypeAlias = etree._Element

BREAK = "\x01"
# Containers in containers that hold no formula are read again at each level, up to this one.
MAX_REPLAYS = 5
MAX_DEPTH = 200
# Text of code is no formula: its dollars and backslashes wait under other names until the block is complete.
CODE = str.maketrans({"$": "\x04", "\\": "\x05", "`": "\x06"})
UNCODE = str.maketrans({"\x04": "$", "\x05": "\\", "\x06": "`"})

SKIPPED_WORDS = (
    "script style noscript template svg iframe object canvas video audio select button input textarea nav dialog "
    "map applet embed option datalist progress meter head title rp rt footer menu"
)
SKIPPED = frozenset(SKIPPED_WORDS.split())
BLOCKS_WORDS = (
    "address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure form "
    "h1 h2 h3 h4 h5 h6 header hgroup hr legend li main ol optgroup p pre section summary table tbody td tfoot th "
    "thead tr ul frameset noframes html"
)
BLOCKS = frozenset(BLOCKS_WORDS.split())
CODES = frozenset({"code", "kbd", "samp", "tt"})
NEVER_HIDDEN = frozenset({"html", "body", "main", "article"})
BREAKS = re.compile(rf" ?(?:{BREAK} ?)+")
HIDING_STYLE = re.compile(r"(?i)display\s*:\s*none")
ORDINALS_WORDS = "st nd rd th e er re ème º ª tm ® ™ sm"
ORDINALS = frozenset(ORDINALS_WORDS.split())
SCRIPT_CHARACTERS = 24


class TooDeepError(Exception):
    """The elements of a page are nested too deeply to be walked."""


class PageReader:
    """The target of an HTML parser: `close` gives the page's blocks; `formulas` fills up on the way."""

    def __init__(self, formulas: Formulas, body: bytes) -> None:
        """`body`: the bytes of the page, asked for what it loads when a formula may depend on that."""
        self._formulas, self._body = formulas, body
        self._blocks: list[Block] = []
        self._nodes = [Node(0, "html", False, False)]
        self._node = 0
        self._parts: list[str] = []
        self._linked = self._links = self._codes = 0
        self._coded = False
        self._code_starts: list[int] = []
        # Depth inside an element that is skipped, or captured as a tree when it may be a formula.
        self._aside = 0
        self._captured: etree.TreeBuilder | None = None
        self._replays = 0
        self._scripts: list[int] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        if self._aside:
            self._aside += 1
            if self._captured is not None:
                self._captured.start(xml_name(tag), xml_attributes(attributes))
            return
        opening = OPENING.get(tag, PageReader._open_inline)
        opening(self, tag, attributes.get)
        if self._captured is not None:
            self._captured.start(xml_name(tag), xml_attributes(attributes))

    def end(self, tag: str) -> None:
        """An element ends."""
        if self._aside:
            self._aside -= 1
            if self._captured is not None:
                self._captured.end(xml_name(tag))
                if not self._aside:
                    element, self._captured = self._captured.close(), None
                    self._take(element)
            return
        closing = CLOSING.get(tag)
        if closing:
            closing(self)

    def data(self, text: str) -> None:
        """Text between two tags, or a part of it."""
        if self._aside:
            if self._captured is not None:
                self._captured.data(xml_text(text))
        elif self._codes:
            self._parts.append(text.translate(CODE))
        elif self._parts or not text.isspace():
            self._parts.append(text)
            if self._links:
                self._linked += len(text.strip())

    def walk(self, parent: Element, depth: int = 0) -> None:
        """Reads what stands in an element of a tree: the same as its events, and faster.

        Raises TooDeepError below MAX_DEPTH levels: such a page is read by its events.
        """
        if depth > MAX_DEPTH:
            raise TooDeepError
        for child in parent:
            tag = child.tag
            opening = OPENING.get(tag, PageReader._open_inline)
            opening(self, tag, child.get)
            if self._aside:
                self._aside = 0
                if self._captured is not None:
                    self._captured = None
                    self._take(child)
            else:
                if child.text:
                    self.data(child.text)
                if len(child):
                    self.walk(child, depth + 1)
                closing = CLOSING.get(tag)
                if closing:
                    closing(self)
            if child.tail:
                self.data(child.tail)

    def close(self) -> Outline:
        """The page has ended."""
        if self._captured is not None:
            self._captured = None
        self._flush()
        blocks = join_split_formulas(self._blocks, self._formulas)
        if self._coded:
            blocks = [block._replace(text=block.text.translate(UNCODE)) for block in blocks]
        return Outline(blocks, self._nodes)

    @cached_property
    def _asciimath(self) -> bool:
        return b"asciimath" in self._body.lower()

    @cached_property
    def _sources(self) -> Sources:
        return sources_of(self._body)

    def _open(self, tag: str, get: Get) -> None:
        if self._parts:
            self._flush()
        boilerplate = looks_like_boilerplate(tag, get("class"), get("id"))
        node = Node(self._node, tag, boilerplate, _hides(get) and tag not in NEVER_HIDDEN)
        self._node = len(self._nodes)
        self._nodes.append(node)

    def _shut(self) -> None:
        if self._parts:
            self._flush()
        self._node = self._nodes[self._node].parent

    def _open_container(self, tag: str, get: Get) -> None:
        """A `div` or `p`, which may be the wrapper of a displayed formula."""
        if self._replays < MAX_REPLAYS and is_formula_container(tag, get):
            self._capture(tag, get)
        else:
            self._open(tag, get)

    def _open_inline(self, tag: str, get: Get) -> None:
        if self._replays < MAX_REPLAYS and is_formula_container(tag, get):
            self._capture(tag, get)
        elif _hides(get):
            self._aside = 1

    def _open_pre(self, tag: str, get: Get) -> None:
        self._open(tag, get)
        self._codes += 1

    def _shut_pre(self) -> None:
        self._shut()
        self._codes = max(self._codes - 1, 0)

    def _skip(self, tag: str, get: Get) -> None:
        if tag == "script" and is_formula_container(tag, get):
            self._capture(tag, get)
            return
        self._parts.append(" ")
        self._aside = 1

    def _open_formula(self, tag: str, get: Get) -> None:
        if self._replays < MAX_REPLAYS:
            self._capture(tag, get)

    def _capture(self, tag: str, get: Get) -> None:
        self._captured, self._aside = etree.TreeBuilder(), 1

    def _flush(self) -> None:
        """Ends the run of text: its written formulas become words, white space is squeezed outside of `pre`."""
        raw = "".join(self._parts)
        self._parts.clear()
        linked, self._linked = self._linked, 0
        if not raw or raw.isspace():
            return
        if "$" in raw or "\\" in raw or "`" in raw:
            raw = save_written_formulas(raw, self._formulas, asciimath="`" in raw and self._asciimath)
        if self._codes and self._nodes[self._node].tag == "pre":
            text = raw.replace(BREAK, "\n").strip("\n\r").rstrip()
        else:
            text = " ".join(raw.split())
            if BREAK in text:
                text = BREAKS.sub("\n", text).strip()
        if text:
            self._blocks.append(Block(text, linked, self._node))

    def _take(self, element: Element) -> None:
        kind = construct_of(element, lambda: self._sources)
        formula = formula_of(element, kind)
        if formula is None:
            self._replay(element)
        else:
            latex, display = formula
            self._parts.append(self._formulas.word_for(latex, display=display, kind=kind))

    def _replay(self, element: Element) -> None:
        """A container that holds no formula after all is read like any other element."""
        self._replays += 1
        for event, node in etree.iterwalk(element, events=("start", "end")):
            if event == "start":
                if node is not element:
                    self.start(node.tag, node.attrib)
                if node.text:
                    self.data(node.text)
            elif node is not element:
                self.end(node.tag)
                if node.tail:
                    self.data(node.tail)
        self._replays -= 1

    def _open_link(self, tag: str, get: Get) -> None:
        self._links += 1

    def _shut_link(self) -> None:
        self._links = max(self._links - 1, 0)

    def _open_code(self, tag: str, get: Get) -> None:
        if self._replays < MAX_REPLAYS and is_formula_container(tag, get):
            self._capture(tag, get)
        else:
            self._codes += 1
            self._coded = True
            self._code_starts.append(len(self._parts))

    def _shut_code(self) -> None:
        """Code in a line that holds commands of TeX mathematics is a formula: pages draw it with a script."""
        self._codes = max(self._codes - 1, 0)
        first = self._code_starts.pop() if self._code_starts else 0
        latex = "".join(self._parts[first:]).translate(UNCODE) if not self._codes else ""
        if is_tex_code(latex):
            self._parts[first:] = [self._formulas.word_for(latex, display=False, kind="code")]

    def _break(self, tag: str, get: Get) -> None:
        self._parts.append(f" {BREAK} ")

    def _image(self, tag: str, get: Get) -> None:
        found = image_formula(get)
        if found:
            self._parts.append(self._formulas.word_for(found[0], display=found[1], kind="image"))

    def _open_script(self, tag: str, get: Get) -> None:
        self._scripts.append(len(self._parts))

    def _shut_script(self, mark: str) -> None:
        """`x<sup>2</sup>` becomes x^2; foot-note marks and ordinals stay as they are."""
        if not self._scripts:
            return
        first = self._scripts.pop()
        text = "".join(self._parts[first:]).strip()
        plain = text and len(text) <= SCRIPT_CHARACTERS and text.lower() not in ORDINALS and not self._links
        if plain and START not in text and BREAK not in text and not text.startswith("["):
            self._parts[first:] = [mark + (text if len(text) == 1 else f"{{{text}}}")]


def _hides(get: Get) -> bool:
    style = get("style")
    return get("hidden") is not None or (style is not None and HIDING_STYLE.search(style) is not None)


OPENING: dict[str, Callable[[PageReader, str, Get], None]] = {
    **dict.fromkeys(BLOCKS, PageReader._open),
    **dict.fromkeys(SKIPPED, PageReader._skip),
    **dict.fromkeys(CODES, PageReader._open_code),
    **dict.fromkeys(("sub", "sup"), PageReader._open_script),
    **dict.fromkeys(("div", "p"), PageReader._open_container),
    **dict.fromkeys(FORMULA_TAGS, PageReader._open_formula),
    "a": PageReader._open_link,
    "br": PageReader._break,
    "img": PageReader._image,
    "pre": PageReader._open_pre,
}
CLOSING: dict[str, Callable[[PageReader], None]] = {
    **dict.fromkeys(BLOCKS, PageReader._shut),
    **dict.fromkeys(CODES, PageReader._shut_code),
    "a": PageReader._shut_link,
    "pre": PageReader._shut_pre,
    "sub": lambda reader: reader._shut_script("_"),
    "sup": lambda reader: reader._shut_script("^"),
}
