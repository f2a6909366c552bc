"""The Daft plans of the rounds: training pages, scores, sums by bin, domains and patterns (corpus/frames.py).

Decisions about a page are the pure functions of the neighbours; nothing here depends on the order of rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import daft
from daft import DataType, Window

from corpus import classifier
from corpus.frames import Frame, col, column, from_rows, lit, rows, scan, with_draw
from corpus.heldout import is_held_out
from corpus.patterns import Candidate, Verdicts, letting_in, proposed
from corpus.recall import Bins, Cutoff, Sums
from corpus.tokens import count_formulas


def with_formulas(pages: Frame) -> Frame:
    """The pages with `formulas`: how many formulas their text holds, counted here unless the extractor did."""
    if "formulas" in pages.column_names:
        return pages
    return pages.with_column("formulas", column(count_formulas, DataType.int64())(col("text")))


def with_held_out(pages: Frame, *, seed: int, share: float) -> Frame:
    """The pages with `held_out`: whether a page is never trained on."""

    def decide(identity: str) -> bool:
        return is_held_out(identity, seed=seed, share=share)

    return pages.with_column("held_out", column(decide, DataType.bool())(col("id")))


def share_with_formulas(light: Frame) -> float:
    """Share of the pages that hold a formula."""
    with_any = (col("formulas") > 0).cast(DataType.int64())
    sums = light.agg(with_any.sum().alias("some"), col("id").count().alias("all")).to_pydict()
    return float((sums["some"][0] or 0) / max(sums["all"][0], 1))


def not_in_domains(pages: Frame, domains: Sequence[str]) -> Frame:
    """The pages of other domains."""
    return pages.join(from_rows({"domain": list(domains) or [""]}), on="domain", how="anti")


def drawn(pages: Frame, *, count: int, seed: int, by_domain: bool) -> list[str]:
    """Ids of up to `count` pages in an order drawn from the seed.

    `by_domain`: first one page of every domain, then a second one, and so on: a site with half of all pages does not
    make half of the draw.
    """
    light = with_draw(pages.select("id", "domain"), seed=seed)
    if by_domain:
        turn = daft.functions.row_number().over(Window().partition_by("domain").order_by(["draw", "id"]))
        light = light.with_column("turn", turn).sort(["turn", "draw", "id"])
    else:
        light = light.sort(["draw", "id"])
    return [row["id"] for row in rows(light.limit(count).select("id"))]


def examples(pages: Frame, maths: Sequence[str], other: Sequence[str], *, seed: int) -> Iterator[tuple[bool, str]]:
    """(whether it is a seed page, text) of the training pages, in an order drawn from the seed."""
    labels = from_rows({"id": [*maths, *other], "maths": [True] * len(maths) + [False] * len(other)})
    mixed = with_draw(pages.select("id", "text").join(labels, on="id"), seed=seed).sort(["draw", "id"])
    for row in rows(mixed.select("maths", "text")):
        yield row["maths"], row["text"]


def scored(pages: Frame, model: Path, *, prior_words: int) -> Frame:
    """The light columns of the pages with `score`, the log-odds of the classifier at `model` (null: no known word)."""
    worker: Any = _Classifier(str(model), prior_words)
    light = ("id", "key", "url", "domain", "language", "tokens")
    return pages.select(*light, worker.score(col("text")).alias("score"))


@daft.cls
class _Classifier:
    """Loads a model once per worker."""

    def __init__(self, model: str, prior_words: int) -> None:
        self.model = classifier.Scorer(model, prior_words=prior_words)

    @daft.method(return_dtype=DataType.float64())
    def score(self, text: str) -> float | None:
        return self.model.log_odds(text)


def with_rank(scores: Frame, first: Sequence[str]) -> Frame:
    """The scores with `rank`, by which pages are cut: the score, for the pages `first` put above all others."""
    found = bounds(scores, "score")
    low, span = (found[0], 2 * (found[1] - found[0]) or 1.0) if found and first else (0.0, 0.0)
    marks = from_rows({"id": list(first) or [""], "_above": [span] * (len(first) or 1)})
    marked = scores.join(marks, on="id", how="left")
    above = col("score").fill_null(low) + col("_above")
    return marked.with_column("rank", above.fill_null(col("score"))).exclude("_above")


def bounds(scores: Frame, name: str) -> tuple[float, float] | None:
    """The lowest and the highest value of a column; None when it has none."""
    found = scores.agg(col(name).min().alias("low"), col(name).max().alias("high")).to_pydict()
    low, high = found["low"][0], found["high"][0]
    return None if low is None else (low, high)


def sums_by_bin(scores: Frame, bins: Bins) -> dict[int, Sums]:
    """Pages, tokens and lowest score of each score bin: sums of shards, so that no page has to be kept in memory."""
    binned = _with_bin(scores, bins).groupby("bin")
    sums = binned.agg(col("tokens").count().alias("pages"), col("tokens").sum(), col("rank").min().alias("lowest"))
    return {row["bin"]: Sums(row["pages"], row["tokens"], row["lowest"]) for row in rows(sums)}


def in_bin(scores: Frame, bins: Bins, number: int) -> Frame:
    """The pages of one bin."""
    return _with_bin(scores, bins).where(col("bin") == number).exclude("bin")


def scored_pages(scores: Frame) -> list[tuple[float, str, int]]:
    """(score, id, tokens) of the pages."""
    return [(row["rank"], row["id"], row["tokens"]) for row in rows(scores.select("rank", "id", "tokens"))]


def sums_above(scores: Frame, cutoff: Cutoff) -> Sums:
    """Pages and tokens at or above a cut."""
    kept = with_collected(scores.select("id", "tokens", "rank"), cutoff).where(col("collected"))
    found = kept.agg(
        col("tokens").count().alias("pages"), col("tokens").sum(), col("rank").min().alias("lowest")
    ).to_pydict()
    return Sums(found["pages"][0], found["tokens"][0] or 0, found["lowest"][0] or 0.0)


def tokens_in(scores: Frame) -> int:
    """Tokens of all pages."""
    return int(scores.agg(col("tokens").sum()).to_pydict()["tokens"][0] or 0)


def tokens_from(scores: Frame, threshold: float) -> int:
    """Tokens of the pages with at least this score."""
    return int(scores.where(col("score") >= threshold).agg(col("tokens").sum()).to_pydict()["tokens"][0] or 0)


def with_collected(scores: Frame, cutoff: Cutoff) -> Frame:
    """The scores with `collected`: whether a page is at or above the cut."""
    keeps = column(cutoff.keeps, DataType.bool())
    return scores.with_column("collected", keeps(col("rank"), col("id")))


def with_proposed(collected: Frame, domains: Sequence[str], *, depth: int) -> Frame:
    """One row for each page of these domains and each pattern that its address suggests, in column `pattern`."""

    def suggest(key: str) -> list[str]:
        return proposed(key, depth=depth)

    inside = collected.join(from_rows({"domain": list(domains) or [""]}), on="domain", how="semi")
    return inside.with_column("pattern", column(suggest, DataType.list(DataType.string()))(col("key"))).explode(
        "pattern"
    )


def candidates(suggested: Frame, *, pages: int) -> list[Candidate]:
    """The suggested patterns with at least so many pages, with their counts, in order of their names."""
    mine = col("collected").cast(DataType.int64())
    counts = suggested.select("pattern", "domain", mine.alias("collected")).groupby("pattern", "domain")
    sums = counts.agg(col("collected").count().alias("pages"), col("collected").sum())
    found = rows(sums.where(col("pages") >= pages))
    return sorted(
        (Candidate(row["pattern"], row["domain"], row["pages"], row["collected"]) for row in found),
        key=lambda one: one.pattern,
    )


def sample_urls(
    suggested: Frame, patterns: Sequence[str], *, count: int, seed: int
) -> dict[tuple[str, bool], list[str]]:
    """Up to `count` addresses of collected and of other pages of each pattern, drawn by the seed."""
    asked = suggested.join(from_rows({"pattern": list(patterns) or [""]}), on="pattern", how="semi")
    light = with_draw(asked.select("pattern", "collected", "url", "id"), seed=seed)
    turn = daft.functions.row_number().over(Window().partition_by("pattern", "collected").order_by(["draw", "id"]))
    chosen = light.with_column("turn", turn).where(col("turn") <= count).sort(["pattern", "collected", "turn"])
    found: dict[tuple[str, bool], list[str]] = {}
    for row in rows(chosen):
        found.setdefault((row["pattern"], row["collected"]), []).append(row["url"])
    return found


def uncollected_under(collected: Frame, decided: Verdicts) -> dict[str, str]:
    """The pages that were not collected and lie under an accepted pattern: id -> the pattern that lets them in."""

    def pattern_of(key: str) -> str | None:
        return letting_in(key, decided)

    left = collected.where(~col("collected")).select("id", "key")
    found = left.with_column("pattern", column(pattern_of, DataType.string())(col("key")))
    return {row["id"]: row["pattern"] for row in rows(found.where(~col("pattern").is_null()))}


def with_rounds(pages: Frame, rounds: Sequence[Path]) -> tuple[Frame, Frame]:
    """(pages collected in the last round with `score` and the `round` that first collected them, the others)."""
    last = scan(rounds[-1]).select("id", "score")
    first = None
    for number, folder in enumerate(rounds, start=1):
        one = scan(folder).select(col("id"), lit(number).cast(DataType.int64()).alias("round"))
        first = one if first is None else first.concat(one)
    assert first is not None
    known = first.groupby("id").agg(col("round").min())
    mine = pages.join(last, on="id").join(known, on="id")
    other = pages.join(last.select("id"), on="id", how="anti")
    blank = {"score": DataType.float64(), "round": DataType.int64(), "provenance": DataType.string()}
    return mine, other.with_columns({name: lit(None).cast(kind) for name, kind in blank.items()})


def with_provenance(pages: Frame, provenance: Mapping[str, str]) -> Frame:
    """The collected pages with `provenance`: why a seed page is one, else the round of the classifier."""
    known = from_rows({"id": list(provenance) or [""], "_why": list(provenance.values()) or [""]})
    by_round = lit("classifier round ") + col("round").cast(DataType.string())
    joined = pages.join(known, on="id", how="left")
    return joined.with_column("provenance", col("_why").fill_null(by_round)).exclude("_why")


def _with_bin(scores: Frame, bins: Bins) -> Frame:
    known = scores.where(~col("rank").is_null())
    return known.with_column("bin", column(bins.number, DataType.int64())(col("rank")))
