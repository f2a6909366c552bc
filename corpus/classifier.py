"""The fastText classifier of section 2.1: text -> one line of words, training, score as log-odds.

Training and prediction see a text through the same `fasttext_line`. The score is the difference of the two outputs
before the softmax: probabilities are cut off at 1e-5 by the library, and then thousands of pages would tie.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import fasttext
import numpy as np
from fasttext.FastText import _FastText

from corpus.tokens import tokens_of

MATHS, OTHER = "__label__maths", "__label__other"
LABEL_PREFIX = "__label__"
FLOOR = 1e-5  # added by the library to each probability before it takes the logarithm
ENDS = 12.0  # log-odds that a probability with that floor cannot tell from certainty
NAN = "Encountered NaN"
RATE_AFTER_NAN = 0.25  # the rate of a new attempt, as a part of the one before
ATTEMPTS = 6


@dataclass(frozen=True, slots=True)
class Trained:
    """A saved model: its file, the rate that it was trained with, and the attempts that ended in NaN before."""

    path: Path
    learning_rate: float
    nan_attempts: int


def fasttext_line(text: str) -> str:
    """`text` as fastText reads it: tokens with one blank between them, Chinese cut into characters, no newline.

    A token that starts with the label prefix cannot occur: underscores are tokens of their own. Control characters
    are left out: the library takes NUL for a blank in a file and for a letter in a call."""
    tokens = tokens_of(text)
    line = " ".join(tokens)
    return line if line.isprintable() else " ".join(token for token in tokens if token.isprintable())


def write_training_file(path: Path, examples: Iterable[tuple[bool, str]]) -> tuple[int, int]:
    """Writes one labelled line for each (is maths, text) with any token; returns how many of maths and of the rest."""
    counts = [0, 0]
    with path.open("w", encoding="utf-8") as file:
        for is_maths, text in examples:
            line = fasttext_line(text)
            if line:
                file.write(f"{MATHS if is_maths else OTHER} {line}\n")
                counts[not is_maths] += 1
    return counts[0], counts[1]


def train(
    examples: Path,
    model: Path,
    *,
    dimensions: int,
    learning_rate: float,
    word_ngrams: int,
    min_count: int,
    epochs: int,
    buckets: int,
    seed: int,
) -> Trained:
    """Section 2.1: saves a supervised fastText model of a training file. One thread: equal files give equal bytes.

    On little or trivial data the library can run into NaN; then it starts again at a quarter of the rate. Raises
    RuntimeError when the lowest of the rates tried fails too."""
    for attempt in range(ATTEMPTS):
        rate = learning_rate * RATE_AFTER_NAN**attempt
        try:
            trained = fasttext.train_supervised(
                input=str(examples),
                dim=dimensions,
                lr=rate,
                wordNgrams=word_ngrams,
                minCount=min_count,
                epoch=epochs,
                bucket=buckets,
                loss="softmax",
                thread=1,
                seed=seed % (1 << 31),
                verbose=0,
            )
        except RuntimeError as error:
            if NAN not in str(error):
                raise
            continue
        trained.save_model(str(model))
        return Trained(model, rate, attempt)
    raise RuntimeError(f"{NAN} at every rate down to {rate:g}: {examples}")


def quantise(model: Path, target: Path, *, vectors: int) -> None:
    """Saves a small copy of a model: the `vectors` longest ones as product codes. Equal models give equal bytes."""
    small = fasttext.load_model(str(model))
    small.quantize(cutoff=vectors, verbose=False, thread=1)
    small.save_model(str(target))


class Scorer:
    """A trained model as a function of a text.

    A text is the mean of its words to the library: thirty words that say little come out as far from even as a page
    does. `prior_words` shrinks the log-odds as if so many words that say nothing stood beside every text; 0: not."""

    def __init__(self, path: str, *, prior_words: int = 0) -> None:
        self._prior_words = prior_words
        self._model = fasttext.load_model(path)
        self.labels: list[str] = self._model.get_labels()
        self._difference = None if self._model.is_quantized() else _difference(self._model)

    def log_odds(self, text: str) -> float | None:
        """log P(maths) - log P(other) of a text, shrunk; None for a text without a known word, which says nothing.

        A quantised model gives them through its probabilities, so they end at ENDS."""
        line = fasttext_line(text)
        words = line.split(" ")
        if not any(self._model.get_word_id(word) >= 0 for word in words):
            return None
        full = (
            self._from_probabilities(line)
            if self._difference is None
            else float(self._difference @ self._model.get_sentence_vector(line))
        )
        return full * len(words) / (len(words) + self._prior_words)

    def _from_probabilities(self, line: str) -> float:
        # a list, since the form for one text fails with numpy 2 in other builds of the library
        labels, probabilities = self._model.predict([line], k=2)
        found = dict(zip(labels[0], probabilities[0], strict=True))
        maths, other = (max(float(found.get(label, 0.0)) - FLOOR, 1e-9) for label in (MATHS, OTHER))
        return max(-ENDS, min(ENDS, math.log(maths) - math.log(other)))


def _difference(model: _FastText) -> np.ndarray:
    labels, matrix = model.get_labels(), model.get_output_matrix()
    return np.asarray(matrix[labels.index(MATHS)] - matrix[labels.index(OTHER)], dtype=np.float32)
