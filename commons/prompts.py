"""The chat form of questions, and the grammar of what a model writes back: fenced programs, their output, the end.

Chat form and suffixes are those of the paper's evaluation (no system prompt): a question, a line that says which kind
of solution is asked for, then `Assistant:`. The program form (`pot`) and its suffixes are ours.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

FORMS = ("cot", "pot", "tool")
LANGUAGES = ("en", "zh")

# raw strings: in a plain one `\b` is a backspace character, and the model would read "oxed"
SUFFIXES = {
    ("cot", "en"): r"Please reason step by step, and put your final answer within \boxed{}.",
    ("cot", "zh"): r"请通过逐步推理来解答问题，并把最终答案放置于\boxed{}中。",
    ("tool", "en"): r"Please integrate natural language reasoning with programs to solve the problem above, "
    r"and put your final answer within \boxed{}.",
    ("tool", "zh"): r"请结合自然语言和Python程序语言来解答问题，并把最终答案放置于\boxed{}中。",
    ("pot", "en"): "Please write a Python program that solves the problem and prints the final answer.",
    ("pot", "zh"): "请编写一个Python程序来解答问题，并打印出最终答案。",
}
FEW_SHOT_WORDS = {"en": ("Question: ", "Answer: "), "zh": ("问题：", "答案：")}

FENCE_LINE = re.compile(r"^```[ \t]*(\w*)[ \t]*$", re.MULTILINE)
# only at the start of a line and after something else was written: "the question: ..." inside a sentence goes on
NEXT_QUESTION = re.compile(r"(?<=\S)\s*\n(?:User|Question|Problem|Q):|(?<=\S)\s*\n问题\s*\d*\s*[:：.]")


@dataclass(frozen=True, slots=True)
class Fence:
    """One fenced block. `start` and `end` are offsets of the whole block in the text, its two fence lines included."""

    language: str
    body: str
    closed: bool
    start: int
    end: int


def prompt(question: str, form: str, language: str) -> str:
    """The text of one question up to and including `Assistant:`; a solution follows after one space (section 4)."""
    if (form, language) not in SUFFIXES:
        raise ValueError(f"no prompt for form {form!r} in language {language!r}: forms {FORMS}, languages {LANGUAGES}")
    return f"User: {question.strip()}\n{SUFFIXES[form, language]}\n\nAssistant:"


def few_shot(examples: Iterable[tuple[str, str]], question: str, language: str = "en") -> str:
    """Worked (question, solution) examples and then the question, for a model that was never taught the chat form."""
    ask, answer = FEW_SHOT_WORDS[language]
    shots = "".join(f"{ask}{shot.strip()}\n{answer}{solution.strip()}\n\n" for shot, solution in examples)
    return f"{shots}{ask}{question.strip()}\n{answer.rstrip(' ')}"


def fences(text: str) -> list[Fence]:
    """The fenced blocks of a text in order, by grammar: a fence line opens, the next bare one closes.

    Inside an open block a line "```python" is content that cannot be Python, so it is read as a new opening: the model
    forgot to close. A block still open at the end of the text is given with closed=False."""
    found: list[Fence] = []
    opening: re.Match[str] | None = None
    for line in FENCE_LINE.finditer(text):
        if opening is None:
            opening = line
        elif line[1]:
            found.append(_fence(text, opening, line.start(), line.start(), closed=False))
            opening = line
        else:
            found.append(_fence(text, opening, line.start(), line.end(), closed=True))
            opening = None
    if opening is not None:
        found.append(_fence(text, opening, len(text), len(text), closed=False))
    return found


def _fence(text: str, opening: re.Match[str], body_end: int, end: int, *, closed: bool) -> Fence:
    body = text[min(opening.end() + 1, body_end) : body_end]
    return Fence(opening[1].lower(), body, closed, opening.start(), end)


def programs(text: str) -> list[str]:
    """The complete Python programs of a text, in order; "```" without a language counts as Python."""
    return [fence.body for fence in fences(text) if fence.closed and fence.language in ("python", "py", "")]


def output_block(printed: str) -> str:
    """The block by which the runner tells the model what its program printed. It starts and ends its own lines."""
    return f"```output\n{printed.strip()}\n```\n"


def last_output(text: str) -> str | None:
    """What the last program of a text printed, or None."""
    bodies = [fence.body for fence in fences(text) if fence.language == "output" and fence.closed]
    return bodies[-1].strip() if bodies else None


def prose(text: str) -> str:
    """The text without its fenced blocks: where a written answer may stand."""
    if "```" not in text:
        return text
    pieces, position = [], 0
    for fence in fences(text):
        pieces.append(text[position : fence.start])
        position = fence.end
    pieces.append(text[position:])
    return "".join(pieces)


def cut_at_next_question(text: str) -> str:
    """What the model wrote for its own question: everything before it starts to ask the next one itself."""
    marker = NEXT_QUESTION.search(text)
    return text if marker is None else text[: marker.start()]
