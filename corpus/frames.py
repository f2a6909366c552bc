"""The Daft plans: scans, group-bys and joins. Decisions about a page are the pure functions of the neighbours.

Frames are read from Parquet and written by `commons/shards.py` with rows in order of their ids, so that equal
content gives equal bytes whatever the engine did in between. Native engine here, the same plan on a Ray cluster.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import daft
import pyarrow as pa
from daft import DataType

from commons.shards import write_parquet
from corpus.deduplicate import claim
from corpus.draws import draw

Frame: TypeAlias = daft.DataFrame
# Daft types a comparison of columns as bool, which it is not.
col: Any = daft.col
lit: Any = daft.lit
PATTERN_SIGNS = re.compile(r"[\[\]{}*?\\]")  # signs in a folder's name that Daft would read as a pattern
HEX_DIGITS = 2  # of the page id that decide its shard


def scan(folder: Path) -> Frame:
    """All Parquet files of a folder."""
    literally = PATTERN_SIGNS.sub(r"\\\g<0>", str(folder))
    return daft.read_parquet(f"{literally}/*.parquet")


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


def best_of_each(pages: Frame, name: str) -> Frame:
    """The pages with `kept_row`, `kept_id`, `kept_key` and `kept_digest`: those of the page with the highest claim
    (`deduplicate.claim`) among the pages with the same value of column `name`."""
    claims = column(claim, DataType.string())
    claimed = pages.with_column("claim", claims(col("tokens"), col("date"), col("id"), col("url"), col("row")))
    best = claimed.groupby(name).agg(col("claim").max())
    kept = {"row": "kept_row", "id": "kept_id", "key": "kept_key", "text_digest": "kept_digest"}
    winners = claimed.join(best.select("claim"), on="claim", how="semi")
    named = winners.select(col(name).alias("_value"), *(col(old).alias(new) for old, new in kept.items()))
    return claimed.exclude("claim").join(named, left_on=name, right_on="_value").exclude("_value")


def batches(frame: Frame) -> Iterator[pa.RecordBatch]:
    """The rows of a frame a batch at a time, in no particular order, never all of them at once."""
    yield from frame.to_arrow_iter()


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


def column(decide: Callable[..., Any], kind: DataType) -> Any:
    """A pure function of values as a function of columns."""
    return daft.func(decide, return_dtype=kind)


def _id_frame(ids: Sequence[str]) -> Frame:
    return from_rows({"id": list(ids) or [""]})


def _shard_of(identity: str, shards: int) -> int:
    return int(identity[:HEX_DIGITS], 16) * shards // 16**HEX_DIGITS
