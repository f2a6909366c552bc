"""The Daft plans: scans, group-bys and joins. Decisions about a page are the pure functions of the neighbours.

Frames are read from Parquet and written by `commons/shards.py` with rows in order of their ids, so that equal
content gives equal bytes whatever the engine did in between. Native engine here, the same plan on a Ray cluster.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import daft
from daft import DataType, Window

from commons.shards import write_parquet
from corpus import classifier
from corpus.deduplicate import band_keys
from corpus.domains import lies_under
from corpus.recall import Cutoff, score_bin
from corpus.urls import path_prefixes

Frame: TypeAlias = daft.DataFrame
# Daft types a comparison of columns as bool, which it is not.
col: Any = daft.col
lit: Any = daft.lit
HEX_DIGITS = 2  # of the page id that decide its shard


def scan(folder: Path) -> Frame:
    """All Parquet files of a folder."""
    return daft.read_parquet(f"{folder}/*.parquet")


def rows(frame: Frame) -> Iterator[dict[str, Any]]:
    """The rows of a frame, in no particular order."""
    yield from frame.iter_rows()


def from_rows(columns: Mapping[str, Any]) -> Frame:
    """A frame of plain columns."""
    return daft.from_pydict(dict(columns))


def write_shards(frame: Frame, folder: Path, *, shards: int) -> int:
    """Writes `frame` as part-00.parquet, .. by the first byte of `id`, each in order of the ids; returns the rows."""
    shard = _column(_shard_of, DataType.int64())
    numbered = frame.with_column("_shard", shard(col("id"), shards)).collect()
    total = 0
    for number in range(shards):
        part = numbered.where(col("_shard") == number).exclude("_shard").to_arrow().sort_by("id")
        total += write_parquet(folder / f"part-{number:02d}.parquet", part)
    return total


# Duplicates


def newest_captures(pages: Frame) -> Frame:
    """The pages with a column `newest`: whether a row is the last capture of its URL key."""
    recency = _column(_recency, DataType.string())
    dated = pages.with_column("recency", recency(col("date"), col("url"), col("id"), col("row")))
    last = dated.groupby("key").agg(col("recency").max().alias("last"))
    return dated.join(last, on="key").with_column("newest", col("recency") == col("last")).exclude("recency", "last")


def first_of_each_text(pages: Frame) -> Frame:
    """The pages with `kept_key`: the address that is kept among the pages with the same text."""
    rank = _column(_rank, DataType.string())
    ranked = pages.with_column("rank", rank(col("key"), col("id")))
    first = ranked.groupby("text_digest").agg(col("rank").min().alias("first"))
    kept = _column(_key_of_rank, DataType.string())
    return ranked.join(first, on="text_digest").with_column("kept_key", kept(col("first"))).exclude("rank", "first")


def similar_pairs(pages: Frame, *, ranges: int) -> list[tuple[str, str]]:
    """Pairs of ids that share a band: each id of a bucket with the smallest one, one hash range at a time."""
    bands = _column(band_keys, DataType.list(DataType.int64()))
    banded = pages.select(col("id"), bands(col("signature")).alias("band")).explode("band").collect()
    pairs: set[tuple[str, str]] = set()
    for number in range(ranges):
        buckets = (
            banded.where(col("band") % ranges == number)
            .groupby("band")
            .agg(daft.functions.list_agg(col("id")).alias("ids"), col("id").count().alias("size"))
            .where(col("size") > 1)
        )
        for bucket in rows(buckets):
            first = min(bucket["ids"])
            pairs |= {(first, other) for other in bucket["ids"] if other != first}
    return sorted(pairs)


def with_ids(frame: Frame, ids: Sequence[str]) -> Frame:
    """The rows whose id is among `ids`."""
    return frame.join(_id_frame(ids), on="id", how="semi")


def without_ids(frame: Frame, ids: Sequence[str]) -> Frame:
    """The rows whose id is not among `ids`."""
    return frame.join(_id_frame(ids), on="id", how="anti")


def with_draw(pages: Frame, *, seed: int) -> Frame:
    """The pages with `draw`, a random number that depends on the seed and the id alone."""
    return pages.with_column("draw", _column(_draw, DataType.int64())(col("id"), seed))


# Classifier


def negatives(pages: Frame, positives: Sequence[str], domains: Sequence[str], *, count: int, seed: int) -> Frame:
    """Up to `count` pages that are neither positives nor in `domains`, drawn domain by domain.

    First one page of every domain in an order drawn from the seed, then a second one, and so on: a site with half
    of all pages does not make half of the negatives.
    """
    elsewhere = without_ids(pages, positives).join(
        from_rows({"domain": list(domains) or [""]}), on="domain", how="anti"
    )
    drawn = with_draw(elsewhere, seed=seed)
    turn = daft.functions.row_number().over(Window().partition_by("domain").order_by(["draw", "id"]))
    return drawn.with_column("turn", turn).sort(["turn", "draw", "id"]).limit(count)


def scored(pages: Frame, model: Path) -> Frame:
    """The light columns of the pages with `score`, the log-odds of the classifier at `model` (null: no known word)."""
    worker: Any = _Classifier(str(model))
    light = ("id", "key", "domain", "language", "tokens")
    return pages.select(*light, worker.score(col("text")).alias("score"))


@daft.cls
class _Classifier:
    """Loads a model once per worker."""

    def __init__(self, model: str) -> None:
        self.model = classifier.Scorer(model)

    @daft.method(return_dtype=DataType.float64())
    def score(self, text: str) -> float | None:
        return self.model.log_odds(text)


# Recall and domains


def tokens_by_bin(scores: Frame) -> dict[int, int]:
    """Tokens of the pages in each score bin."""
    binned = scores.where(~col("score").is_null()).with_column("bin", _bin(col("score")))
    return {row["bin"]: row["tokens"] for row in rows(binned.groupby("bin").agg(col("tokens").sum()))}


def pages_in_bin(scores: Frame, number: int) -> list[tuple[float, str, int]]:
    """(score, id, tokens) of the pages of one bin."""
    inside = scores.where(~col("score").is_null()).where(_bin(col("score")) == number)
    return [(row["score"], row["id"], row["tokens"]) for row in rows(inside.select("score", "id", "tokens"))]


def last_above(scores: Frame, number: int) -> list[tuple[float, str, int]]:
    """(score, id, tokens) of the pages of the lowest bin above `number` that holds any; empty when there is none."""
    above = [bin_number for bin_number in tokens_by_bin(scores) if bin_number > number]
    return pages_in_bin(scores, min(above)) if above else []


def tokens_from(scores: Frame, threshold: float) -> int:
    """Tokens of the pages with at least this score."""
    return int(scores.where(col("score") >= threshold).agg(col("tokens").sum()).to_pydict()["tokens"][0] or 0)


def with_collected(scores: Frame, cutoff: Cutoff) -> Frame:
    """The scores with `collected`: whether a page is at or above the cut."""
    keeps = _column(cutoff.keeps, DataType.bool())
    return scores.with_column("collected", keeps(col("score"), col("id")))


def tally(collected: Frame, name: str) -> list[dict[str, Any]]:
    """Pages, tokens and collected pages and tokens for each value of a column, in order of the values."""
    mine = col("collected").cast(DataType.int64())
    sums = (
        collected.select(name, "tokens", mine.alias("collected"), (mine * col("tokens")).alias("collected_tokens"))
        .groupby(name)
        .agg(
            col("tokens").count().alias("pages"),
            col("tokens").sum(),
            col("collected").sum(),
            col("collected_tokens").sum(),
        )
    )
    return sorted(rows(sums), key=lambda row: row[name])


def with_prefixes(collected: Frame, domains: Sequence[str], *, depth: int) -> Frame:
    """One row for each page of these domains and each path prefix above it, in column `prefix`."""
    prefixes = _column(path_prefixes, DataType.list(DataType.string()))
    inside = collected.join(from_rows({"domain": list(domains)}), on="domain", how="semi")
    return inside.with_column("prefix", prefixes(col("key"), depth=depth)).explode("prefix")


def uncollected_under(collected: Frame, prefixes: frozenset[str], *, depth: int) -> list[str]:
    """Ids of the pages below accepted prefixes that were not collected, sorted."""

    def under(key: str) -> bool:
        return lies_under(key, prefixes, depth)

    found = collected.where(~col("collected")).where(_column(under, DataType.bool())(col("key")))
    return sorted(row["id"] for row in rows(found.select("id")))


def with_rounds(pages: Frame, rounds: Sequence[Path]) -> tuple[Frame, Frame]:
    """(pages collected in the last round with `score` and the `round` that first collected them, the others)."""
    last = scan(rounds[-1])
    first = None
    for number, folder in enumerate(rounds, start=1):
        one = scan(folder).select(col("id"), lit(number).cast(DataType.int64()).alias("round"))
        first = one if first is None else first.concat(one)
    assert first is not None
    known = first.groupby("id").agg(col("round").min())
    mine = pages.join(last, on="id").join(known, on="id")
    other = pages.join(last.select("id"), on="id", how="anti")
    blank = {"score": lit(None).cast(DataType.float64()), "round": lit(None).cast(DataType.int64())}
    return mine, other.with_columns(blank)


def _column(decide: Callable[..., Any], kind: DataType) -> Any:
    """A pure function of values as a function of columns."""
    return daft.func(decide, return_dtype=kind)


def _id_frame(ids: Sequence[str]) -> Frame:
    return from_rows({"id": list(ids) or [""]})


def _bin(score: Any) -> Any:
    return _column(score_bin, DataType.int64())(score)


def _shard_of(identity: str, shards: int) -> int:
    return int(identity[:HEX_DIGITS], 16) * shards // 16**HEX_DIGITS


def _recency(date: str, url: str, identity: str, row: str) -> str:
    """Sorts the captures of one page by date, then the shorter address first; `row` only tells equal ones apart."""
    return "\t".join([date, f"{1_000_000 - len(url):07d}", url, identity, row])


def _rank(key: str, identity: str) -> str:
    """`keep_rank` of near-duplicate search as a string that sorts the same way."""
    return f"{len(key):08d}\t{key}\t{identity}"


def _key_of_rank(rank: str) -> str:
    return rank.split("\t")[1]


def _draw(identity: str, seed: int) -> int:
    return int.from_bytes(hashlib.blake2b(identity.encode(), digest_size=8, salt=seed.to_bytes(8, "big")).digest()) >> 1
