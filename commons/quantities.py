"""Answer text -> typed value: a number, a list or tuple of numbers, or letters of choice. A first version.

Everything must be read, or the text is not read at all: `None`, which is equal to nothing. Numbers are exact
rationals; nothing is evaluated, and no float is compared."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from unicodedata import normalize

from commons.numerals import chinese_number

LONGEST_ANSWER = 200  # characters; a longer text is prose, and Python's int() is not to see a million digits
LARGEST_EXPONENT = 400  # of ten, in 3e8 and 3\times10^{8}

# closed list: a unit counts only whole, at the end, after a number (`a+5` keeps its a, `\frac{m}{2}` its m);
# ~ stands for the space inside a unit of two words
UNIT_WORDS = """
cm mm km m dm kg g mg t ml l L s h min cm2 cm3 m2 m3 km2 km3 dm2 dm3 mph km/h m/s degrees degree inches inch
feet foot ft miles mile yards yard meters meter metres metre centimeters centimeter kilometers kilometer grams
gram kilograms kilogram pounds pound ounces ounce tons ton liters liter litres litre gallons gallon seconds
second minutes minute hours hour days day weeks week months month years year dollars dollar cents cent euros
euro yuan units unit people students apples books pages boxes pieces times points square~units
square~centimeters square~meters square~inches square~feet cubic~centimeters cubic~meters cubic~inches
元 角 分 块 个 只 支 本 张 条 件 人 名 位 棵 朵 袋 箱 盒 瓶 辆 头 页 层 段 次 天 年 月 周 岁 米 厘米 分米 毫米 千米
公里 克 千克 公斤 吨 升 毫升 秒 分钟 小时 时 日 度 倍 平方米 平方厘米 平方分米 平方千米 立方米 立方厘米 立方分米 公顷
千米/时 米/秒 组 种 颗 排 行 套 双 道 把 根 杯 副 枚 面 车 斤
"""
UNITS = frozenset(UNIT_WORDS.split())
PLAIN = r"(?:[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)"  # 1,234 is one number, 0,123 are two
NUMBER = re.compile(PLAIN)
SCIENTIFIC = re.compile(rf"({PLAIN})(?:[eE]|(?:\\times|\\cdot|×|\*)10(?:\^|\*\*))\{{?([+-]?\d{{1,4}})\}}?")
SLASH = re.compile(rf"({PLAIN})/({PLAIN})")
FRAC = re.compile(r"(\d*)\\frac(?:\{([^{}]+)\}|(\d))(?:\{([^{}]+)\}|(\d))")
MIXED = re.compile(r"(\d+) (\d+)/(\d+)")
LONGEST_UNIT = max(map(len, UNITS))
BEFORE_UNIT = frozenset("0123456789.}%)零一二三四五六七八九十百千万亿半 ")
CHOICE = re.compile(r"\(?([A-Z])\)?(?:[,、]?\(?([A-Z])\)?){0,6}")
VARIABLE = re.compile(r"^[A-Za-z]\s*=(?!=)")
SEPARATOR = re.compile(r"\s*(?:[,;、]\s*(?:and\s+)?|\s+(?:and|or)\s+|和|或)\s*")
OPENERS, CLOSERS = "([{", ")]}"

SPACE_MACROS = re.compile(r"\\[,;:!> ]|\\q?quad(?![A-Za-z])|~|\s+")
WRAPPERS = re.compile(r"\\(?:left|right|displaystyle|limits)(?![A-Za-z])|\\\$|\$|\\[()\[\]](?!\w)")
TEXT_MACROS = re.compile(r"\\(?:text|mathrm|textbf|mathbf|mbox|textrm|rm)\s*\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number. `value` has the percent sign worked in: 50% is 1/2."""

    value: Fraction
    percent: bool = False
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """Several numbers. `brackets` is "" for a bare list and "{}" for a set, where order does not count."""

    brackets: str
    items: tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Letters of a multiple-choice question; order does not count."""

    letters: frozenset[str]


Quantity = Number | Row | Choice


@lru_cache(maxsize=1 << 16)
def parse(text: str) -> Quantity | None:
    """The value that the whole text stands for, or None. Cached: the same golds and answers come again and again."""
    if len(text) > LONGEST_ANSWER:
        return None
    plain = plain_text(text)
    number = parse_number(VARIABLE.sub("", plain))  # x = 5 is 5, but k = 4, n = 2 names its numbers and is not read
    if number is not None:
        return number
    letters = plain.replace(" ", "")
    if CHOICE.fullmatch(letters):
        return Choice(frozenset(letter for letter in letters if letter.isalpha()))
    return parse_row(plain)


def plain_text(text: str) -> str:
    """The text without what only sets it: full-width forms, math delimiters, spacing macros, emphasis, a final stop."""
    if not text.isascii():
        text = normalize("NFKC", text).replace("−", "-").replace("–", "-").replace("，", ",")
    if "\\" in text or "$" in text or "{" in text:
        text = text.replace("\\%", "%").replace("\\{", "{").replace("\\}", "}").replace("{,}", ",")
        text = text.replace("\\dfrac", "\\frac").replace("\\tfrac", "\\frac").replace("\\cfrac", "\\frac")
        text = TEXT_MACROS.sub(r" \1", text)
        text = text.replace("^\\circ", "").replace("^{\\circ}", "").replace("\\degree", "")
        text = WRAPPERS.sub("", text.replace(",\\!", ",").replace("\\,", " "))
    text = SPACE_MACROS.sub(" ", text).strip(" *")
    return text.rstrip(".。,") if text[-1:] in (".", "。", ",") else text


def parse_number(text: str) -> Number | None:
    """One number with an optional sign, currency, percent sign and unit, or None."""
    text = text.strip()
    if text.startswith("(") and text.endswith(")") and "," not in text and text.count("(") == 1 and len(text) > 3:
        text = text[1:-1]
    negative, text = _without_sign(text)
    text, unit = _without_unit(text)
    percent = text.endswith("%")
    value = exact_value(text[:-1].rstrip() if percent else text)
    if value is None:
        chinese = chinese_number(text)
        return None if chinese is None else Number(-chinese if negative else chinese, text.startswith("百分之"), unit)
    if percent:
        value /= 100
    return Number(-value if negative else value, percent, unit)


def _without_sign(text: str) -> tuple[bool, str]:
    text = text.lstrip("¥€£ ")
    negative = text.startswith("-")
    return negative, (text[1:].lstrip("¥€£ ") if negative or text.startswith("+") else text)


def _without_unit(text: str) -> tuple[str, str]:
    """The text before a unit of the closed list, and the unit. A unit in two words keeps them together."""
    if not text or text[-1] in "}%" or (text[-1].isdigit() and text[-2:-1] not in ("m", "^")):
        return text, ""
    tight = text.replace("square ", "square~").replace("cubic ", "cubic~").replace("^", "")
    for length in range(min(LONGEST_UNIT, len(tight) - 1), 0, -1):
        if tight[-length:] in UNITS and tight[-length - 1] in BEFORE_UNIT:
            return tight[:-length].rstrip(), tight[-length:]
    return text, ""


def exact_value(text: str) -> Fraction | None:
    """The value of an unsigned number: digits with or without commas, decimals, 3e8, a/b, \\frac, mixed numbers."""
    text = text.strip()
    if text.isdigit() and text.isascii():
        return Fraction(int(text))
    for form, value in FORMS:
        found = form.fullmatch(
            text if form is MIXED else text.replace(" ", "") if "\\" in text or "/" in text else text
        )
        if found is not None:
            return value(found)
    spaced = text.replace(" ", ",")  # 1 234 567 is read like 1,234,567, never 12 34
    return _plain(spaced) if spaced != text and "," not in text and re.fullmatch(r"\d{1,3}(,\d{3})+", spaced) else None


def _plain(digits: str) -> Fraction:
    whole, _, decimals = digits.replace(",", "").partition(".")
    return Fraction(int((whole + decimals) or "0"), 10 ** len(decimals))


def _scientific(found: re.Match[str]) -> Fraction | None:
    exponent = int(found[2])
    return _plain(found[1]) * Fraction(10) ** exponent if abs(exponent) <= LARGEST_EXPONENT else None


def _ratio(above: Fraction | None, below: Fraction | None) -> Fraction | None:
    return None if above is None or not below else above / below


def _frac(found: re.Match[str]) -> Fraction | None:
    above, below = found[2] or found[3], found[4] or found[5]
    negative, above = _without_sign(above)
    value = _ratio(exact_value(above), exact_value(below))
    if value is None or (negative and found[1]):
        return None
    return int(found[1] or 0) + (-value if negative else value)


def _mixed(found: re.Match[str]) -> Fraction | None:
    part = _ratio(Fraction(int(found[2])), Fraction(int(found[3])))
    return None if part is None or part >= 1 else int(found[1]) + part


FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Fraction | None]], ...] = (
    (NUMBER, lambda found: _plain(found[0])),
    (MIXED, _mixed),
    (SLASH, lambda found: _ratio(_plain(found[1]), _plain(found[2]))),
    (FRAC, _frac),
    (SCIENTIFIC, _scientific),
)


def parse_row(text: str) -> Row | None:
    """Numbers between commas, semicolons or "and", with their brackets: an interval's two may differ."""
    brackets, inner = "", text
    if text[:1] in OPENERS and text[-1:] in CLOSERS and text and not text.startswith("\\"):
        brackets, inner = text[0] + text[-1], text[1:-1]
    pieces = SEPARATOR.split(inner.strip())
    if len(pieces) < 2 and not brackets:
        return None
    numbers = [parse_number(piece) for piece in pieces]
    items = tuple(number for number in numbers if number is not None)
    if len(items) != len(numbers):
        return None
    if brackets in ("", "{}"):
        items = tuple(sorted(items, key=lambda number: number.value))
    return Row(brackets, items)
