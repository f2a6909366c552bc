"""Chinese numerals as exact numbers: 十二, 一百零五, 两万三, 三分之一, 百分之二十, 负七点五."""

from fractions import Fraction

DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2}
UNITS = {"十": 10, "百": 100, "千": 1000}
GROUPS = {"万": 10_000, "亿": 100_000_000}
LETTERS = frozenset(DIGITS) | frozenset(UNITS) | frozenset(GROUPS) | frozenset("点负分之半百又")


def chinese_number(text: str) -> Fraction | None:
    """The value of a whole text of Chinese numerals, or None when any part of it is something else."""
    if not text or not LETTERS.issuperset(text):
        return None
    if text[0] == "负":
        positive = chinese_number(text[1:])
        return None if positive is None else -positive
    if text == "半":
        return Fraction(1, 2)
    whole_part, mixed, part = text.partition("又")
    if mixed:
        first, second = chinese_integer(whole_part), chinese_number(part)
        return None if first is None or second is None or not 0 < second < 1 else first + second
    below, over, above = text.partition("分之")
    if over:
        return _quotient(above, below)
    whole, point, decimals = text.partition("点")
    value = chinese_integer(whole)
    if value is None or not point:
        return None if value is None else Fraction(value)
    if not decimals or not DIGITS.keys() >= set(decimals):
        return None
    return value + Fraction(int("".join(str(DIGITS[digit]) for digit in decimals)), 10 ** len(decimals))


def _quotient(above: str, below: str) -> Fraction | None:
    numerator = chinese_number(above)
    denominator = 100 if below == "百" else chinese_integer(below)
    return None if numerator is None or not denominator else numerator / denominator


def chinese_integer(text: str) -> int | None:
    """The value of a whole number written with 十百千万亿, or digit by digit (二〇二四), or None."""
    if not text:
        return None
    if len(text) > 1 and DIGITS.keys() >= set(text):
        return int("".join(str(DIGITS[digit]) for digit in text))
    total, section, digit = 0, 0, None
    for letter in text:
        if letter in DIGITS:
            if digit:
                return None
            digit = DIGITS[letter]
        elif letter in UNITS:
            section += (1 if digit is None and letter == "十" else digit or 0) * UNITS[letter]
            digit = None
        elif letter in GROUPS:
            total = (total + section + (digit or 0)) * GROUPS[letter]
            section, digit = 0, None
        else:
            return None
    return total + section + (digit or 0)
