"""Equations and inequalities: what they say about one unknown, and whether two of them say the same."""

import re

from commons.answers.numeric import proportional
from commons.answers.trees import Tree, exact, minus, number, symbols
from commons.answers.values import Choice, Ratio, Relation, Scalar, Sequence, Text, Union, Value

# a name, alone on the left of =: x, x_1, f(x), AB, \angle ABC, V_1:V_2, (x,y), an English word
NAME = re.compile(
    r"""\\?[A-Za-z]+'*(?:_\{?[\\A-Za-z0-9"]+\}?)?'*(?:\([A-Za-z](?:,[A-Za-z])*\))?|\\angle\s*[A-Z]+|"[^"]*"|\|[A-Z]{2}\|"""
)
MIRRORED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤"}
INFINITY = Scalar(Tree("constant", name="oo"))
MINUS_INFINITY = Scalar(Tree("neg", (Tree("constant", name="oo"),)))


def is_name(text: str) -> bool:
    """Whether a side only names what the other side gives."""
    parts = re.split(r"[:,]", text[1:-1] if text[:1] == "(" and text[-1:] == ")" else text)
    if NAME.fullmatch(text):
        return True
    return len(parts) > 1 and all(NAME.fullmatch(part) for part in parts)


def solved(relation: Relation) -> tuple[str, Value] | None:
    """(name, value) of x = ... = 5 and x = 5 ≈ ...; x ∈ S gives its set; 3 + 4 = 7 gives 7 under the name "".

    None: it names no unknown, or it is no such chain. Of several sides behind = the last counts, but not one behind ≈
    when there is another."""
    signs = relation.signs
    if set(signs) - {"=", "≈", "∈", "≡"}:
        return None
    name = relation.texts[0] if is_name(relation.texts[0]) else ""
    if not name and not ("=" in signs and all(_without_variables(side) for side in relation.sides)):
        return None
    if signs in ("≈", "≡"):
        return name, relation.sides[1]
    if "∈" in signs:
        return (name, relation.sides[1]) if signs == "∈" and _is_set(relation.sides[1]) else None
    last = len(signs.split("≈")[0])
    return name, relation.sides[last]


def _without_variables(side: Value) -> bool:
    return isinstance(side, Scalar) and not symbols(side.tree)


def _is_set(value: Value) -> bool:
    return isinstance(value, Sequence | Union)


def solved_items(sequence: Sequence) -> Sequence:
    """The list with x = 1 as 1."""
    found = [solved(item) if isinstance(item, Relation) else None for item in sequence.items]
    items = tuple(item if one is None else one[1] for item, one in zip(sequence.items, found, strict=True))
    return Sequence(sequence.brackets, items)


def interval_of(relation: Relation) -> tuple[str, Sequence] | None:
    """(name, interval) of a < x < b, x ≤ b or a ≥ x, or None."""
    signs, sides, texts = relation.signs, relation.sides, relation.texts
    if not signs or not all(sign in "<≤" for sign in signs):
        if signs and all(sign in ">≥" for sign in signs):
            turned = "".join(MIRRORED[sign] for sign in reversed(signs))
            return interval_of(Relation(sides[::-1], turned, texts[::-1]))
        return None
    left, right = "(" if signs[0] == "<" else "[", ")" if signs[-1] == "<" else "]"
    if len(signs) == 2 and is_name(texts[1]):
        return texts[1], Sequence(left + right, (sides[0], sides[2]))
    if len(signs) != 1 or is_name(texts[0]) == is_name(texts[1]):
        return None
    if is_name(texts[0]):
        return texts[0], Sequence("(" + right, (MINUS_INFINITY, sides[1]))
    return texts[1], Sequence(left + ")", (sides[0], INFINITY))


def same_relation(one: Relation, other: Relation) -> bool:
    """Whether two relations say the same: side minus side is a constant multiple, positive for inequalities.

    Links of a chain may come in any order: a < x < b is a < x and x < b."""
    first, second = _links(one), _links(other)
    if first is None or second is None or len(first) != len(second):
        return one == other
    left = list(second)
    for sign, tree in first:
        place = next((place for place, link in enumerate(left) if _same_link(sign, tree, *link)), None)
        if place is None:
            return False
        del left[place]
    return True


def _same_link(sign: str, tree: Tree, other_sign: str, other: Tree) -> bool:
    if sign != other_sign:
        return False
    if not symbols(tree) or not symbols(other):
        return tree == other  # 1 = 1 and 2 = 2 say nothing that could be compared
    same, direction = proportional(tree, other)
    return same and (sign in ("=", "≠") or direction > 0)


def _links(relation: Relation) -> list[tuple[str, Tree]] | None:
    """(=, ≠, < or ≤; right minus left) of each link."""
    trees = [_tree_of(side) for side in relation.sides]
    known = [tree for tree in trees if tree is not None]
    if len(known) != len(trees) or set(relation.signs) - set("=≠<>≤≥"):
        return None
    found = []
    for sign, left, right in zip(relation.signs, known, known[1:], strict=False):
        turned = sign in ">≥"
        found.append((MIRRORED[sign] if turned else sign, _short(minus(left, right) if turned else minus(right, left))))
    return found


def _tree_of(side: Value) -> Tree | None:
    if isinstance(side, Scalar):
        return side.tree
    if isinstance(side, Choice):
        return Tree("symbol", name="".join(side.letters))
    if isinstance(side, Text):
        return Tree("symbol", name=side.words)
    if isinstance(side, Ratio) and len(side.parts) == 2:
        return Tree("/", (side.parts[0].tree, side.parts[1].tree))
    return None


def _short(tree: Tree) -> Tree:
    value = exact(tree)
    return tree if value is None else number(value)
