"""Benchmark questions of our own, for decontamination. Their wordings stand apart from those of the pages."""

import random
from collections.abc import Callable

from commons.seeds import rng
from corpus.crawlgen.writer import Writer

Row = dict[str, str]


def _orchard(w: Writer) -> tuple[str, int]:
    a, b, c = w.rng.randint(11, 48), w.rng.randint(7, 39), w.rng.randint(4, 18)
    d = w.rng.randint(5, 60)
    return w.say("bench.orchard", keeper=w.say("keeper"), a=a, b=b, c=c, d=d), (a + b) * c - d


def _candle(w: Writer) -> tuple[str, int]:
    b = w.rng.choice((2, 4, 8))
    a = w.rng.randint(9, 40)
    pieces = a * 16 // b if w.language == "en" else a * b
    c = w.rng.randint(3, pieces - 1)
    return w.say("bench.candle", keeper=w.say("keeper"), a=a, b=b, c=c), pieces - c


def _bookcase(w: Writer) -> tuple[str, int]:
    a, b = w.rng.randint(5, 19), w.rng.randint(12, 60)
    c = w.rng.randrange(a * b % 2, a * b // 2, 2)
    return w.say("bench.bookcase", keeper=w.say("keeper"), a=a, b=b, c=c), (a * b - c) // 2


def _lantern(w: Writer) -> tuple[str, int]:
    a, b = w.rng.randint(6, 44), w.rng.randint(13, 58)
    c = w.rng.randint(2, 11)
    return w.say("bench.lantern", keeper=w.say("keeper"), a=a, b=b, c=c), a * (b - c)


def _root(w: Writer) -> tuple[str, int]:
    a, b, c = w.rng.randint(2, 29), w.rng.randint(2, 29), w.rng.randint(2, 9)
    return w.say("bench.root", a=a, b=b, c=c), a * b * c


def _clock(w: Writer) -> tuple[str, int]:
    a, b = w.rng.randint(2, 9), w.rng.randint(9, 40)
    c = w.rng.randint(1, a * b)
    return w.say("bench.clock", keeper=w.say("keeper"), a=a, b=b, c=c), a * b - c


def _short(w: Writer) -> tuple[str, int]:
    """A question of three to nine grams, which counts as quoted only as a whole."""
    a, b = w.rng.randint(11, 89), 2 * w.rng.randint(3, 30)
    text = w.say("bench.short", a=a, b=b, even=b)
    if text.startswith("Square"):
        return text, a * a - b // 2
    if text.startswith("Quadruple"):
        return text, 4 * a + 7 * b
    return text, a * b // 2 if "折半" in text else 3 * a - b


ENGLISH: tuple[Callable[[Writer], tuple[str, int]], ...] = (_orchard, _candle, _bookcase, _lantern, _root, _clock)
CHINESE: tuple[Callable[[Writer], tuple[str, int]], ...] = (_orchard, _candle, _bookcase, _lantern)


def benchmark_rows(seed: int, *, english: int, chinese: int, short: int) -> dict[str, list[Row]]:
    """Name of the benchmark -> its rows (id, question, answer); no question twice, the short ones in both languages."""
    return {
        "stories_en": _rows(rng(seed, "benchmark", "en"), "en", ENGLISH, english, "stories_en"),
        "stories_zh": _rows(rng(seed, "benchmark", "zh"), "zh", CHINESE, chinese, "stories_zh"),
        "short_en": _rows(rng(seed, "benchmark", "short en"), "en", (_short,), short, "short_en"),
        "short_zh": _rows(rng(seed, "benchmark", "short zh"), "zh", (_short,), short // 2, "short_zh"),
    }


def _rows(
    stream: random.Random,
    language: str,
    families: tuple[Callable[[Writer], tuple[str, int]], ...],
    count: int,
    name: str,
) -> list[Row]:
    rows: dict[str, Row] = {}
    while len(rows) < count:
        question, answer = families[len(rows) % len(families)](Writer(stream, language))
        rows.setdefault(question, {"id": f"{name}-{len(rows):04d}", "question": question, "answer": str(answer)})
    return list(rows.values())
