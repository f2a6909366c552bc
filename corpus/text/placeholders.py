"""Formulas as opaque words: each stands in the text as one short word until the main content is chosen.

Extractors throw away what they take for markup, scripts or hidden boxes, which is where formulas live, and they
squeeze, escape or split what they keep. A word of two control characters and a number survives all of that, and
`put_back` then writes the LaTeX in its place.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from corpus.text.latex import clean_latex

START, STOP = "\x02", "\x03"
BREAK = "\x01"
# Line breaks and protected characters of code, as the reader marks them.
MARKS = str.maketrans({"\x01": "\n", "\x04": "$", "\x05": "\\", "\x06": "`"})
WORD = re.compile(rf"[ \t]*{START}(\d+){STOP}[ \t]*")


@dataclass(frozen=True, slots=True)
class Formula:
    """LaTeX without delimiters, whether it stands on a line of its own, and the kind of construct that held it."""

    latex: str
    display: bool
    kind: str


@dataclass(slots=True)
class Formulas:
    """The formulas of one page in the order in which they were met."""

    found: list[Formula] = field(default_factory=list)

    def word_for(self, latex: str, *, display: bool, kind: str) -> str:
        """The word that stands for a formula until `put_back`; nothing for an empty one or a macro definition."""
        if not latex.isprintable():  # it holds a mark, or a line end
            latex = self.put_back(latex, bare=True).translate(MARKS)
        cleaned = clean_latex(latex)
        if not cleaned:
            return ""
        self.found.append(Formula(cleaned, display, kind))
        return f"{START}{len(self.found) - 1}{STOP}"

    def put_back(self, text: str, *, bare: bool = False) -> str:
        """`text` with LaTeX for every word: `$..$` in a line, `$$..$$` on a line of its own; `bare`: no delimiters."""
        return WORD.sub(lambda match: self._written(match, bare), text) if START in text else text

    def counts(self) -> Mapping[str, int]:
        """Formulas by the kind of construct."""
        return Counter(formula.kind for formula in self.found)

    def _written(self, match: re.Match[str], bare: bool) -> str:
        number = int(match.group(1))
        if number >= len(self.found):
            return " "
        formula, whole = self.found[number], match.group()
        if formula.display and not bare:
            return f"\n$${formula.latex}$$\n"
        before = " " if whole[0] != START else ""
        # Two formulas side by side would read as one in double dollars.
        touching = match.string[match.end() : match.end() + 1] == START
        after = " " if whole[-1] != STOP or touching else ""
        return f"{before}{formula.latex}{after}" if bare else f"{before}${formula.latex}${after}"
