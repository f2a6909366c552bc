"""The Daft plans: scans, group-bys and joins. Decisions about a page are the pure functions of the neighbours.

Frames are read from Parquet and written by `commons/shards.py` with rows in order of their ids, so that equal
content gives equal bytes whatever the engine did in between. Native engine here, the same plan on a Ray cluster.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import daft
from daft import DataType

from commons.shards import write_parquet
from corpus.decontaminate import Item, grams_of, quoted_items, quoted_to_json
from corpus.deduplicate import band_keys
from corpus.draws import draw

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
    shard = column(_shard_of, DataType.int64())
    numbered = frame.with_column("_shard", shard(col("id"), shards)).collect()
    total = 0
    for number in range(shards):
        part = numbered.where(col("_shard") == number).exclude("_shard").to_arrow().sort_by("id")
        total += write_parquet(folder / f"part-{number:02d}.parquet", part)
    return total


# Duplicates


def newest_captures(pages: Frame) -> Frame:
    """The pages with a column `newest`: whether a row is the last capture of its URL key."""
    recency = column(_recency, DataType.string())
    dated = pages.with_column("recency", recency(col("date"), col("url"), col("id"), col("row")))
    last = dated.groupby("key").agg(col("recency").max().alias("last"))
    return dated.join(last, on="key").with_column("newest", col("recency") == col("last")).exclude("recency", "last")


def first_of_each_text(pages: Frame) -> Frame:
    """The pages with `kept_key`: the address that is kept among the pages with the same text."""
    rank = column(_rank, DataType.string())
    ranked = pages.with_column("rank", rank(col("key"), col("id")))
    first = ranked.groupby("text_digest").agg(col("rank").min().alias("first"))
    kept = column(_key_of_rank, DataType.string())
    return ranked.join(first, on="text_digest").with_column("kept_key", kept(col("first"))).exclude("rank", "first")


def similar_pairs(pages: Frame, *, ranges: int) -> list[tuple[str, str]]:
    """Pairs of ids that share a band: each id of a bucket with the smallest one, one hash range at a time."""
    bands = column(band_keys, DataType.list(DataType.int64()))
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
    return pages.with_column("draw", column(draw, DataType.int64())(col("id"), seed))


# Counts


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


# Decontamination


def with_quotations(pages: Frame, items: Sequence[Item], *, gram_tokens: int) -> Frame:
    """The pages with `quoted`: the benchmark rows that a page quotes as JSON, empty for a clean page."""
    checker: Any = _Benchmarks(list(items), gram_tokens)
    return pages.with_column("quoted", checker.quoted(col("text")))


@daft.cls
class _Benchmarks:
    """Holds all benchmark grams, made once per worker."""

    def __init__(self, items: list[Item], gram_tokens: int) -> None:
        self.items = items
        self.grams = grams_of(items, gram_tokens=gram_tokens)

    @daft.method(return_dtype=DataType.string())
    def quoted(self, text: str) -> str:
        return quoted_to_json(quoted_items(text, self.items, self.grams))


def column(decide: Callable[..., Any], kind: DataType) -> Any:
    """A pure function of values as a function of columns."""
    return daft.func(decide, return_dtype=kind)


def _id_frame(ids: Sequence[str]) -> Frame:
    return from_rows({"id": list(ids) or [""]})


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
