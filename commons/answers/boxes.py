r"""The \boxed{...} of an output, by balanced braces: the last complete one, and boxes that are one answer."""

import re
from dataclasses import dataclass

LONGEST_BOX = 600
BOX = re.compile(r"\\(?:boxed|fbox)\s*(?=\{)")
# what may stand between two boxes of one answer: a comma or a connective, not a sentence
JOINED = re.compile(
    r"[\s$,;.()\\\[\]]*(?:\\q?quad|\\text\s*\{\s*(?:and|or|,)[^{}]{0,12}\}|\band\b|\bor\b|,|;|和|或|、|\s|\$|\\[,;:!()\[\]]"
    r"|\\text\s*\{[^{}]*\band\b[^{}]*\}|\bfor part \([a-z]\))*\s*"
)
CONNECTIVE = re.compile(r",|;|、|和|或|\band\b|\bor\b")
LONGEST_GAP = 60


@dataclass(frozen=True, slots=True)
class Box:
    """The content of a box, and where the box with its macro starts and ends."""

    content: str
    start: int
    end: int


def balanced(text: str, opening: int) -> str | None:
    r"""The text between the brace at `opening` and the one that closes it, or None; \{ and \} do not count.

    No further than LONGEST_BOX characters: thousands of open boxes would take a time that is quadratic."""
    if text[opening : opening + 1] != "{":
        return None
    depth, position = 0, opening
    while position < min(len(text), opening + LONGEST_BOX):
        letter = text[position]
        if letter == "\\":
            position += 1
        elif letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                return text[opening + 1 : position]
        position += 1
    return None


def boxes(text: str) -> list[Box]:
    """All complete boxes that are not empty, in order; a box in a box counts as one."""
    found: list[Box] = []
    for start in BOX.finditer(text):
        if found and start.start() < found[-1].end:
            continue
        content = balanced(text, start.end())
        if content is not None and content.strip():
            end = start.end() + len(content) + 2
            found.append(Box(_without_outer_box(content.strip()), start.start(), end))
    return found


def _without_outer_box(content: str) -> str:
    if not content.startswith("\\boxed"):
        return content
    inner = balanced(content, content.find("{"))
    return inner.strip() if inner is not None and inner.strip() else content


def last_boxed(text: str) -> str | None:
    r"""The content of the last \boxed{...} that is not empty; a bare or open one is passed over."""
    found = boxes(text)
    return found[-1].content if found else None


def last_answer(text: str, found: list[Box]) -> Box | None:
    r"""The last box, together with those before it that are parts of the same answer: \boxed{1} and \boxed{2}."""
    if not found:
        return None
    parts = [found[-1].content]
    start = found[-1].start
    for box in reversed(found[:-1]):
        gap = text[box.end : start]
        if len(gap) > LONGEST_GAP or not JOINED.fullmatch(gap) or len(CONNECTIVE.findall(gap)) not in (1, 2):
            break
        parts.append(box.content)
        start = box.start
    distinct = list(dict.fromkeys(reversed(parts)))
    return Box(", ".join(distinct), start, found[-1].end)
