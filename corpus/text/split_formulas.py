"""Displayed formulas whose lines stand in paragraphs of their own."""

from corpus.text.delimiters import opens_display, save_written_formulas
from corpus.text.main_content import Block
from corpus.text.placeholders import Formulas

MAX_SPLIT_BLOCKS = 20


def join_split_formulas(blocks: list[Block], formulas: Formulas) -> list[Block]:
    """The blocks with each displayed formula that was spread over several of them in the first."""
    joined: list[Block] = []
    position = 0
    while position < len(blocks):
        block = blocks[position]
        position += 1
        closing = opens_display(block.text) if "$$" in block.text or "\\" in block.text else ""
        if closing:
            for ahead in range(position, min(position + MAX_SPLIT_BLOCKS, len(blocks))):
                if closing in blocks[ahead].text:
                    lines = "\n".join(other.text for other in blocks[position - 1 : ahead + 1])
                    written = save_written_formulas(lines, formulas, asciimath=False)
                    if written != lines:
                        block, position = block._replace(text=written.strip() or block.text), ahead + 1
                    break
        joined.append(block)
    return joined
