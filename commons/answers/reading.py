"""Answer text -> typed value. Everything must be read, or the text is not read at all: None, equal to nothing."""

import re
from functools import lru_cache

from commons.answers.matrices import matrix_of, read_matrix
from commons.answers.notation import plain
from commons.answers.scalars import read_scalar, simple_number
from commons.answers.splitting import bracketed, cut, without_thousands
from commons.answers.tokens import Unread
from commons.answers.trees import has_plus_minus, with_sign
from commons.answers.values import (
    Based,
    Choice,
    Clock,
    Compound,
    Ratio,
    Relation,
    Scalar,
    Sequence,
    Text,
    Union,
    Value,
)  # fmt: skip

LONGEST_ANSWER = 600  # characters; a longer text is prose
LONGEST_WORDS = 80
RELATIONS = "=<>≤≥≠≈∈≡"
CLOCK = re.compile(r'(\d{1,2})(?::([0-5]\d))?\s*(?:"?\s*([AaPp])\.?\s*[Mm]\.?\s*"?)?')
BASED = re.compile(r"(-?[0-9A-F]+(?:\.[0-9A-F]+)?)\s*_\s*\{?\s*(\d{1,2})\s*\}?")
CHOICE = re.compile(r"[(（\[]?([A-Z])[)）\]]?(?:[\s,]*[(（\[]?([A-Z])[)）\]]?){0,6}")
CIRCLED = re.compile(r"(?:\\textcircled\s*\{?\d+\}?[\s,]*)+")
WORDS = re.compile(r"[^\W\d_](?:[^\W\d_]|[\s,.;:'()-])*")
DATED = re.compile(r"[^\W\d_]{3,} \d{1,4}")  # June 20
FAMILIAR = frozenset(["yes", "no", "true", "false", "even", "odd", "none", "both"])
CONSTRUCTOR = re.compile(
    r"(Matrix|ImmutableDenseMatrix|FiniteSet|Union|Interval(?:\.open|\.Lopen|\.Ropen)?|Eq|Tuple|array|list|tuple|set|Range)\("
)
INTERVALS = {"Interval": "[]", "Interval.open": "()", "Interval.Lopen": "(]", "Interval.Ropen": "[)"}


@lru_cache(maxsize=1 << 16)
def parse(text: str, *, program: bool = False) -> Value | None:
    """The value that the whole text stands for, or None. Cached: the same golds and answers come again and again.

    `program`: the text was printed by a program, so [1, 2] is a list and I the imaginary unit."""
    number_value = simple_number(text)
    if number_value is not None:
        return number_value
    if len(text) > LONGEST_ANSWER:
        return None
    try:
        value = _read(plain(text), program)
    except (Unread, RecursionError):
        return None
    return Sequence("", value.items) if program and isinstance(value, Sequence) and value.brackets == "[]" else value


def _read(text: str, program: bool) -> Value:
    if not text:
        raise Unread("nothing")
    fixed = _fixed_form(text)
    if fixed is not None:
        return fixed
    pieces, _ = cut(without_thousands(text), ",")
    try:
        if len(pieces) > 1:
            return _listed([_item(piece, program) for piece in pieces])
        return _item(pieces[0], program)
    except Unread:
        return _words(text)


def _fixed_form(text: str) -> Value | None:
    """Forms that are known by their look: options, a time of day, digits with a base, yes and no."""
    if "A" <= text[:1] <= "Z" or text[:1] in "([":
        found = CHOICE.fullmatch(text)
        letters = [letter for letter in text if "A" <= letter <= "Z"] if found else []
        if letters and len(set(letters)) == len(letters) and (len(letters) == 1 or max(letters) <= "J"):
            return Choice(tuple(letters))
    if text.startswith("\\textcircled") and CIRCLED.fullmatch(text):
        return Choice(tuple(re.findall(r"\d+", text)))
    found = CLOCK.fullmatch(text)
    if found is not None and int(found[1]) < 25 and (found[2] or found[3]):
        return Clock(int(found[1]) * 60 + int(found[2] or 0), f"{found[3].lower()}m" if found[3] else "")
    found = BASED.fullmatch(text)
    if found is not None and 2 <= int(found[2]) <= 36:
        return Based(found[1].lstrip("0") or "0", int(found[2]))
    if text.isalpha() and text.isupper() and text.isascii() and 1 < len(text) <= 12:
        return Text(text.casefold())
    if text.lower().strip('" ') in FAMILIAR:
        return Text(text.lower().strip('" '))
    return None


def _listed(items: list[Value]) -> Value:
    """A bare list; lists inside of it, as ± gives them, are opened."""
    flat: list[Value] = []
    for item in items:
        flat += item.items if isinstance(item, Sequence) and item.brackets == "" else [item]
    return Sequence("", tuple(flat))


