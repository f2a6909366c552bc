"""The fastText classifier of section 2.1: text -> one line of words, training, score as log-odds.

Training and prediction see a text through the same `fasttext_line`. The score is the difference of the two outputs
before the softmax: probabilities are cut off at 1e-5 by the library, and then thousands of pages would tie.
"""

from collections.abc import Iterable
from pathlib import Path

import fasttext
import numpy as np
from fasttext.FastText import _FastText

from corpus.tokens import tokens_of

MATHS, OTHER = "__label__maths", "__label__other"
LABEL_PREFIX = "__label__"


def fasttext_line(text: str) -> str:
    """`text` as fastText reads it: tokens with one blank between them, Chinese cut into characters, no newline.

    A token that starts with the label prefix cannot occur: underscores are tokens of their own."""
    return " ".join(tokens_of(text))


def write_training_file(path: Path, maths: Iterable[str], other: Iterable[str]) -> tuple[int, int]:
    """Writes one labelled line for each text that has any token; returns how many of each label."""
    counts = [0, 0]
    with path.open("w", encoding="utf-8") as file:
        for position, (label, texts) in enumerate(((MATHS, maths), (OTHER, other))):
            for text in texts:
                line = fasttext_line(text)
                if line:
                    file.write(f"{label} {line}\n")
                    counts[position] += 1
    return counts[0], counts[1]


def train(
    path: Path,
    *,
    dimensions: int,
    learning_rate: float,
    word_ngrams: int,
    min_count: int,
    epochs: int,
    buckets: int,
    seed: int,
) -> _FastText:
    """Section 2.1: a supervised fastText model of a training file. One thread, so that equal files give equal bytes."""
    return fasttext.train_supervised(
        input=str(path),
        dim=dimensions,
        lr=learning_rate,
        wordNgrams=word_ngrams,
        minCount=min_count,
        epoch=epochs,
        bucket=buckets,
        loss="softmax",
        thread=1,
        seed=seed % (1 << 31),
        verbose=0,
    )


class Scorer:
    """A trained model as a function of a text."""

    def __init__(self, path: str) -> None:
        self._model = fasttext.load_model(path)
        labels, matrix = self._model.get_labels(), self._model.get_output_matrix()
        self._difference = np.asarray(matrix[labels.index(MATHS)] - matrix[labels.index(OTHER)], dtype=np.float32)

    def log_odds(self, text: str) -> float | None:
        """log P(maths) - log P(other) of a text; None for a text without a known word, which says nothing."""
        line = fasttext_line(text)
        if not line:
            return None
        hidden = self._model.get_sentence_vector(line)
        return float(self._difference @ hidden) if np.any(hidden) else None
