"""The Daft plans: scans, group-bys and joins. Decisions about a page are the pure functions of the neighbours.

Frames are read from Parquet and written by `commons/shards.py` with rows in order of their ids, so that equal
content gives equal bytes whatever the engine did in between. Native engine here, the same plan on a Ray cluster:
there, what a step comes back to lies in files (`stored`), for what a node holds in memory is lost with it.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import daft
import pyarrow as pa
from daft import DataType

from commons.files import write_json
from commons.shards import write_parquet
from corpus.deduplicate import claim
from corpus.draws import draw

Frame: TypeAlias = daft.DataFrame
# Daft types a comparison of columns as bool, which it is not.
col: Any = daft.col
lit: Any = daft.lit
PATTERN_SIGNS = re.compile(r"[\[\]{}*?\\]")  # signs in a folder's name that Daft would read as a pattern
HEX_DIGITS = 2  # of the page id that decide its shard
KEPT = ("kept_row", "kept_id", "kept_key", "kept_digest")
FILES = "files.json"
FILES_PER_TASK = 25  # small shards are read together: each task and each piece of a shuffle costs some milliseconds


def use_nodes() -> None:
    """All plans of this process run on the Ray cluster that it is connected to, from now on."""
    daft.set_runner_ray(noop_if_initialized=True)
    daft.set_execution_config(enable_scan_task_split_and_merge=True, max_sources_per_scan_task=FILES_PER_TASK)


def stored(frame: Frame, folder: Path) -> Frame:
    """A frame that is read more than once, computed once: here in memory, on a cluster into files of `folder`.

    On a cluster a finished folder is taken as it is: a step that starts again, or a run, goes on behind it.
    """
    if not _on_nodes():
        return frame.collect()
    listed = folder / FILES
    if not listed.exists():
        shutil.rmtree(folder, ignore_errors=True)
        written = frame.write_parquet(str(folder), compression="zstd").to_pydict()["path"]
        # What a lost task wrote is written once more: the folder may hold rows twice, the list does not.
        write_json(listed, sorted(Path(path).name for path in written))
    return _of_files(frame, [str(folder / name) for name in json.loads(listed.read_text(encoding="utf-8"))])


def scan(folder: Path) -> Frame:
    """All Parquet files of a folder."""
    return daft.read_parquet(f"{_literally(str(folder))}/*.parquet")


def rows(frame: Frame) -> Iterator[dict[str, Any]]:
    """The rows of a frame, in no particular order."""
    yield from frame.iter_rows()


def from_rows(columns: Mapping[str, Any]) -> Frame:
    """A frame of plain columns."""
    return daft.from_pydict(dict(columns))


def write_shards(frame: Frame, folder: Path, *, shards: int) -> int:
    """Writes `frame` as part-00.parquet, .. by the first byte of `id`, each in order of the ids; returns the rows."""
    shard = column(_shard_of, DataType.int64())
    numbered = frame.with_column("_shard", shard(col("id"), shards))
    unsorted = folder.with_name(f"{folder.name}.unsorted")
    total = 0
    for number, part in _parts(numbered, unsorted, shards):
        total += write_parquet(folder / f"part-{number:02d}.parquet", part.to_arrow().sort_by("id"))
    shutil.rmtree(unsorted, ignore_errors=True)
    return total


# Duplicates


def best_of_each(pages: Frame, name: str) -> Frame:
    """The pages with `kept_row`, `kept_id`, `kept_key` and `kept_digest`: those of the page with the highest claim
    (`deduplicate.claim`) among the pages with the same value of column `name`."""
    named = column(_claim_and_page, DataType.string())
    claims = named(col("tokens"), col("date"), col("id"), col("url"), col("row"), col("key"), col("text_digest"))
    best = pages.select(name, claims.alias("claim")).groupby(name).agg(col("claim").max())
    kept: Any = daft.func(
        _page_of_claim, return_dtype=DataType.struct(dict.fromkeys(KEPT, DataType.string())), unnest=True
    )
    return pages.join(best, on=name).select(*pages.column_names, kept(col("claim")))


def beaten(chosen: Frame) -> Frame:
    """The pages of `best_of_each` that are not the best."""
    # `!=` of two columns, pushed into a scan of Parquet, finds no row (Daft 0.7.26, docs/decisions.md)
    return chosen.where(column(_differ, DataType.bool())(col("row"), col("kept_row")))


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


def _claim_and_page(  # the page goes with its claim: one group-by and one join on one column, whatever the partitions
    tokens: int, date: str, identity: str, url: str, row: str, key: str, digest: str
) -> str:
    return claim(tokens, date, identity, url, row) + "\n" + json.dumps([row, identity, key, digest])


def _differ(one: str, other: str) -> bool:
    return one != other


def _page_of_claim(best: str) -> dict[str, str]:
    return dict(zip(KEPT, json.loads(best.rpartition("\n")[2]), strict=True))


def _id_frame(ids: Sequence[str]) -> Frame:
    return from_rows({"id": list(ids) or [""]})


def _on_nodes() -> bool:
    return bool(daft.get_or_infer_runner_type() == "ray")


def _of_files(frame: Frame, paths: Sequence[str]) -> Frame:
    """The rows of files that hold the columns of `frame`."""
    if not paths:
        return daft.from_arrow(frame.schema().to_pyarrow_schema().empty_table())
    return daft.read_parquet([_literally(path) for path in paths]).select(*frame.column_names)


def _parts(numbered: Frame, unsorted: Path, shards: int) -> Iterator[tuple[int, Frame]]:
    """The rows of each `_shard`, without it. On a cluster they are dealt to files first, so that all is read once."""
    plain = numbered.exclude("_shard")
    if not _on_nodes():
        rows_of = numbered.collect()
        yield from ((number, rows_of.where(col("_shard") == number).exclude("_shard")) for number in range(shards))
        return
    shutil.rmtree(unsorted, ignore_errors=True)
    written = numbered.write_parquet(str(unsorted), compression="zstd", partition_cols=["_shard"]).to_pydict()
    places = list(zip(written["_shard"], written["path"], strict=True))
    for number in range(shards):
        yield number, _of_files(plain, sorted(path for shard, path in places if int(shard) == number))


def _shard_of(identity: str, shards: int) -> int:
    return int(identity[:HEX_DIGITS], 16) * shards // 16**HEX_DIGITS


def _literally(path: str) -> str:
    return PATTERN_SIGNS.sub(r"\\\g<0>", path)