def _item(text: str, program: bool) -> Value:
    """One value: a relation, a union, something in brackets, a matrix, a ratio or a scalar."""
    if not text:
        raise Unread("nothing between two commas")
    inside = bracketed(text)
    if inside is not None and inside[0] == "{}":
        return _read(inside[1], program)
    constructed = _constructed(text, program)
    if constructed is not None:
        return constructed
    sides, signs = cut(text, RELATIONS)
    if signs:
        if not all(sides):
            raise Unread("a relation without one of its sides")
        return _relation(sides, signs, program)
    if "∪" in text or "∩" in text or "∖" in text:
        return _union(text, program)
    if inside is not None:
        return _in_brackets(*inside, program)
    if "⟦" in text:
        return read_matrix(text)
    if ":" in text:
        return Ratio(tuple(_scalar(part) for part in cut(text, ":")[0]))
    return _expanded(read_scalar(text, program=program))


def _scalar(text: str) -> Scalar:
    return _only_scalar(read_scalar(text))


def _only_scalar(value: Scalar | Compound) -> Scalar:
    if not isinstance(value, Scalar):
        raise Unread("several units where one number is expected")
    return value


def _expanded(value: Scalar | Compound) -> Value:
    """3 ± 2 is the list of both."""
    if not isinstance(value, Scalar) or not has_plus_minus(value.tree):
        return value
    both = (with_sign(value.tree, 1), with_sign(value.tree, -1))
    return Sequence("", tuple(Scalar(tree, value.percent, value.unit) for tree in both))


def _relation(sides: list[str], signs: str, program: bool) -> Value:
    values = [_item(side, program) for side in sides]
    last = values[-1]
    if signs == "=" and isinstance(last, Sequence) and last.brackets == "" and not isinstance(values[0], Sequence):
        return Sequence("", tuple(Relation((values[0], item), signs, tuple(sides)) for item in last.items))
    return Relation(tuple(values), signs, tuple(side.replace(" ", "") for side in sides))


def _union(text: str, program: bool) -> Value:
    pieces, signs = cut(text, "∪")
    if "∖" in text and len(pieces) == 1:
        sides, _ = cut(text, "∖")
        if len(sides) != 2:
            raise Unread("a difference of sets")
        return Relation((_item(sides[0], program), _item(sides[1], program)), "∖", tuple(sides))
    if not signs or not all(pieces):
        raise Unread("a union without one of its parts")
    return Union(tuple(_item(piece, program) for piece in pieces))


def _in_brackets(brackets: str, inner: str, program: bool) -> Value:
    """A tuple, interval, set or list; without a comma, brackets of a kind only group."""
    braces = {"⦃⦄": "{}"}
    pieces = [piece for piece in cut(inner, ",")[0] if piece]
    if brackets == "()" and len(pieces) == 1 and not inner.endswith(","):
        return _read(inner, program)
    if not pieces:
        return Sequence(braces.get(brackets, brackets), ())
    if brackets in ("[]", "()") and len(pieces) == 1 and not program:
        return _read(inner, program)
    if brackets not in ("()", "[]", "(]", "[)", "⦃⦄"):
        raise Unread(f"brackets {brackets}")
    items = tuple(_expanded_all([_item(piece, program) for piece in pieces]))
    return Sequence(braces.get(brackets, brackets), items)


def _expanded_all(items: list[Value]) -> list[Value]:
    opened = _listed(items)
    return list(opened.items) if isinstance(opened, Sequence) else items


def _constructed(text: str, program: bool) -> Value | None:
    """What SymPy prints by the name of its class: FiniteSet(1, 2), Interval.open(0, 1), Eq(x, 2)."""
    found = CONSTRUCTOR.match(text)
    if found is None or not text.endswith(")") or bracketed(text[found.end() - 1 :]) is None:
        return None
    name = found[1]
    items = tuple(_item(piece, program) for piece in cut(text[found.end() : -1], ",")[0] if piece)
    if name in INTERVALS and len(items) in (2, 4):
        return Sequence(INTERVALS[name], items[:2])
    if name == "Union":
        return Union(items)
    if name.endswith("Matrix"):
        return matrix_of(items[0] if len(items) == 1 else None)
    if name == "Eq" and len(items) == 2:
        return Relation(items, "=", ("", ""))
    if name in ("array", "list", "tuple", "set") and len(items) == 1:
        return items[0]
    return Sequence("{}" if name == "FiniteSet" else "()", items)


def _words(text: str) -> Value:
    """Words of language, when there is nothing else in the text."""
    words = " ".join(text.replace('"', " ").split()).strip(" .,")
    if len(words) > LONGEST_WORDS or not (WORDS.fullmatch(words) or DATED.fullmatch(words)):
        raise Unread("neither mathematics nor words")
    return Text(words.casefold())
