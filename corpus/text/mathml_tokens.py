"""Tokens of MathML in LaTeX: identifiers, numbers, operators, words and blanks."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import groupby
from typing import TypeAlias

from lxml import etree

from corpus.text.symbols import FUNCTIONS, LATEX, SPACED_FUNCTIONS, VARIANTS, letter_and_font

Element: TypeAlias = etree._Element
RELATIONS = frozenset("=<>≤≥≠≈≡∼≃≅∝≪≫⩽⩾∈∉∋⊂⊃⊆⊇→←↔⇒⇐⇔↦⟶⟹⟺≔∣⊢⊨")
BINARY = frozenset("+−-±∓×÷⋅·∘∗*∩∪∨∧⊕⊗")
PRIMES = {"′": 1, "″": 2, "‴": 3, "⁗": 4, "'": 1, "''": 2, "ʹ": 1}
# Variation selectors behind a script letter: of \\mathcal and of \\mathscr.
CHANCERY, ROUNDHAND = "\ufe00", "\ufe01"
NEGATED = re.compile("(.)\u0338", re.S)
SIZES = ((1.3, "\\big"), (1.8, "\\Big"), (2.2, "\\bigg"), (9.0, "\\Bigg"))
DELIMITERS = frozenset("()[]{}|‖⟨⟩⌊⌋⌈⌉/\\↑↓↕⇑⇓⇕⟦⟧⎰⎱⌜⌝⌞⌟⟮⟯")
TEXT_ESCAPES = str.maketrans(
    {
        **{character: f"\\{character}" for character in "#$%&_{}"},
        **{"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "\u00a0": " "},
    }
)
STYLES = {"b": "\\textbf", "strong": "\\textbf", "i": "\\textit", "em": "\\textit", "code": "\\texttt"}


def identifier(node: Element) -> str:
    """An `mi`: a letter, a function's name, or letters of an alphabet."""
    text = _content(node)
    if text in SPACED_FUNCTIONS:
        return f"{SPACED_FUNCTIONS[text]} "
    if text in FUNCTIONS:
        return f"\\{text} "
    variant = VARIANTS.get(node.get("mathvariant", ""), "")
    if variant == "\\mathrm" and len(text) == 1 and not text.isascii():
        variant = ""
    if len(text) > 1 and not variant and text.isascii() and text.replace(" ", "").isalnum() and text[0].isalpha():
        return f"\\mathrm{{{text}}}"
    return characters(text, variant)


def number(node: Element) -> str:
    """An `mn`: digits as they stand."""
    return characters(_content(node), VARIANTS.get(node.get("mathvariant", ""), ""))


def operator(node: Element) -> str:
    """An `mo`: a symbol, spaced when it relates or joins; a word; a fence of fixed size."""
    text = _content(node)
    if text in SPACED_FUNCTIONS:
        return f"{SPACED_FUNCTIONS[text]} "
    if text in FUNCTIONS:
        return f"\\{text} "
    if text in PRIMES:
        return "\\prime " * PRIMES[text]
    size = re.match(r"([\d.]+)em", node.get("minsize", node.get("maxsize", "")))
    if size and text in DELIMITERS:
        return next(command for limit, command in SIZES if float(size.group(1)) < limit) + fence(text)
    if text == "mod":
        return " \\bmod "
    if len(text) > 1 and text.replace(" ", "").isalpha() and text.isascii():
        return f"\\operatorname{{{text}}}"
    latex = characters(text, "")
    return f" {latex} " if text in RELATIONS or text in BINARY else latex


def quoted(node: Element) -> str:
    """An `mtext`: words in `\\text{..}`, bold and italic parts in commands of their own."""
    styled = [child for child in node if child.tag in STYLES]
    if len(styled) == 1 and len(node) == 1 and not (node.text or "").strip():
        return f"{STYLES[styled[0].tag]}{{{text_content(''.join(styled[0].itertext()))}}}" + text_words(
            styled[0].tail or ""
        )
    return text_words("".join(node.itertext()))


def text_words(text: str) -> str:
    """Words inside a formula; white space alone becomes a blank."""
    words = text_content(text)
    if not words:
        return ""
    return f"\\text{{{words}}}" if not words.isspace() else "\\ "


def text_content(text: str) -> str:
    """What stands between the braces of `\\text{..}`."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text).translate(TEXT_ESCAPES))


def space(node: Element) -> str:
    """An `mspace`: the nearest blank of LaTeX."""
    if node.get("linebreak") == "newline":
        return " \\\\ "
    width = re.match(r"\+?(-?[\d.]+)(em|ex|px|pt|mu)?", node.get("width", ""))
    if not width or not re.fullmatch(r"-?\d*\.?\d+\.?", width.group(1)):
        return ""
    ems = float(width.group(1)) / {"em": 1, "ex": 2, "px": 16, "pt": 10, "mu": 18}.get(width.group(2), 1)
    blanks = ((1.9, "\\qquad "), (0.9, "\\quad "), (0.3, "\\ "), (0.25, "\\;"), (0.2, "\\:"), (0.1, "\\,"))
    if ems < -0.05:
        return "\\!"
    return next((command for least, command in blanks if ems >= least), "")


def characters(text: str, variant: str) -> str:
    """Symbols one by one; letters of one alphabet share a command."""
    if "\u0338" in text:
        pieces = NEGATED.split(text)
        return "".join(
            ("\\not " if at % 2 else "") + characters(piece, variant) for at, piece in enumerate(pieces) if piece
        )
    parts = []
    for font, run in groupby(_with_fonts(text), key=lambda pair: variant or pair[1]):
        letters = "".join(_command(letter) for letter, _ in run).strip()
        parts.append(f"{font}{{{letters}}}" if font and letters else letters)
    line = ""
    for part in parts:
        line += (" " if part[:1].isalpha() and re.search(r"\\[A-Za-z]+$", line) else "") + part
    return line


def _with_fonts(text: str) -> Iterator[tuple[str, str]]:
    """(letter, font command) one by one; points and commas between digits of a font belong to it."""
    font = ""
    for position, character in enumerate(text):
        if character in (CHANCERY, ROUNDHAND):
            continue
        letter, own = letter_and_font(character)
        font = font if character in ".," and font else own
        yield letter, "\\mathscr" if font == "\\mathcal" and text[position + 1 : position + 2] == ROUNDHAND else font


def fence(character: str) -> str:
    """A delimiter as it stands behind `\\left`."""
    if not character:
        return "."
    latex = {"‖": "\\|", "∥": "\\|", "<": "\\langle", ">": "\\rangle"}.get(character) or LATEX.get(character, character)
    return f"{latex} " if latex[-1].isalpha() else latex


def _command(character: str) -> str:
    latex = LATEX.get(character, character)
    return f"{latex} " if latex[:1] == "\\" and latex[-1].isalpha() else latex


def _content(node: Element) -> str:
    text = unicodedata.normalize("NFC", "".join(node.itertext()))
    return " ".join(text.split()).strip("\u2061") or ("\u00a0" if "\u00a0" in text else "")
