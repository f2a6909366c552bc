"""Training pages of a round (section 2.1): seed pages against pages from elsewhere in the crawl, some held out."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from commons.errors import DataError
from commons.seeds import seed_of
from corpus import classifier, round_frames
from corpus.classifier import Trained
from corpus.config import FastText
from corpus.frames import Frame, col, rows, with_ids, without_ids
from corpus.heldout import HeldOut

HELD_OUT_PAGES = 10_000  # of each kind at most; more would only make the figures finer


@dataclass(frozen=True, slots=True)
class Lesson:
    """The pages of a round by id: to train on, and held out. `negatives_from` says which pages were drawn from."""

    maths: tuple[str, ...]
    other: tuple[str, ...]
    held_out_maths: tuple[str, ...]
    held_out_other: tuple[str, ...]
    negatives_from: str


def with_marks(pages: Frame, config: FastText, seed: int) -> Frame:
    """The light columns from which a lesson is drawn: id, domain, `formulas` and `held_out`."""
    counted = round_frames.with_formulas(pages).select("id", "domain", "formulas")
    return round_frames.with_held_out(counted, seed=seed_of(seed, "held out"), share=config.held_out_share)


def lesson(
    marked: Frame, positives: Sequence[str], domains: Sequence[str], config: FastText, *, seed: int, rare: bool
) -> Lesson:
    """Section 2.1: chooses the pages of a round from `marked` (see `with_marks`); `rare` as `maths_is_rare_below` says.

    Raises DataError when one kind is missing."""
    mine = {row["id"]: row["held_out"] for row in rows(with_ids(marked, positives).select("id", "held_out"))}
    maths = sorted(name for name in mine if not mine[name])[: config.max_positives]
    wanted = max(1, round(config.negatives_per_positive * len(maths)))
    other, held_out, source = _negatives(without_ids(marked, positives), domains, wanted, seed=seed, rare=rare)
    if not maths or not other:
        raise DataError(f"got {len(maths)} seed pages and {len(other)} other pages to train on; it takes both kinds")
    held_out_maths = sorted(name for name in mine if mine[name])[:HELD_OUT_PAGES]
    return Lesson(tuple(maths), tuple(other), tuple(held_out_maths), tuple(held_out), source)


def _negatives(
    elsewhere: Frame, domains: Sequence[str], wanted: int, *, seed: int, rare: bool
) -> tuple[list[str], list[str], str]:
    without = elsewhere.where(col("formulas") == 0)
    pools = [("all pages", elsewhere)]
    if not rare:  # a small crawl may lie in domains of the seed altogether
        outside = round_frames.not_in_domains(without, domains)
        pools = [("pages without formulas in other domains", outside), ("pages without formulas", without), *pools]
    for source, pool in pools:
        trained_on, held_out = pool.where(~col("held_out")), pool.where(col("held_out"))
        other = round_frames.drawn(trained_on, count=wanted, seed=seed, by_domain=not rare)
        if other:
            tested_on = round_frames.drawn(held_out, count=HELD_OUT_PAGES, seed=seed, by_domain=not rare)
            return other, tested_on, source
    return [], [], "nothing"


def train(pages: Frame, chosen: Lesson, folder: Path, config: FastText, *, seed: int) -> Trained:
    """Trains the classifier of a round into `folder`/model.bin. Raises DataError when one kind has no text."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = round_frames.examples(pages, chosen.maths, chosen.other, seed=seed)
    counts = classifier.write_training_file(folder / "training.txt", texts)
    if not all(counts):
        raise DataError(f"got {counts[0]} seed pages and {counts[1]} other pages with a word; it takes both kinds")
    return classifier.train(
        folder / "training.txt",
        folder / "model.bin",
        dimensions=config.dimensions,
        learning_rate=config.learning_rate,
        word_ngrams=config.word_ngrams,
        min_count=config.min_count,
        epochs=config.epochs,
        buckets=config.buckets,
        seed=seed,
    )


def held_out_scores(scores: Frame, chosen: Lesson) -> HeldOut:
    """The scores of the held-out pages of a lesson."""
    return HeldOut(_scores(scores, chosen.held_out_maths), _scores(scores, chosen.held_out_other))


def _scores(scores: Frame, ids: Sequence[str]) -> tuple[tuple[str, float | None], ...]:
    found = rows(with_ids(scores, ids).select("id", "score"))
    return tuple(sorted(((row["id"], row["score"]) for row in found), key=lambda pair: pair[0]))
