"""The rows of a table in a plain file: JSON lines, JSON, CSV, TSV, Parquet, text. A bad row is a row with a reason."""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

ENDINGS = (".jsonl.zst", ".jsonl.gz", ".jsonl", ".json", ".csv", ".tsv", ".parquet", ".txt")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row: its number (from 0; blank lines do not count), where it stands, its fields, or why it has none."""

    number: int
    place: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""


def read_rows(path: Path) -> Iterator[TableRow]:
    """The rows of a file whose name has one of ENDINGS."""
    name = path.name.lower()
    if name.endswith((".jsonl", ".jsonl.zst", ".jsonl.gz")):
        yield from _json_lines(_bytes_of(path))
    elif name.endswith(".json"):
        yield from _json(path.read_bytes())
    elif name.endswith((".csv", ".tsv")):
        yield from _csv(path, "\t" if name.endswith(".tsv") else ",")
    elif name.endswith(".parquet"):
        yield from _parquet(path)
    else:
        yield from _text(path.read_bytes())


def _bytes_of(path: Path) -> bytes | None:
    """The bytes of a file, decompressed; None when that fails."""
    data = path.read_bytes()
    try:
        if path.suffix == ".zst":
            return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)).read()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (zstandard.ZstdError, OSError, EOFError, zlib.error):
        return None


def _json_lines(data: bytes | None) -> Iterator[TableRow]:
    if data is None:
        yield TableRow(0, "the file", reason="cannot be decompressed")
        return
    lines = [(place, line) for place, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    for number, (place, line) in enumerate(lines):
        yield _json_row(number, f"line {place}", line)


def _json_row(number: int, place: str, line: bytes) -> TableRow:
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return TableRow(number, place, reason="not UTF-8")
    except (json.JSONDecodeError, RecursionError):
        return TableRow(number, place, reason="not valid JSON")
    return _row(number, place, value)


def _row(number: int, place: str, value: Any) -> TableRow:
    if isinstance(value, Mapping):
        return TableRow(number, place, value)
    if isinstance(value, str):
        return TableRow(number, place, {"text": value})
    return TableRow(number, place, reason="no JSON object")


def _json(data: bytes) -> Iterator[TableRow]:
    """A list of objects or of texts, or an object that holds them under one key or by name; else JSON lines."""
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        yield from _json_lines(data)
        return
    if isinstance(value, Mapping):
        lists = [one for one in value.values() if isinstance(one, list) and one and isinstance(one[0], Mapping)]
        nested = bool(value) and all(isinstance(one, Mapping) for one in value.values())
        value = lists[0] if len(lists) == 1 else list(value.values()) if nested else [value]
    for number, one in enumerate(value if isinstance(value, list) else [value]):
        yield _row(number, f"row {number}", one)


def _csv(path: Path, delimiter: str) -> Iterator[TableRow]:
    # Bytes that are no UTF-8 come through as surrogates, so that they cost their row and not the rest of the file.
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        table = csv.DictReader(file, delimiter=delimiter)
        number = -1
        while True:
            number += 1
            try:
                row = next(table)
            except StopIteration:
                return
            except csv.Error:
                yield TableRow(number, f"line {table.line_num}", reason="not valid CSV")
                continue
            yield TableRow(number, f"line {table.line_num}", *_csv_fields(row))


def _csv_fields(row: Mapping[Any, Any]) -> tuple[Mapping[str, Any], str]:
    if None in row or None in row.values():
        return {}, "another number of columns"
    if any("\udc80" <= character <= "\udcff" for value in row.values() for character in value):
        return {}, "not UTF-8"
    return row, ""


def _parquet(path: Path) -> Iterator[TableRow]:
    try:
        rows = pq.read_table(io.BytesIO(path.read_bytes())).to_pylist()
    except (pa.ArrowInvalid, OSError):
        yield TableRow(0, "the file", reason="not valid Parquet")
        return
    for number, row in enumerate(rows):
        yield TableRow(number, f"row {number}", row)


def _text(data: bytes) -> Iterator[TableRow]:
    """Texts between blank lines; a file without blank lines holds one text a line."""
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    blocks = [block for block in data.split(b"\n\n") if block.strip()]
    for number, block in enumerate(blocks if len(blocks) > 1 else data.strip().split(b"\n")):
        try:
            yield TableRow(number, f"text {number}", {"text": block.decode()})
        except UnicodeDecodeError:
            yield TableRow(number, f"text {number}", reason="not UTF-8")
