"""Pieces of markup -> blocks of text, in one pass, with every formula already an opaque word."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any, TypeAlias

from corpus.text.constructs import Sources, construct_of, formula_of, image_formula, is_tex_code, sources_of
from corpus.text.delimiters import save_written_formulas
from corpus.text.images import may_show_formula
from corpus.text.main_content import Block, Outline
from corpus.text.markup import VOID, attributes_of, element_of, pieces_of, rest_of, text_behind, unescaped
from corpus.text.placeholders import BREAK, START, Formulas
from corpus.text.split_formulas import join_split_formulas
from corpus.text.tags import BLOCKS, CODES, SKIPPED, Tag, tag_of

# Containers in containers that hold no formula are read again at each level, up to this one.
MAX_REPLAYS = 5
# Text of code is no formula: its dollars and backslashes wait under other names until the block is complete.
CODE = str.maketrans({"$": "\x04", "\\": "\x05", "`": "\x06"})
UNCODE = str.maketrans({"\x04": "$", "\x05": "\\", "\x06": "`"})
# Start tags that seldom repeat, so that it does not pay to remember them.
UNIQUE = frozenset({"a ", "im", "!-"})
BREAKS = re.compile(rf" ?(?:{BREAK} ?)+")
ORDINALS_WORDS = "st nd rd th e er re ème º ª tm ® ™ sm"
ORDINALS = frozenset(ORDINALS_WORDS.split())
SCRIPT_CHARACTERS = 24

Pieces: TypeAlias = Iterator[str]


class PageReader:
    """Reads the pieces of one page; `close` gives its blocks; `formulas` fills up on the way.

    A handler takes the tag, the text behind it and the pieces that follow; it gives the text that is to be read next,
    which is another one where the element is not read.
    """

    def __init__(self, formulas: Formulas, page: str) -> None:
        """`page`: asked for what it loads when a formula may depend on that."""
        self._formulas, self._page = formulas, page
        self._blocks: list[Block] = []
        self._nodes, self._parents = [ROOT], [0]
        self._node = 0
        self._parts: list[str] = []
        self._linked = self._links = self._codes = 0
        self._coded = self._written = False
        self._code_starts: list[int] = []
        self._replays = 0
        self._scripts: list[int] = []

    def read(self, pieces: Pieces) -> None:  # noqa: C901  # where the time goes: what most tags do stands here
        """Reads all of the pieces."""
        parts, nodes, parents, known = self._parts, self._nodes, self._parents, _KNOWN
        for piece in pieces:
            markup, closed, text = piece.partition(">")
            action = known.get(markup)
            if not closed:
                text = text_behind(piece, pieces)
            elif action is None and (start := markup[:2]) in UNIQUE:
                if start == "a ":
                    # An anchor is a place to which others link.
                    self._links = " href=" in markup or " name=" not in markup
                else:
                    text = self._image_or_comment(piece, text, pieces)
            else:
                handler, tag = action or _learned(markup)
                if handler is SHUT:
                    if parts:
                        self._flush()
                    self._node = parents[self._node]
                elif handler is OPEN:
                    if parts:
                        self._flush()
                    parents.append(self._node)
                    self._node = len(nodes)
                    nodes.append(tag)
                elif tag is SHUTS:
                    if handler:
                        handler(self)
                elif handler:
                    text = handler(self, tag, text, pieces)
            if not text:
                continue
            if self._codes:
                parts.append(text.translate(CODE))
            elif parts or not text.isspace():
                parts.append(text)
                if self._links:
                    self._linked += len((unescaped(text) if "&" in text else text).strip())

    def close(self) -> Outline:
        """The page has ended."""
        self._flush()
        blocks = join_split_formulas(self._blocks, self._formulas) if self._written else self._blocks
        if self._coded:
            blocks = [
                block if block.text.isprintable() else block._replace(text=block.text.translate(UNCODE))
                for block in blocks
            ]
        return Outline(blocks, self._nodes, self._parents)

    @cached_property
    def _asciimath(self) -> bool:
        return "asciimath" in self._page.lower()

    @cached_property
    def _sources(self) -> Sources:
        return sources_of(self._page)

    def _image_or_comment(self, piece: str, text: str, pieces: Pieces) -> str:
        if piece[0] == "!":
            return text_behind(piece, pieces)
        if may_show_formula(piece):
            found = image_formula(attributes_of(piece.partition(">")[0]).get)
            if found:
                self._parts.append(self._formulas.word_for(found[0], display=found[1], kind="image"))
        return text

    def _open(self, tag: Tag, text: str, pieces: Pieces) -> str:
        if self._parts:
            self._flush()
        self._parents.append(self._node)
        self._node = len(self._nodes)
        self._nodes.append(tag)
        return text

    def _shut(self) -> None:
        if self._parts:
            self._flush()
        self._node = self._parents[self._node]

    def _rule(self, tag: Tag, text: str, pieces: Pieces) -> str:
        self._open(tag, "", pieces)
        self._shut()
        return text

    def _open_pre(self, tag: Tag, text: str, pieces: Pieces) -> str:
        self._codes += 1
        return self._open(tag, text, pieces)

    def _shut_pre(self) -> None:
        self._shut()
        self._codes = max(self._codes - 1, 0)

    def _skip(self, tag: Tag, text: str, pieces: Pieces) -> str:
        if self._parts:
            self._parts.append(" ")
        return self._hide(tag, text, pieces)

    def _hide(self, tag: Tag, text: str, pieces: Pieces) -> str:
        return text if tag.name in VOID else rest_of(tag.name, pieces)[1]

    def _frames(self, tag: Tag, text: str, pieces: Pieces) -> str:
        """What a page of frames shows where there are none: markup that stands as text."""
        inside, behind = rest_of(tag.name, pieces)
        self.read(pieces_of("<".join([text, *inside])))
        return behind

    def _raw(self, tag: Tag, text: str, pieces: Pieces) -> str:
        """Text in which markup says nothing."""
        inside, behind = rest_of(tag.name, pieces)
        self._coded = True
        self._open(tag, "", pieces)
        self._parts.append("<".join([text, *inside]).replace("&", "&amp;").translate(CODE))
        self._shut()
        return behind

    def _open_container(self, tag: Tag, text: str, pieces: Pieces) -> str:
        """An element that may hold a formula; one that holds none after all is read like any other."""
        if self._replays >= MAX_REPLAYS:
            handler = _ordinary(tag)
            return handler(self, tag, text, pieces) if handler else text
        inside, behind = rest_of(tag.name, pieces)
        kind = construct_of(tag.name, attributes_of(tag.markup).get, lambda: self._sources)
        element = None if kind == "drawn" else element_of(tag.markup, text, inside)
        formula = ("", False) if kind == "drawn" else None if element is None else formula_of(element, kind)
        if formula is None:
            self._replay(tag, text, inside)
        else:
            self._parts.append(self._formulas.word_for(formula[0], display=formula[1], kind=kind))
        return behind

    def _replay(self, tag: Tag, text: str, inside: list[str]) -> None:
        opening, closing = _ordinary(tag), CLOSING.get(f"/{tag.name}")
        self._replays += 1
        pieces = iter(inside)
        if opening:
            text = opening(self, tag, text, pieces)
        self.read(iter([f">{text}"]))
        self.read(pieces)
        if closing:
            closing(self)
        self._replays -= 1

    def _shut_link(self) -> None:
        self._links = False

    def _open_link(self, tag: Tag, text: str, pieces: Pieces) -> str:
        self._links = True
        return text

    def _open_code(self, tag: Tag, text: str, pieces: Pieces) -> str:
        self._codes += 1
        self._coded = True
        self._code_starts.append(len(self._parts))
        return text

    def _shut_code(self) -> None:
        """Code in a line that is TeX of a formula is one: pages of exercises draw it with a script."""
        self._codes = max(self._codes - 1, 0)
        first = self._code_starts.pop() if self._code_starts else 0
        if self._codes:
            return
        latex = unescaped("".join(self._parts[first:]).translate(UNCODE))
        if is_tex_code(latex):
            self._parts[first:] = [self._formulas.word_for(latex, display=False, kind="code")]

    def _break(self, tag: Tag, text: str, pieces: Pieces) -> str:
        self._parts.append(f" {BREAK} ")
        return text

    def _open_script(self, tag: Tag, text: str, pieces: Pieces) -> str:
        self._scripts.append(len(self._parts))
        return text

    def _shut_script(self, mark: str) -> None:
        """`x<sup>2</sup>` becomes x^2; foot-note marks and ordinals stay as they are."""
        if not self._scripts:
            return
        first = self._scripts.pop()
        text = unescaped("".join(self._parts[first:]).strip())
        plain = text and len(text) <= SCRIPT_CHARACTERS and text.lower() not in ORDINALS and not self._links
        if plain and START not in text and BREAK not in text and not text.startswith("["):
            self._parts[first:] = [(mark + (text if len(text) == 1 else f"{{{text}}}")).replace("&", "&amp;")]

    def _flush(self) -> None:
        """Ends the run of text: its written formulas become words, white space is squeezed outside of `pre`."""
        parts = self._parts
        raw = parts[0] if len(parts) == 1 else "".join(parts)
        parts.clear()
        linked, self._linked = self._linked, 0
        if "&" in raw:
            raw = unescaped(raw)
        if "$" in raw or "\\" in raw or "`" in raw:
            self._written = True
            raw = save_written_formulas(raw, self._formulas, asciimath="`" in raw and self._asciimath)
        if self._codes and self._nodes[self._node].name == "pre":
            text = raw.replace(BREAK, "\n").strip("\n\r").rstrip()
        else:
            text = " ".join(raw.split())
            if BREAK in text:
                text = BREAKS.sub("\n", text).strip()
        if text:
            self._blocks.append(NEW_BLOCK((text, linked, self._node)))


Handler: TypeAlias = Callable[[PageReader, Tag, str, Pieces], str]
OPEN, SHUT = PageReader._open, PageReader._shut
NEW_BLOCK = partial(tuple.__new__, Block)  # a third of the time of calling Block
ROOT = Tag("html", "html", boilerplate=False, hidden=False, formula=False)
OPENING: dict[str, Handler] = {
    **dict.fromkeys(BLOCKS, OPEN),
    **dict.fromkeys(SKIPPED, PageReader._skip),
    **dict.fromkeys(CODES, PageReader._open_code),
    **dict.fromkeys(("sub", "sup"), PageReader._open_script),
    **dict.fromkeys(("xmp", "plaintext"), PageReader._raw),
    "a": PageReader._open_link,
    "br": PageReader._break,
    "hr": PageReader._rule,
    "noframes": PageReader._frames,
    "pre": PageReader._open_pre,
}
CLOSING: dict[str, Callable[[PageReader], None]] = {
    **{f"/{name}": SHUT for name in BLOCKS - {"noframes"}},
    **{f"/{name}": PageReader._shut_code for name in CODES},
    "/a": PageReader._shut_link,
    "/pre": PageReader._shut_pre,
    "/sub": lambda reader: reader._shut_script("_"),
    "/sup": lambda reader: reader._shut_script("^"),
}


def _ordinary(tag: Tag) -> Handler | None:
    """What happens at a start tag when it holds no formula."""
    hidden = tag.hidden and tag.name not in VOID
    return OPENING.get(tag.name, PageReader._hide if hidden else None)


# Tags that were seen: what happens at them, and what they say; SHUTS is what each end tag says. An lru_cache took a
# sixth of the time of a page; a full dictionary begins anew.
_KNOWN: dict[str, tuple[Callable[..., Any] | None, Tag]] = {}
SHUTS = Tag("", "", boilerplate=False, hidden=False, formula=False)


def _learned(markup: str) -> tuple[Callable[..., Any] | None, Tag]:
    """What happens at a tag, in which `markup` is what stands between `<` and `>`."""
    if len(_KNOWN) >= 65_536:
        _KNOWN.clear()
    tag = SHUTS if markup.startswith("/") else tag_of(markup)
    closing = CLOSING.get(markup) if tag is SHUTS else None
    _KNOWN[markup] = action = closing or (PageReader._open_container if tag.formula else _ordinary(tag)), tag
    return action
