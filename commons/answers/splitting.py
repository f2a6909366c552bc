"""Plain notation cut at the outermost level: lists, relations, unions, brackets that belong together."""

import re

OPENERS, CLOSERS = frozenset("([{⦃⟦"), frozenset(")]}⦄⟧")
THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,]*\d)")
SPACED_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?: \d{3})+(?![\d ]*\d)(?!\s*/)")


def outermost(text: str, signs: str) -> list[int]:
    """Where one of `signs` stands outside of all brackets and quotes; [-1] when brackets do not close."""
    depth, quoted, found = 0, False, []
    for place, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif letter in OPENERS:
            depth += 1
        elif letter in CLOSERS:
            depth -= 1
            if depth < 0:
                return [-1]
        elif depth == 0 and letter in signs:
            found.append(place)
    return found if depth == 0 and not quoted else [-1]


def cut(text: str, signs: str) -> tuple[list[str], str]:
    """(pieces between the signs, the signs); one empty piece when brackets do not close."""
    places = outermost(text, signs)
    if places == [-1]:
        return [""], ""
    ends = [*places, len(text)]
    starts = [0, *(place + 1 for place in places)]
    pieces = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    return pieces, "".join(text[place] for place in places)


def bracketed(text: str) -> tuple[str, str] | None:
    """(brackets, inside) when one pair of brackets holds the whole text."""
    if len(text) < 2 or text[0] not in "([{⦃" or text[-1] not in ")]}⦄":
        return None
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in OPENERS) - (letter in CLOSERS)
        if depth == 0:
            return (text[0] + text[-1], text[1:-1].strip()) if place == len(text) - 1 else None
    return None


def without_thousands(text: str) -> str:
    """1,234,567 and 1 234 567 as one number each, outside of brackets only: (1,234) may be a point."""
    if not ("," in text or " " in text) or any(letter in OPENERS for letter in text if letter != "{"):
        return text
    if "," in text:
        text = THOUSANDS.sub(lambda found: found[0].replace(",", ""), text)
    return SPACED_THOUSANDS.sub(lambda found: found[0].replace(" ", ""), text) if " " in text else text
