"""Run by the python of `.venv-bench/latex2mathml`: JSON lines {id, tex, ours, mathml} -> trees of all three.

A tree says which symbols stand where. Dropped are blanks, grouping rows and styles, attributes, and whether scripts
stand beside an operator or over and under it; kept are the alphabets of letters. A formula that latex2mathml does not
read has no tree (null). An equation number in a cell of its own is read as the end of the cell before it, which is
where latex2mathml writes it.
"""

import json
import sys
import unicodedata
import xml.etree.ElementTree as ElementTree

from latex2mathml.converter import convert

ROWS = ("math", "mrow", "mstyle", "mpadded", "semantics", "merror", "mtd")
TOKENS = ("mi", "mo", "mn", "mtext", "ms")
UNSEEN = ("mspace", "mphantom", "none", "mprescripts")
SCRIPTS = ("msub", "msup", "msubsup", "munder", "mover", "munderover")
ALPHABETS = (
    ("BOLD SCRIPT", "script"),
    ("BOLD FRAKTUR", "fraktur"),
    ("DOUBLE-STRUCK", "double-struck"),
    ("SANS-SERIF", "sans-serif"),
    ("MONOSPACE", "monospace"),
    ("FRAKTUR", "fraktur"),
    ("BLACK-LETTER", "fraktur"),
    ("SCRIPT", "script"),
    ("BOLD", "bold"),
    ("ITALIC", ""),
)
SAME_ALPHABET = {"bold-italic": "bold", "normal": "", "italic": ""}
# Characters that both sides use for one and the same sign.
SAME_SIGN = {
    **{"∶": ":", "⁄": "/", "−": "-", "∗": "*", "⋅": "·", "⟂": "⊥", "∣": "|", "∥": "‖", "〈": "⟨", "〉": "⟩", "∖": "\\"},
    **{"ˆ": "^", "˜": "~", "―": "¯", "‾": "¯", "_": "¯", "″": "′′", "‴": "′′′", "⁗": "′′′′", "”": '"', "‘": "`"},
    **{"…": "...", "⋯": "···", "▵": "△", **dict.fromkeys("\u2061\u2062\u2063\u2064\ufe00\ufe01", "")},
}


def letters(text, variant):
    """(sign, alphabet) one by one."""
    found = []
    for character in text:
        alphabet = SAME_ALPHABET.get(variant, variant)
        plain, name = unicodedata.normalize("NFKC", character), unicodedata.name(character, "")
        lettered = name.startswith(("MATHEMATICAL", "DOUBLE-STRUCK", "SCRIPT", "BLACK-LETTER"))
        if plain != character and len(plain) == 1 and lettered:
            alphabet = next((mine for words, mine in ALPHABETS if words in name), alphabet)
            character = plain
        found += [(sign, alphabet) for sign in SAME_SIGN.get(character, character) if not sign.isspace()]
    return found


def nodes(element, variant=""):
    """The tree of an element as a list of nodes of its row."""
    tag = element.tag.rpartition("}")[2]
    variant = element.get("mathvariant") or variant
    if tag in UNSEEN:
        return []
    if tag in TOKENS:
        return letters("".join(element.itertext()), variant)
    parts = [nodes(child, variant) for child in element]
    if tag in ROWS:
        return [node for part in parts for node in part]
    if tag in SCRIPTS:
        base, *scripts = parts
        if tag in ("msup", "mover"):
            scripts.insert(0, [])
        return [("scripts", base, *[*scripts, []][:2])] if any(scripts) else base
    if tag == "mmultiscripts":
        return multiscripts(element, parts)
    if tag == "mtable":
        return [("table", [cells(row, variant) for row in element])]
    return [(tag, [node for part in parts for node in part] if tag == "msqrt" else parts)]


def cells(row, variant):
    """The filled cells of a row."""
    filled = [cell for cell in (nodes(child, variant) for child in row) if cell]
    if len(filled) > 1 and filled[-1][0] == ("(", "") and filled[-1][-1] == (")", ""):
        filled[-2:] = [filled[-2] + filled[-1]]
    return filled


def multiscripts(element, parts):
    """Scripts before the base hang on an empty one, as LaTeX has them."""
    names = [child.tag.rpartition("}")[2] for child in element]
    cut = names.index("mprescripts") if "mprescripts" in names else len(names)
    row, base = [], parts[0]
    for scripts, before in ((parts[cut + 1 :], True), (parts[1:cut], False)):
        for below, above in zip(scripts[::2], [*scripts[1::2], []], strict=False):
            if (below or above) and before:
                row.append(("scripts", [], below, above))
            elif below or above:
                base = [("scripts", base, below, above)]
    return row + base


def tree(markup):
    """The tree of a MathML document as text that can be compared."""
    return repr(nodes(ElementTree.fromstring(markup)))


def tree_of_latex(latex):
    """The tree of what latex2mathml makes of a formula; None when it fails."""
    try:
        return tree(convert(latex))
    except Exception:  # noqa: BLE001  # foreign code; its failures are counted by the bench
        return None


def main():
    """One answer a line."""
    for line in sys.stdin:
        row = json.loads(line)
        trees = {"tex": tree_of_latex(row["tex"]), "ours": tree_of_latex(row["ours"]), "given": tree(row["mathml"])}
        print(json.dumps({"id": row["id"], **trees}))


if __name__ == "__main__":
    main()
