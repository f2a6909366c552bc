"""Word n-grams and what of a benchmark a text quotes (section 2.1, decontamination).

The paper does not say what a gram is made of. Ours: a word or number in lower case, or one character of Chinese (and
of Japanese and Korean); punctuation, spacing and markup signs do not count, so `\\frac{1}{2}` is frac, 1, 2."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import normalize

CHARACTER = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
TOKEN = re.compile(rf"[{CHARACTER}]|[^\W_{CHARACTER}]+")
SHORTEST_TEXT = 3  # grams; a benchmark text below this protects nothing (section 2.1)


@dataclass(frozen=True, slots=True)
class Quotation:
    """One benchmark gram found in a text. `item` is the position of the benchmark text, `start` the gram's token."""

    gram: str
    item: int
    start: int


@dataclass(frozen=True, slots=True)
class BenchmarkGrams:
    """What may not be quoted: grams of `n` tokens, and whole texts of fewer, each with the first item it came from."""

    n: int
    grams: dict[str, int]
    short_texts: dict[int, dict[str, int]]  # by their length in tokens


def tokens(text: str) -> list[str]:
    """The tokens that grams are made of, in order; full-width and half-width forms are the same."""
    if not text.isascii():
        text = normalize("NFKC", text)
    return TOKEN.findall(text.lower())


def ngrams(words: Sequence[str], n: int) -> Iterator[str]:
    """Each run of `n` tokens, joined by spaces; none when there are fewer."""
    return (" ".join(words[start : start + n]) for start in range(len(words) - n + 1))


def benchmark_grams(texts: Iterable[str], n: int = 10) -> BenchmarkGrams:
    """Section 2.1: all n-grams of the texts; texts of 3 to n-1 tokens are kept whole for exact match."""
    if n <= SHORTEST_TEXT:
        raise ValueError(f"grams of {n} tokens: more than {SHORTEST_TEXT} are needed")
    grams: dict[str, int] = {}
    short_texts: dict[int, dict[str, int]] = {}
    for item, text in enumerate(texts):
        words = tokens(text)
        if len(words) >= n:
            for gram in ngrams(words, n):
                grams.setdefault(gram, item)
        elif len(words) >= SHORTEST_TEXT:
            short_texts.setdefault(len(words), {}).setdefault(" ".join(words), item)
    return BenchmarkGrams(n, grams, short_texts)


def quotations(text: str, benchmarks: BenchmarkGrams) -> Iterator[Quotation]:
    """Every benchmark gram and short benchmark text that the text contains: first the grams, in order of the text."""
    words = tokens(text)
    for length, known in ((benchmarks.n, benchmarks.grams), *sorted(benchmarks.short_texts.items())):
        for start, gram in enumerate(ngrams(words, length)):
            if gram in known:
                yield Quotation(gram, known[gram], start)


def quoted_gram(text: str, benchmarks: BenchmarkGrams) -> Quotation | None:
    """The first quotation of a benchmark in the text, or None."""
    return next(quotations(text, benchmarks), None)
