"""What the converter of MathML asks of single elements: names, children, fences, lines of fractions."""

import re
from typing import TypeAlias

from lxml import etree

Element: TypeAlias = etree._Element
OPENING, CLOSING = "([{⟨⌊⌈|‖⟦⎰⟮⌜⌞〈", ")]}⟩⌋⌉|‖⟧⎱⟯⌝⌟〉"
EITHER = "/\\↑↓↕⇑⇓⇕|‖"
INVISIBLE = " \t\r\n\u2061\u2062\u2063\u2064"
IGNORED = frozenset({"", "annotation", "annotation-xml", "maligngroup", "malignmark", "script", "style"})


def local_name(node: Element) -> str:
    """The tag without its name space or prefix; empty for comments and the like."""
    return str(node.tag).rpartition("}")[2].rpartition(":")[2].lower() if isinstance(node.tag, str) else ""


def children_of(node: Element) -> list[Element]:
    """The child elements that are shown."""
    return [child for child in node if local_name(child) not in IGNORED]


def visible_in(node: Element) -> list[Element]:
    """Those that are no space."""
    return [child for child in children_of(node) if local_name(child) != "mspace"]


def text_in(node: Element) -> str:
    """All text of an element without white space and invisible operators at its ends."""
    return "".join(node.itertext()).strip(INVISIBLE)


def is_stretchy(node: Element, characters: str) -> bool:
    """Whether an element is an operator of these characters that grows with what it encloses."""
    return (
        local_name(node) == "mo"
        and node.get("stretchy") != "false"
        and node.get("maxsize") is None
        and (text_in(node) in characters or node.get("stretchy") == "true")
        and text_in(node) != ""
    )


def is_empty_fence(node: Element) -> bool:
    """Whether an operator shows nothing."""
    return local_name(node) == "mo" and not text_in(node)


def is_middle(node: Element) -> bool:
    """Whether an operator stands between two parts of a fenced row and grows with them."""
    return local_name(node) == "mo" and node.get("stretchy") == "true" and text_in(node) in OPENING + CLOSING + EITHER


def has_no_line(node: Element) -> bool:
    """Whether a fraction is written without its line."""
    return re.match(r"0(?:\.0+)?(?:[a-z%]|$)", node.get("linethickness", "")) is not None
