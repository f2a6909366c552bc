"""Which blocks of a page are its main content: by share of links, by words in class names, by the densest container.

The rule has three parts. A container is boilerplate when its class or id says so, unless it holds half of the page's
prose, or nothing would be left of a page with prose: then the words mean something else. The main container is found
by going down from the root as long as one child holds `DESCENT` of the prose. A block in it stays unless most of it is
links; leads that stand before the main container stay too; headings without a section go. The thresholds were chosen
on the development halves of bench/extraction.py.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.text.placeholders import START
from corpus.text.tags import BOILERPLATE_TAGS, HEADINGS, Tag

DESCENT = 0.8
LINKED_SHARE = 0.6
PROSE_LINKED_SHARE = 0.4
PROSE_BYTES = 20
LEAD_BYTES = 80
LEAD_LINKED_SHARE = 0.2
LEAD_PARENTS = 2
PARAGRAPH_BYTES = 150
BOILERPLATE_SHARE = 0.5
BARE_BOILERPLATE_SHARE = 0.3
MISNAMED_BYTES = 500
GAP_BYTES = 200
FORMULA_BYTES = 30
MIN_MAIN_BYTES = 50
BARE_BYTES = 150
BARE_SHARE = 0.3

# A sign of a sentence. It begins with one set of characters, so that the search skips from one to the next.
SENTENCE = re.compile(r"[.!?,;:…。，！？；：、](?:(?<=[。，！？；：、])|(?<=[.!?,;:])[\s\"'”’)]|(?<=[.!?…])$)")
PROSE_TAGS = frozenset({"p", "ul", "ol", "table", "tbody", "tr", "blockquote", "pre", "dl"})


class Block(NamedTuple):
    """A run of text between two block elements; `linked` characters of it are links; `node`: its container."""

    text: str
    linked: int
    node: int


@dataclass(frozen=True, slots=True)
class Outline:
    """The blocks of a page in order, its block elements and the number of the parent of each.

    Parents come before their children; 0 is the root, its own parent.
    """

    blocks: list[Block]
    nodes: list[Tag]
    parents: list[int]


class Measures(NamedTuple):
    """For each block: its bytes, the share of them in links, the bytes of prose in it (0 when it is none)."""

    sizes: list[int]
    linked_shares: list[float]
    prose: list[float]


def main_blocks(page: Outline) -> list[int]:
    """Numbers of the blocks that are main content, in order."""
    measures = _measures(page.blocks)
    kept = _main(page, measures, _boilerplate(page, measures))
    if True not in kept and sum(measures.prose) >= MISNAMED_BYTES:
        kept = _main(page, measures, _boilerplate(page, measures, by_names=False))
    return [number for number, keep in enumerate(kept) if keep]


def is_bare(page: Outline, kept: Sequence[int]) -> bool:
    """Whether a page with this main content has next to none: little of all that it shows, and no prose like a lead's.

    Names decide by the share of all text here: a line of prose in a footer is much of the prose of such a page."""
    main = 0
    for number in kept:
        main += _measures([page.blocks[number]]).sizes[0]
        if main >= BARE_BYTES:  # as most pages have
            return False
    measures = _measures(page.blocks)
    if main >= BARE_SHARE * sum(measures.sizes):
        return False
    nothing = [0.0] * len(page.blocks)
    dropped = _boilerplate(page, Measures(measures.sizes, nothing, nothing))
    prose = sum(good for block, good in zip(page.blocks, measures.prose, strict=True) if not dropped[block.node])
    return prose < LEAD_BYTES


def _main(page: Outline, measures: Measures, dropped: Sequence[bool]) -> list[bool]:
    """Per block whether it is main content, when these nodes are boilerplate."""
    top = _main_container(page, measures, dropped)
    kept = _kept(page, measures, dropped, top)
    if sum(size for size, keep in zip(measures.sizes, kept, strict=True) if keep) < MIN_MAIN_BYTES:
        kept = [
            not dropped[block.node] and share < LINKED_SHARE
            for block, share in zip(page.blocks, measures.linked_shares, strict=True)
        ]
    _close_gaps(kept, page, measures, dropped)
    _drop_empty_sections(kept, page, measures)
    return kept


def _measures(blocks: Sequence[Block]) -> Measures:
    sizes: list[int] = []
    linked_shares: list[float] = []
    prose: list[float] = []
    for text, linked, _ in blocks:
        size = len(text) if text.isascii() else len(text.encode())
        share = min(1.0, linked / len(text)) if linked else 0.0
        if START in text:
            size += FORMULA_BYTES * text.count(START)
            good = share < PROSE_LINKED_SHARE
        else:
            good = share < PROSE_LINKED_SHARE and size >= PROSE_BYTES and SENTENCE.search(text) is not None
        sizes.append(size)
        linked_shares.append(share)
        prose.append(size * (1 - share) if good else 0.0)
    return Measures(sizes, linked_shares, prose)


def _boilerplate(page: Outline, measures: Measures, *, by_names: bool = True) -> list[bool]:
    """For each node whether it is boilerplate, by itself or through an ancestor; `by_names`: its class may say so."""
    parents = page.parents
    dropped = [False] * len(parents)
    suspects = [
        (number, node)
        for number, node in enumerate(page.nodes)
        if node.hidden or (node.boilerplate and (by_names or node.name in BOILERPLATE_TAGS))
    ]
    if not suspects:
        return dropped
    held = _held(page, measures.prose)
    limit = BOILERPLATE_SHARE * held[0]
    if not held[0]:
        bare = [size * (1 - share) for size, share in zip(measures.sizes, measures.linked_shares, strict=True)]
        held = _held(page, bare)
        limit = BARE_BOILERPLATE_SHARE * held[0]
    formulas = held
    if any(node.hidden or node.name == "figcaption" for _, node in suspects):
        formulas = _held(page, [START in block.text for block in page.blocks])
    for number, node in suspects:
        named = node.boilerplate and (by_names or node.name in BOILERPLATE_TAGS)
        boilerplate = named and held[number] < limit
        kept_caption = node.name == "figcaption" and formulas[number] > 0
        dropped[number] = (boilerplate and not kept_caption) or (node.hidden and not formulas[number])
    if any(dropped):
        for number in range(1, len(parents)):
            if dropped[parents[number]]:
                dropped[number] = True
    return dropped


def _held(page: Outline, amounts: Sequence[float]) -> list[float]:
    """For each node the sum of these amounts over the blocks in it."""
    sums = [0.0] * len(page.nodes)
    for block, amount in zip(page.blocks, amounts, strict=True):
        sums[block.node] += amount
    _add_to_ancestors(sums, page.parents)
    return sums


def _add_to_ancestors(sums: list[float], parents: Sequence[int]) -> None:
    for node in range(len(parents) - 1, 0, -1):
        if sums[node]:
            sums[parents[node]] += sums[node]


def _main_container(page: Outline, measures: Measures, dropped: Sequence[bool]) -> int:
    """The deepest node on the way down along which each child holds DESCENT of what its parent holds."""
    parents = page.parents
    prose = [0.0] * len(parents)
    for block, good in zip(page.blocks, measures.prose, strict=True):
        if good and not dropped[block.node]:
            prose[block.node] += good
    own = list(prose)
    _add_to_ancestors(prose, parents)
    best, most = [0] * len(parents), [0.0] * len(parents)
    for node, (parent, amount) in enumerate(zip(parents, prose, strict=True)):
        if amount > most[parent] and node:
            best[parent], most[parent] = node, amount
    top = 0
    while best[top]:
        child = best[top]
        spread = prose[child] < DESCENT * prose[top] or own[top] > (1 - DESCENT) * prose[top]
        if spread or page.nodes[child].name in PROSE_TAGS:
            break
        top = child
    return top


def _kept(page: Outline, measures: Measures, dropped: Sequence[bool], top: int) -> list[bool]:
    """Per block: in the main container and not mostly links, or a lead that stands before it."""
    parents = page.parents
    end = _end_of(top, parents)
    above = top
    for _ in range(LEAD_PARENTS):
        above = parents[above]
    near = _end_of(above, parents)
    kept = []
    for (_, _, node), size, share, good in zip(page.blocks, *measures, strict=True):
        if dropped[node]:
            kept.append(False)
        elif top <= node < end:
            kept.append(share < LINKED_SHARE)
        else:
            lead = above <= node < min(top, near) and good > 0 and size >= LEAD_BYTES
            kept.append(lead and share < LEAD_LINKED_SHARE)
    return kept


def _end_of(root: int, parents: Sequence[int]) -> int:
    """The number behind those of all that is in a node: what is in it stands together."""
    for node in range(root + 1, len(parents)):
        if parents[node] < root:
            return node
    return len(parents)


def _close_gaps(kept: list[bool], page: Outline, measures: Measures, dropped: Sequence[bool]) -> None:
    """Keeps a short run of links that stands between two pieces of kept prose."""
    prose = measures.prose
    for number in range(1, len(kept) - 1):
        if not kept[number] and kept[number - 1] and kept[number + 1] and prose[number - 1] and prose[number + 1]:
            kept[number] = not dropped[page.blocks[number].node] and measures.sizes[number] < GAP_BYTES


def _drop_empty_sections(kept: list[bool], page: Outline, measures: Measures) -> None:
    """Drops headings after which no text is kept before the next heading of the same or a higher rank.

    A paragraph of prose in the tags of a heading is text.
    """
    filled = [False] * (len(HEADINGS) + 1)
    for number in range(len(kept) - 1, -1, -1):
        rank = HEADINGS.get(page.nodes[page.blocks[number].node].name)
        if rank is None or (measures.prose[number] and measures.sizes[number] >= PARAGRAPH_BYTES):
            if kept[number]:
                filled = [True] * len(filled)
            continue
        kept[number] = kept[number] and filled[rank]
        filled[rank:] = [False] * (len(filled) - rank)
