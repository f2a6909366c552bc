"""Rows on disk: JSON lines (plain, zstd when the name ends in .zst, read from gzip too) and Parquet.

Equal rows give equal bytes: fixed compression, fixed row groups, no times. Each file appears whole or not at all.
"""

import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from commons.errors import DataError
from commons.files import atomic_file

ZSTD_LEVEL = 3
ROWS_PER_GROUP = 4096

Row = dict[str, Any]


def write_jsonl(path: Path, rows: Iterable[Row]) -> int:
    """Writes one JSON object per line and returns their number."""
    with atomic_file(path) as raw:
        if path.suffix != ".zst":
            return _write_lines(raw, rows)
        with zstandard.ZstdCompressor(level=ZSTD_LEVEL).stream_writer(raw, closefd=False) as stream:
            return _write_lines(stream, rows)


def read_jsonl(path: Path) -> Iterator[Row]:
    """The rows of a JSON-lines file, or of all *.jsonl, *.jsonl.zst and *.jsonl.gz files of a folder, by name.

    Raises DataError with file and line for a line that is no JSON object.
    """
    if path.is_dir():
        for part in sorted([*path.glob("*.jsonl"), *path.glob("*.jsonl.zst"), *path.glob("*.jsonl.gz")]):
            yield from read_jsonl(part)
        return
    with path.open("rb") as raw:
        stream = _decompressed(raw, path.suffix)
        number = 0
        with io.TextIOWrapper(stream, encoding="utf-8") as lines:
            try:
                for number, line in enumerate(lines, start=1):
                    yield _row(path, number, line)
            except (UnicodeDecodeError, zstandard.ZstdError, EOFError, OSError, zlib.error) as error:
                raise DataError(f"{path}: cannot be read after line {number}: {error}") from None


def _decompressed(raw: IO[bytes], suffix: str) -> IO[bytes]:
    if suffix == ".gz":
        return gzip.open(raw)  # type: ignore[return-value]  # a GzipFile is read like any other file
    if suffix == ".zst":
        # other people's files have many frames
        return zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
    return raw


def write_parquet(path: Path, table: pa.Table) -> int:
    """Writes a table with fixed row groups and compression and returns the number of rows."""
    with atomic_file(path) as file:
        pq.write_table(table, file, row_group_size=ROWS_PER_GROUP, compression="zstd", store_schema=False)
    return int(table.num_rows)


def write_parquet_rows(path: Path, rows: Iterable[Row], schema: pa.Schema) -> int:
    """Writes rows of a schema as `write_parquet` does, one row group in memory at a time; returns their number."""
    count = 0
    left = iter(rows)
    with (
        atomic_file(path) as file,
        pq.ParquetWriter(file, schema, compression="zstd", store_schema=False) as writer,
    ):
        while group := list(islice(left, ROWS_PER_GROUP)):
            writer.write_table(pa.Table.from_pylist(group, schema=schema))
            count += len(group)
    return count


def read_parquet(path: Path, columns: list[str] | None = None) -> pa.Table:
    """The rows of a Parquet file, or of all *.parquet files of a folder in order of their names."""
    parts = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not parts:
        raise DataError(f"{path} holds no *.parquet file")
    return pa.concat_tables([pq.read_table(part, columns=columns) for part in parts])


def _write_lines(file: IO[bytes], rows: Iterable[Row]) -> int:
    count = 0
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n")
        count += 1
    return count


def _row(path: Path, number: int, line: str) -> Row:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"{path}:{number}: not valid JSON ({error.msg}); each line holds one JSON object") from None
    if not isinstance(row, dict):
        raise DataError(f"{path}:{number}: got a {type(row).__name__}; each line holds one JSON object")
    return row
