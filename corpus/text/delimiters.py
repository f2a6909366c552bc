"""Formulas that are written in the text itself: `$..$`, `$$..$$`, `\\(..\\)`, `\\[..\\]`, `\\begin{..}`, AsciiMath.

A dollar sign may be a price. `$..$` counts as a formula when it reads as one: balanced braces, no digit behind the
closing sign, and either a mark of TeX inside or nothing but a symbol, a number or an expression.
"""

import re

from corpus.text.asciimath import latex_of_asciimath
from corpus.text.placeholders import START, Formulas

ENVIRONMENTS_WORDS = (
    "equation align gather multline eqnarray alignat flalign displaymath math split aligned alignedat gathered array "
    "matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix cases dcases rcases subequations dmath empheq CD "
    "tikzcd prooftree darray IEEEeqnarray"
)
ENVIRONMENTS = frozenset(ENVIRONMENTS_WORDS.split())
OPENING = re.compile(r"\\begin\{([A-Za-z]+)(\*?)\}|\$\$|\$|\\\(|\\\[|\\.", re.S)
CLOSING = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}
MAX_INLINE, MAX_DISPLAY = 1_000, 20_000
MARK_OF_TEX = re.compile(r"\\[A-Za-z,;:!|{}]|[\^_]|\\\\")
MATHS_CHARACTER = re.compile(rf"[\\^_{{}}=<>+*/|\-\d{START}]|[\u0370-\u03ff\u2200-\u22ff\u2190-\u21ff]")
# `x`, `2n`, `f(x)`, `AB`, `-1`, `x, y`, `n!`: short, and no word of a language.
SYMBOLS = re.compile(
    r"^[\s\d.,;:()\[\]+\-*/=<>|!'%&~]*(?:[A-Za-z]{1,3}[\s\d.,;:()\[\]+\-*/=<>|!'%&~]+)*[A-Za-z]{0,3}'*[\s\d.,;:()\[\]+\-*/=<>|!'%&~]*$"
)
PRICE = re.compile(r"^\s*\d[\d,.]*\s*(?:[A-Za-z]{2,}|[kKmMbB](?![A-Za-z])(?!\s*[-+*=^(])|[-\u2013]\s*$|$|/|,|\()")
WORDS = re.compile(r"[A-Za-z]{2,}\s+[A-Za-z]{2,}|[A-Za-z]{4,}")
COMMANDS = re.compile(r"\\(?:text|mathrm|operatorname|mbox|hbox|textrm|mathit|mathbf)\s*\{[^{}]*\}|\\[A-Za-z]+")
BRACES = re.compile(r"\\.|[{}]", re.S)
ASCIIMATH = re.compile(r"`([^`\n]{1,400})`")


def save_written_formulas(text: str, formulas: Formulas, *, asciimath: bool) -> str:
    """`text` with a word of `formulas` in place of each formula that is written in it."""
    if asciimath and "`" in text:
        text = ASCIIMATH.sub(
            lambda match: formulas.word_for(latex_of_asciimath(match.group(1)), display=False, kind="asciimath"), text
        )
    parts: list[str] = []
    position = 0
    while True:
        opening = OPENING.search(text, position)
        if not opening:
            break
        found = None if _is_escape(opening.group()) else _formula_at(text, opening)
        if found is None:
            parts.append(text[position : opening.end()])
            position = opening.end()
            continue
        latex, end, display = found
        kind = "environment" if opening.group(1) else opening.group()
        parts.append(text[position : opening.start()])
        parts.append(formulas.word_for(latex, display=display, kind=kind))
        position = end
    parts.append(text[position:])
    return "".join(parts)


def opens_display(text: str) -> str:
    """What would close the displayed formula that begins in `text` and does not end there; empty when none does."""
    for opening in OPENING.finditer(text):
        sign = opening.group()
        if sign in ("$$", "\\["):
            return CLOSING[sign]
        if opening.group(1) in ENVIRONMENTS:
            return f"\\end{{{opening.group(1)}{opening.group(2)}}}"
    return ""


def _is_escape(opening: str) -> bool:
    return opening[0] == "\\" and opening not in ("\\(", "\\[") and not opening.startswith("\\begin")


def _formula_at(text: str, opening: re.Match[str]) -> tuple[str, int, bool] | None:
    """(LaTeX, where it ends, displayed) of the formula that begins at `opening`; None when none does."""
    sign, start = opening.group(), opening.end()
    if opening.group(1):
        return _environment_at(text, opening)
    if sign == "$":
        return _dollars_at(text, start)
    closing = CLOSING[sign]
    limit = MAX_INLINE if sign == "\\(" else MAX_DISPLAY
    end = _closing_at(text, closing, start, limit)
    if end < 0:
        return None
    latex = text[start:end]
    plausible = (
        latex.strip()
        and _is_balanced(latex)
        and (MATHS_CHARACTER.search(latex) or not WORDS.search(latex) or len(latex.split()) == 1)
    )
    return (latex, end + len(closing), sign != "\\(") if plausible else None


def _closing_at(text: str, closing: str, start: int, limit: int) -> int:
    end = start - 1
    while True:
        end = text.find(closing, end + 1, start + limit)
        if end < 0 or _backslashes(text, end) % 2 == 0:
            return end


def _backslashes(text: str, position: int) -> int:
    """How many backslashes stand right before `position`."""
    count = 0
    while position > count and text[position - count - 1] == "\\":
        count += 1
    return count


def _environment_at(text: str, opening: re.Match[str]) -> tuple[str, int, bool] | None:
    name = opening.group(1)
    if name not in ENVIRONMENTS:
        return None
    again, closing = opening.group(), f"\\end{{{name}{opening.group(2)}}}"
    position, depth = opening.end(), 1
    while depth:
        end = text.find(closing, position, opening.start() + MAX_DISPLAY)
        if end < 0:
            return None
        depth += text.count(again, position, end) - 1
        position = end + len(closing)
    return text[opening.start() : position], position, name != "math"


def _dollars_at(text: str, start: int) -> tuple[str, int, bool] | None:
    """The formula of a single dollar sign whose text begins at `start`; None when the sign is a price or a stray."""
    end = _closing_at(text, "$", start, MAX_INLINE)
    good = end > 0 and _reads_as_formula(text[start:end], after=text[end + 1 : end + 2])
    return (text[start:end], end + 1, False) if good else None


def _reads_as_formula(latex: str, *, after: str) -> bool:
    bare = latex.strip()
    if not bare or after.isdigit() or "\n\n" in latex or not _is_balanced(latex):
        return False
    if MARK_OF_TEX.search(bare):
        spaced = latex[0].isspace() and latex[-1].isspace()
        return not (PRICE.match(bare) and WORDS.search(COMMANDS.sub(" ", bare))) or spaced
    if latex[-1].isspace() or latex[0].isspace():
        return False
    if PRICE.match(bare) and not re.fullmatch(r"\d+(?:\.\d+)?|\d+[a-z]", bare):
        return False
    return SYMBOLS.match(bare) is not None or (
        MATHS_CHARACTER.search(bare) is not None and not WORDS.search(bare) and not PRICE.match(bare)
    )


def _is_balanced(latex: str) -> bool:
    if "{" not in latex and "}" not in latex:
        return True
    depth = 0
    for sign in BRACES.findall(latex):
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0
