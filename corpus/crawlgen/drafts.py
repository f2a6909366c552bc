"""What stands on a page before a site's layout is put around it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the main content.

    tag: p, h2, li, post (in a forum), code, row (cells parted by tabs) or head (a row of headings)."""

    tag: str
    text: str
    note: str = ""  # who wrote a post


@dataclass(frozen=True, slots=True)
class Draft:
    """The main content of one page; formulas in its texts are marked, not rendered."""

    title: str
    kind: str
    is_math: bool
    blocks: tuple[Block, ...]
    topic: str = ""
