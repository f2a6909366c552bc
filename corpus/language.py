"""The language of a page: `zh`, `en` or `other`, by script and by the commonest words, mathematics left out.

A first version without a model: formulas have no language, and every identifier tried takes them for one.
"""

import re

from corpus.tokens import HAN

LANGUAGES = ("en", "zh", "other")
MATHS = re.compile(r"\$\$.*?\$\$|\$[^$\n]{1,400}\$|\\\(.*?\\\)|\\\[.*?\\\]|\\[A-Za-z]+", re.DOTALL)
HAN_CHARACTER = re.compile(f"[{HAN}]")
KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
OTHER_LETTER = re.compile("[\u0370-\u1fff]")
# One Chinese character says about as much as one and a half letters' worth of a short word.
LETTERS_PER_HAN = 3
MIN_ENGLISH_SHARE = 0.04

ENGLISH_WORDS = (
    "the of and to in is that for it with as on be by this are from at or an have not we you which can if then let"
)
ENGLISH = frozenset(ENGLISH_WORDS.split())
EUROPEAN_WORDS = (
    "der die und das den ist von mit nicht ein eine auf für dem sich auch werden wird zu im "  # German
    "le la les des et est une du dans pour que qui sur avec pas au aux ce cette "  # French
    "el los las de en y un por con para es una se lo como más su al "  # Spanish
    "il di che non per del della sono nel com não uma os as dos da em het een van ik niet"
)
EUROPEAN = frozenset(EUROPEAN_WORDS.split())


def language_of(text: str) -> str:
    """`zh` when Chinese characters outweigh the rest, `en` when English function words lead, else `other`.

    Text with too few words to tell counts as `en` when its letters are Latin: formulas with a word or two are
    read by readers of any language, and the English row is the default one.
    """
    prose = MATHS.sub(" ", text)
    han = len(HAN_CHARACTER.findall(prose))
    foreign = len(KANA_OR_HANGUL.findall(prose)) + len(OTHER_LETTER.findall(prose)) // LETTERS_PER_HAN
    words = [word.lower() for word in LATIN_WORD.findall(prose)]
    letters = sum(map(len, words))
    if han * LETTERS_PER_HAN > letters and han > 4 * foreign:
        return "zh"
    if foreign * LETTERS_PER_HAN > letters:
        return "other"
    return "en" if _is_english(words) else "other"


def _is_english(words: list[str]) -> bool:
    english = sum(word in ENGLISH for word in words)
    european = sum(word in EUROPEAN for word in words)
    if len(words) < 20:
        return european <= english
    return english >= european and english >= MIN_ENGLISH_SHARE * len(words)
