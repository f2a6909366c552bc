"""The final answer of an output, as text. A first version: what it means is decided in `equivalence`."""

import re

from commons.prompts import cut_at_next_question, last_output, prose

LONGEST_BOX = 600

# the answer runs to the end of its line; the sentence end is taken off afterwards
PHRASE = re.compile(
    r"(?:\bfinal\s+answer|\banswer)\s*(?:is\s*:?|:)[ \t]*(?P<english>[^\n]+)"
    r"|(?:答案|答)\s*(?:是|为|[:：])\s*[:：]?[ \t]*(?P<chinese>[^\n]+)"
    r"|^[ \t]*####[ \t]*(?P<hashes>[^\n]+)",
    re.IGNORECASE | re.MULTILINE,
)
SENTENCE_END = re.compile(r"[。！？]|[.!?](?:\s|$)|[;；]\s")


def extract_answer(output: str) -> str | None:
    r"""The answer of an output: last complete \boxed, else last anchored phrase, else what the last program printed.

    Text after the next-question marker and text inside fenced blocks is not searched for boxes and phrases."""
    own = cut_at_next_question(output)
    written = prose(own)
    boxed = last_boxed(written)
    if boxed is not None:
        return boxed
    phrased = last_phrase(written)
    if phrased is not None:
        return phrased
    printed = last_output(own) if "```output" in own else None
    return printed_answer(printed) if printed else None


def last_boxed(text: str) -> str | None:
    r"""The content of the last \boxed{...} that is not empty; a bare or open one is passed over."""
    position = text.rfind("\\boxed")
    while position >= 0:
        opening = position + len("\\boxed")
        while text[opening : opening + 1] == " ":
            opening += 1
        content = balanced(text, opening)
        if content is not None and content.strip():
            return _without_outer_box(content.strip())
        position = text.rfind("\\boxed", 0, position)
    return None


def _without_outer_box(content: str) -> str:
    """A box in a box, as some models write, counts as one."""
    if not content.startswith("\\boxed"):
        return content
    inner = balanced(content, len("\\boxed"))
    return inner.strip() if inner is not None and inner.strip() else content


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


def last_phrase(text: str) -> str | None:
    """What follows the last "the answer is", "Answer:", "答案是" or "####", up to the end of its sentence."""
    phrases = list(PHRASE.finditer(text))
    if not phrases:
        return None
    last = phrases[-1]
    rest = (last["english"] or last["chinese"] or last["hashes"]).replace("**", "").strip()
    end = SENTENCE_END.search(rest)
    answer = (rest[: end.start()] if end and end.start() else rest).strip()
    return answer or None


def printed_answer(printed: str) -> str | None:
    """The answer in what a program printed: a box or phrase if it printed one, else its last line that is not empty."""
    found = last_boxed(printed) or last_phrase(printed)
    if found is not None:
        return found
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return lines[-1] if lines else None
