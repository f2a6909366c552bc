"""Which text of an output is its answer: ranked, anchored patterns; what the text means is decided by `reading`.

Ranks: the last complete box, or a "final answer is" behind it; else the last anchored phrase; else what the last
program printed. The last number of the prose is read only where that is asked for: it is a guess."""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from commons.answers.boxes import Box, boxes, last_answer
from commons.answers.reading import parse
from commons.answers.values import Text
from commons.prompts import cut_at_next_question, last_output, prose

Policy = Literal["last", "first", "all"]

# the answer runs to the end of its line; the sentence end is taken off afterwards
PHRASE = re.compile(
    r"(?:\bfinal\s+answer|\banswer)\s*(?:is\s*:?|:)[ \t]*(?P<english>\S[^\n]*)"
    r"|(?:答案|答)\s*(?:是|为|[:：])\s*[:：]?[ \t]*(?P<chinese>\S[^\n]*)"
    r"|^[ \t]*####[ \t]*(?P<hashes>\S[^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
FINAL = re.compile(r"\bfinal\s+answer\s*(?:is\s*:?|:)", re.IGNORECASE)
SENTENCE_END = re.compile(r"[。！？]|(?<![ap]\.m)[.!?](?:\s|$)|[;；]\s")
COPULA = re.compile(
    r".*(?:\b(?:is|are|be|equals|becomes)\b|应该是|等于|共有|[是为])\s*[:：]?\s*(?P<rest>\S.*)$", re.DOTALL
)
SEGMENT = re.compile(
    r"\$\$(.+?)\$\$|(?<!\\)\$(.+?)(?<!\\)\$|\\\[(.+?)\\\]|\\\((.+?)\\\)|(\\[dt]?frac\s*\{[^{}]+\}\s*\{[^{}]+\})",
    re.DOTALL,
)
DIGITS = r"(?:[1-9]\d{0,2}(?:[, ]\d{3})+(?:\.\d+)?(?!\d)|\d+[.,]\d+|\d+|\.\d+)"
NUMBER = re.compile(rf"(?<![\d.,A-Za-z^_{{])(?:(?<![\d)\w] )(?<![\d)\w])-\s?)?{DIGITS}(?:\s?/\s?{DIGITS})?(?:\s*\\?%)?")
SPECIAL_TOKEN = re.compile(r"<\|[a-z_]+\|>|</s>")
LONGEST_SEGMENT = 400


@dataclass(frozen=True, slots=True)
class Found:
    """The text of an answer and the pattern that found it: box, final, phrase, program, formula or number."""

    text: str
    pattern: str


def extract_answer(output: str, *, policy: Policy = "last", guess: bool = False) -> str | None:
    r"""The answer of an output: last complete \boxed, else last anchored phrase, else what the last program printed.

    Text after the next-question marker and text inside fenced blocks is not searched for boxes and phrases."""
    found = find_answer(output, policy=policy, guess=guess)
    return None if found is None else found.text


def find_answer(output: str, *, policy: Policy = "last", guess: bool = False) -> Found | None:
    """The answer with the pattern that found it. `policy` is for outputs with several boxes, or several phrases where
    there is no box: the last one, the first, or all as a list. `guess` allows the last formula or number of the text
    where nothing is anchored."""
    own = own_part(output)
    written = prose(own)
    found = boxes(written) if "\\boxed" in written or "\\fbox" in written else []
    box = _by_policy(written, found, policy)
    if box is not None:
        later = _final_behind(written, box) if policy == "last" else None
        return Found(box.content, "box") if later is None else Found(later, "final")
    phrased = last_phrase(written) if policy == "last" else _phrase_by_policy(written, policy)
    if phrased is not None:
        return Found(phrased, "phrase")
    printed = last_output(own) if "```output" in own else None
    answer = printed_answer(printed) if printed else None
    if answer is not None:
        return Found(answer, "program")
    return guessed(written) if guess else None


def own_part(output: str) -> str:
    """What the model wrote for its own question: before a special token and before the next question."""
    special = SPECIAL_TOKEN.search(output) if "<" in output else None
    return cut_at_next_question(output if special is None else output[: special.start()])


def cut_at_stops(text: str, stops: Iterable[str]) -> tuple[str, str | None]:
    """(the text before the first line that starts with a stop word, that word); (text, None) where there is none.

    The same words as for generation: a server may have ignored them, and inside a line they are no stop."""
    words = [stop.strip("\n") for stop in stops if stop.strip()]
    if not words:
        return text, None
    found = re.search(r"^[ \t]*(" + "|".join(map(re.escape, words)) + ")", text, re.MULTILINE)
    return (text, None) if found is None else (text[: found.start()].rstrip("\n"), found[1])


def _by_policy(text: str, found: list[Box], policy: Policy) -> Box | None:
    if not found:
        return None
    if policy == "last":
        return last_answer(text, found)
    if policy == "first":
        return found[0]
    return Box(", ".join(dict.fromkeys(box.content for box in found)), found[0].start, found[-1].end)


def _final_behind(text: str, box: Box) -> str | None:
    """The answer of a "final answer is" behind the last box, when it is mathematics; a box inside of it is the box."""
    if not FINAL.search(text, box.end):
        return None
    phrased = last_phrase(text[box.end :])
    if phrased is None or isinstance(parse(phrased), Text | None):
        return None
    return phrased


def last_phrase(text: str) -> str | None:
    """What follows the last "the answer is", "Answer:", "答案是" or "####", up to the end of its sentence."""
    last = _last(PHRASE, text)
    if last is None:
        return None
    while later := PHRASE.search(text, last.start() + 1):  # a phrase takes its line, a later one may stand in it
        last = later
    return _answer_of(last)


def _phrase_by_policy(text: str, policy: Policy) -> str | None:
    answers: dict[str, None] = {}
    match = PHRASE.search(text)
    while match:
        if answer := _answer_of(match):
            answers.setdefault(answer)
            if policy == "first":
                break
        match = PHRASE.search(text, match.start() + 1)
    return ", ".join(answers) or None


def _answer_of(phrase: re.Match[str]) -> str | None:
    rest = (phrase["english"] or phrase["chinese"] or phrase["hashes"]).replace("**", "").strip()
    end = SENTENCE_END.search(rest)
    answer = (rest[: end.start()] if end and end.start() else rest).strip()
    return _settled(answer) if answer else None


def _settled(answer: str) -> str:
    """The answer itself; where that is a sentence, what stands behind its last "is" or its only formula."""
    if not isinstance(parse(answer), Text | None):
        return answer
    copula = COPULA.match(answer)
    if copula is not None and not isinstance(parse(copula["rest"]), Text | None):
        return copula["rest"]
    formulas = [segment for segment in segments(answer) if parse(segment) is not None]
    return formulas[0] if len(formulas) == 1 else answer


def printed_answer(printed: str) -> str | None:
    """The answer in what a program printed: a box or phrase if it printed one, else its last line that is not empty."""
    box = last_answer(printed, boxes(printed)) if "\\boxed" in printed else None
    found = last_phrase(printed) if box is None else box.content
    if found is not None:
        return found
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return lines[-1] if lines else None


def segments(text: str) -> list[str]:
    """The formulas of a text between their delimiters."""
    return [next(filter(None, found.groups())).strip() for found in SEGMENT.finditer(text)]


def guessed(text: str) -> Found | None:
    """The whole text where it is an answer, else the last formula or number: whichever ends later."""
    if not isinstance(parse(text.strip()), Text | None):
        return Found(text.strip(), "formula")
    formula, number = _last_formula(text), _last(NUMBER, text)
    if formula is not None and (number is None or formula[0] >= number.end()):
        return Found(formula[1], "formula")
    if number is not None:
        return Found(with_point(number[0]), "number")
    return Found(text.strip(), "words") if isinstance(parse(text.strip()), Text) else None


def _last_formula(text: str) -> tuple[int, str] | None:
    formula = None
    for found in SEGMENT.finditer(text):
        content = next(filter(None, found.groups())).strip()
        if len(content) <= LONGEST_SEGMENT and not isinstance(parse(content), Text | None):
            formula = found.end(), content
    return formula


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = deque(pattern.finditer(text), maxlen=1)
    return found[0] if found else None


def last_number(text: str) -> Found | None:
    """The last number of a text that is known to end in one: a comma in it may be a decimal comma."""
    found = _last(NUMBER, text)
    return None if found is None else Found(with_point(found[0]), "number")


def with_point(digits: str) -> str:
    """0,111 and 2,74 with a decimal point: one number was looked for, so a comma that parts no thousands is one."""
    if re.fullmatch(r"-?\s?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", digits):
        return digits
    return re.sub(r"(\d),(\d)", r"\1.\2", digits)
