"""How tokens are counted before the model has a tokenizer of its own (docs/deviations.md).

The paper counts with DeepSeek's tokenizer. Ours is trained on the corpus that is being mined here, so budgets and
shares are counted by a rule that anybody can repeat: one token for each of
    a LaTeX command (`\\frac`), a run of letters of an alphabet, one Chinese, Japanese or Korean character,
    one digit, one other visible symbol.
"""

import re
from functools import lru_cache

TOKENIZER = "regex-1: LaTeX commands, words, CJK characters, digits, symbols"
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
CJK = HAN + "\u3040-\u30ff\uac00-\ud7af"

TOKEN = re.compile(rf"\\[A-Za-z]+|[{CJK}]|\d|[^\W\d_{CJK}]+|[^\w\s]|_")
ASCII_TOKEN = re.compile(r"\\?[A-Za-z]+|[^\s\x1c-\x1f]", re.ASCII)  # the same in ASCII, in two thirds of the time
# The only letters that lower case makes other tokens of: dotted I becomes two signs, and the Kelvin sign a plain k.
UNSTABLE = ("\u0130", "\u212a")

# Formulas as the extractor writes them, `$..$` and `$$..$$`, and as pages write them. By the rule of TeX's readers a
# dollar opens before a sign and closes after one, and no digit follows: "from $5 to $9" are prices.
FORMULA = re.compile(
    r"\$\$[^$]+\$\$|(?<![\\$])\$(?![\s$])[^$\n]{0,400}?(?<![\s\\])\$(?![\d$])"
    r"|\\\(.+?\\\)|\\\[.+?\\\]|\\begin\{(?:equation|align|gather|eqnarray|multline)",
    re.DOTALL,
)


def count_formulas(text: str) -> int:
    """Number of formulas in an extracted text."""
    return sum(1 for _ in FORMULA.finditer(text))


def count_tokens(text: str) -> int:
    """Number of tokens of `text` under TOKENIZER."""
    return len(TOKEN.findall(text) if any(letter in text for letter in UNSTABLE) else tokens_of(text))


@lru_cache(maxsize=1)  # of a page they are counted and then hashed
def tokens_of(text: str) -> tuple[str, ...]:
    """The tokens themselves, lower-cased: the units of near-duplicate shingles and of fastText."""
    return tuple((ASCII_TOKEN if text.isascii() else TOKEN).findall(text.lower()))
