"""Word n-grams of texts with mathematics (section 2.1, decontamination): what counts as a gram's token.

The paper does not say what a gram is made of. Ours: a word or number in lower case, or one character of Chinese (and
of Japanese and Korean). Punctuation, spacing and signs do not count, however they are written: `$`, `\\[`, `\\left`,
`+` and `\\times` are all nothing. A LaTeX command that names something is its name, and its Unicode sign is the same
token: `\\dfrac{1}{2}` is frac, 1, 2; `\\pi` and U+03C0 are pi, a raised 2 is 2.
"""

import re
from collections.abc import Iterator, Sequence
from unicodedata import normalize

CHARACTER = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
TOKEN = re.compile(rf"[{CHARACTER}]|[^\W_{CHARACTER}]+")
ASCII_TOKENS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}

# LaTeX commands that only set type, space or a sign which is punctuation when it is typed.
TYPE = (
    "left right middle bigl bigr Bigl Bigr biggl biggr Biggl Biggr big Big bigg Bigg displaystyle textstyle "
    "scriptstyle limits nolimits quad qquad mathrm mathbf mathit mathsf mathbb mathcal mathfrak mathscr boldsymbol bm "
    "text textbf textit textrm textsf textnormal mbox hbox operatorname rm bf it nonumber notag lbrace rbrace lvert "
    "rvert langle rangle"
)
SIGNS = (
    "times cdot cdots ldots dots vdots ddots div pm mp ast circ star bullet le leq leqslant ge geq geqslant lt gt ne "
    "neq equiv approx sim simeq cong propto to rightarrow leftarrow Rightarrow Leftarrow Leftrightarrow "
    "leftrightarrow longrightarrow mapsto implies iff in notin ni subset subseteq supset supseteq cup cap setminus "
    "land lor wedge vee neg forall exists mid nmid parallel perp angle triangle prime colon therefore because"
)
NOTHING = re.compile(
    r"\\\\|\\(?:begin|end)\{[^{}\s]*\}(?:\{[lcr|]*\})?|\\(?:" + "|".join(f"{TYPE} {SIGNS}".split()) + r")(?![A-Za-z])"
)
VARIANT = re.compile(r"\\(?:[dtc](?=frac)|[dt](?=binom)|var(?=epsilon|phi|theta|rho|sigma|pi|kappa))")
UNBRACED = re.compile(r"\\(frac|sqrt|binom)(\d)(\d)?")  # \frac65 is \frac{6}{5}
NAME_BEFORE_DIGIT = re.compile(r"(\\[A-Za-z]+)(?=\d)")
RAISED = re.compile("[\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]")
NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon "
    "phi chi psi omega"
)
NAMED = {
    **{chr(0x3B1 + place): f" {name} " for place, name in enumerate(NAMES.split())},
    **{"\u221a": " sqrt ", "\u2211": " sum ", "\u220f": " prod ", "\u222b": " int ", "\u221e": " infty "},
}
SIGN_WITH_NAME = re.compile(f"[{''.join(NAMED)}]")


def tokens(text: str) -> list[str]:
    """The tokens that grams are made of, in order.

    Full-width and half-width forms are the same. A token never crosses a line end: the tokens of a text are those of
    its lines, one line after the other.
    """
    if "\\" in text:
        text = VARIANT.sub(r"\\", NOTHING.sub(" ", text))
        text = NAME_BEFORE_DIGIT.sub(r"\1 ", UNBRACED.sub(r" \1 \2 \3 ", text))
    if text.isascii():
        return text.translate(ASCII_TOKENS).split()
    words: list[str] = []
    for line in text.split("\n"):  # most lines of most pages are plain, and those are quick
        words += line.translate(ASCII_TOKENS).split() if line.isascii() else _tokens_of_line(line)
    return words


def ngrams(words: Sequence[str], n: int) -> Iterator[str]:
    """Each run of `n` tokens, joined by spaces; none when there are fewer."""
    return (" ".join(words[start : start + n]) for start in range(len(words) - n + 1))


def _tokens_of_line(line: str) -> list[str]:
    line = normalize("NFKC", RAISED.sub(r" \g<0> ", line)).lower()
    return TOKEN.findall(SIGN_WITH_NAME.sub(lambda sign: NAMED[sign[0]], line))
