"""One number or expression with its sign, currency, percent sign and unit; Chinese numerals; compound units."""

import re
from fractions import Fraction

from commons.answers.expressions import expression
from commons.answers.tokens import Unread
from commons.answers.trees import Tree, exact, negative, nodes, number, over
from commons.answers.units import TRIGONOMETRIC, canonical, split_unit
from commons.answers.values import Compound, Scalar
from commons.numerals import chinese_number

LONGEST_NUMBER = 60
DECIMAL = re.compile(r"-?(\d*)\.(\d+)")
SCIENTIFIC = re.compile(r"-?\s*(\d+(?:\.\d*)?|\.\d+)\s*(?:[eE]\s*|\*\s*10\s*\^\s*)[({]?\s*([+-]?\d{1,4})\s*[)}]?")
CURRENCY = re.compile(r"^([+-]?)\s*[$¥€£]\s*")
COMPOUND = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z\u4e00-\u9fff]+)")
PERCENT_WORD = re.compile(r"(?:percent|pct|per ?cent)$")
CHINESE = re.compile(r"[零〇一二三四五六七八九十百千万亿两俩半负点分之又]+")


def simple_number(text: str) -> Scalar | None:
    """The value of plain digits with a sign or decimal point, by the fast path; None for anything else."""
    if len(text) > LONGEST_NUMBER or not text.isascii():
        return None
    text = text.strip()
    digits = text[1:] if text[:1] == "-" else text
    if digits.isdigit():
        return Scalar(number(int(text)))
    if DECIMAL.fullmatch(text):
        return _decimal(text, expression(digits), negated=text[0] == "-")
    return None


def _decimal(text: str, tree: Tree, *, negated: bool = False) -> Scalar:
    digits, places = _precision(text)
    return Scalar(negative(tree) if negated else tree, ulp=Fraction(1, 10**places), digits=digits)


def _precision(text: str) -> tuple[int, int]:
    """(significant digits, decimal places) of a printed decimal."""
    whole, _, decimals = text.lstrip("+-").partition(".")
    return len((whole + decimals).lstrip("0")), len(decimals)


def read_scalar(text: str, *, program: bool = False) -> Scalar | Compound:
    """The value of one item in plain notation. Raises Unread."""
    text = CURRENCY.sub(r"\1", text)
    bare, unit = split_unit(text)
    if unit == "%":
        bare, unit = bare + "%", ""
    text = bare
    if not text:
        raise Unread("a unit without a number")
    compound = _compound(text, unit)
    if compound is not None:
        return compound
    percent = text.endswith("%")
    if percent:
        text = text[:-1].rstrip()
    if not text.isascii() and CHINESE.search(text):
        return _chinese(text, percent, unit)
    if text.endswith("°") and "°" not in text[:-1] and not TRIGONOMETRIC.search(text):
        text, unit = text[:-1].rstrip(), unit or "°"
    tree, ulp, digits = _number(text, program)
    if percent:
        tree, ulp = (number(tree.value / 100) if tree.op == "number" else over(tree, number(100))), ulp / 100
    return Scalar(tree, percent, unit, ulp, digits)


def _number(text: str, program: bool) -> tuple[Tree, Fraction, int]:
    """(tree, worth of the last printed digit, significant digits): the last two only for decimals."""
    scientific = SCIENTIFIC.fullmatch(text)
    if scientific is not None:
        power = int(scientific[2])
        if abs(power) > 400:
            raise Unread("a number with too many digits")
        digits, places = _precision(scientific[1])
        mantissa = expression(scientific[1]).value * (-1 if text[0] == "-" else 1)
        scale = Fraction(10) ** power
        return number(mantissa * scale), scale / 10**places, digits
    tree = expression(text, program=program)
    if any(node.op == "/" and exact(node.args[1]) == 0 for node in nodes(tree)):
        raise Unread("division by zero")
    value = exact(tree) if tree.op in ("number", "neg") else None
    if value is None:
        return tree, Fraction(0), 0
    inner = text.strip("()[]{} +")
    if not DECIMAL.fullmatch(inner):
        return number(value), Fraction(0), 0
    digits, places = _precision(inner)
    return number(value), Fraction(1, 10**places), digits


def _chinese(text: str, percent: bool, unit: str) -> Scalar:
    value = chinese_number(text.replace(" ", ""))
    if value is None:
        raise Unread(f"not read: {text}")
    return Scalar(number(value / 100 if percent else value), percent or text.startswith("百分之"), unit)


def _compound(text: str, unit: str) -> Compound | None:
    """5千克300克 and 3 ft 4 in: each part with a unit of its own, all different."""
    if not unit or not text[-1:].isdigit():
        return None
    parts = COMPOUND.findall(text)
    last = re.search(r"(\d+(?:\.\d+)?)$", text)
    if not parts or last is None or COMPOUND.sub("", text[: last.start()]).strip():
        return None
    known = [(float_text, canonical(word)) for float_text, word in parts] + [(last[1], unit)]
    if any(split_unit(f"1{word}")[1] == "" for _, word in parts) or len({name for _, name in known}) != len(known):
        return None
    return Compound(tuple(Scalar(expression(digits), unit=name) for digits, name in known))
