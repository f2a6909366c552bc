"""The options that an output chooses: ranked patterns, from a boxed letter to a letter that opens the text."""

import re
from collections.abc import Mapping

from commons.answers.boxes import boxes
from commons.answers.comparing import equivalent_values
from commons.answers.extraction import Found, extract_answer, own_part
from commons.answers.reading import parse
from commons.answers.values import Choice

OPEN = r"[\s*_$`\"'“]*(?:\\(?:text|mathrm|mathbf|textbf)\s*\{\s*)?"
LETTERS = (
    r"(?:[(（\[]\s*(?P<inside>[A-Ja-j](?:\s*[,、]?\s*[A-Ja-j]){0,6})\s*[)）\]]"
    r"|(?P<bare>[A-HJ](?:\s*[,、和]?\s*(?:and\s+)?[(（]?[A-J][)）]?(?![A-Za-z])){0,6}))(?![A-Za-z'’])"
)
ANSWER = re.compile(
    r"(?:\banswers?\s*(?:is|are|:|would\s+be|should\s+be)|\bchoice\s*(?:is|:)|\bréponse\s*(?:est|:)|\bantwort\s*(?:ist|:)"
    r"|\brespuesta\s*(?:es|:)|答案\s*(?:是|为|选|[:：])|故选|应选|选择?\s*[:：]?|选项\s*(?:是|为|[:：]))"
    rf"\s*(?:is|option|choice|选项|选|[:：])?\s*{OPEN}{LETTERS}",
    re.IGNORECASE,
)
UPPER = re.compile(r"[A-J]")
LONE_LINE = re.compile(rf"^{OPEN}{LETTERS}[\s}}*_$.。:：]*$", re.MULTILINE)
BRACKETED = re.compile(r"[(（]\s*([A-J])\s*[)）]")
OPENING = re.compile(r"\s*[(（]?([A-HJ])(?:[)）.．:：、,]|\s|$)")


def find_choice(output: str, options: Mapping[str, str] | None = None) -> Found | None:
    """The letters that an output chooses, with the pattern that found them. The last match of the best rank counts.

    Lower-case letters count inside brackets only. `options` (letter -> text) allows the last resort, an answer that is
    the text of one option: its pattern is `option text`, so that a report can show it apart."""
    text = own_part(output)
    for box in reversed(boxes(text)):
        value = parse(box.content)
        if isinstance(value, Choice):
            return Found("".join(value.letters), "box")
    for pattern, name in ((ANSWER, "phrase"), (LONE_LINE, "line")):
        letters = [found for found in map(_letters, pattern.finditer(text)) if found]
        if letters:
            return Found(letters[-1], name)
    if options is not None:
        by_text = _by_text(text, options)
        if by_text is not None:
            return Found(by_text, "option text")
    bracketed = BRACKETED.findall(text)
    if bracketed:
        return Found(bracketed[-1], "brackets")
    opening = OPENING.match(text)
    return None if opening is None else Found(opening[1], "opening")


def _letters(found: re.Match[str]) -> str:
    """The letters of a match; a bare lower-case one, which IGNORECASE lets through, is an article or a word."""
    if found["inside"]:
        return "".join(letter.upper() for letter in found["inside"] if letter.isalpha())
    bare = found["bare"].replace("and", "")
    return "".join(UPPER.findall(bare)) if all(not letter.islower() for letter in bare) else ""


def _by_text(text: str, options: Mapping[str, str]) -> str | None:
    answer = extract_answer(text)
    value = None if answer is None else parse(answer)
    if value is None:
        return None
    fitting = [
        letter for letter, option in options.items() if (other := parse(option)) and equivalent_values(value, other)
    ]
    return fitting[0] if len(fitting) == 1 else None
