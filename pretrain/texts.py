"""Texts of a user's own: Parquet, JSON lines (plain, zstd, gzip), a corpus artifact, Hugging Face data sets.

Everything is read as a stream: a source may be larger than the memory and, from the hub, than the disk.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from commons.errors import DataError
from commons.shards import read_jsonl

ENDINGS = (".jsonl", ".jsonl.zst", ".jsonl.gz", ".parquet")
SAVED_DATASET = ("dataset_info.json", "dataset_dict.json")
PAGES = "pages"  # of a corpus artifact: the mathematical ones


def texts_of(path: Path, *, field: str = "text", split: str = "train") -> Iterator[str]:
    """The texts of a file, of a folder's files in order of their names, or of a data set that `save_to_disk` wrote.

    Raises DataError for a row without the string `field`, or where there is nothing to read.
    """
    if path.is_dir() and any((path / name).is_file() for name in SAVED_DATASET):
        yield from texts_in(_saved_dataset(path, split), field, path)
        return
    folder = path / PAGES if (path / PAGES).is_dir() else path
    files = [path] if path.is_file() else sorted(one for one in folder.rglob("*") if one.name.endswith(ENDINGS))
    if not files or not files[0].name.endswith(ENDINGS):
        raise DataError(f"{path} holds no text to train on: a source is made of files {', '.join(ENDINGS)}")
    for one in files:
        rows = _parquet_rows(one, field) if one.suffix == ".parquet" else read_jsonl(one)
        yield from texts_in(rows, field, one)


def hub_texts(name: str, *, subset: str | None, split: str, field: str) -> Iterator[str]:
    """The texts of a data set of the Hugging Face hub, or of a folder that `datasets` can load, never stored whole.

    Raises DataError when it cannot be had, or a row has no string `field`.
    """
    # takes seconds to import, and few runs need it
    from datasets import load_dataset
    from datasets.exceptions import DatasetNotFoundError

    try:
        rows = load_dataset(name, subset, split=split, streaming=True)
    except (DatasetNotFoundError, ConnectionError, OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise DataError(f"no data set {name} (subset {subset}, split {split}) can be read: {reason}") from None
    yield from texts_in(rows, field, name)


def texts_in(rows: Iterable[Mapping[str, Any]], field: str, source: object) -> Iterator[str]:
    """The field of each row; DataError where it is no string."""
    for row in rows:
        text = row.get(field)
        if not isinstance(text, str):
            raise DataError(f"{source}: each row of a source needs a string field `{field}`, got {sorted(row)}")
        yield text


def _parquet_rows(path: Path, field: str) -> Iterator[dict[str, Any]]:
    with pq.ParquetFile(path) as file:
        if field not in file.schema_arrow.names:
            raise DataError(
                f"{path}: each row of a source needs a string field `{field}`, got {file.schema_arrow.names}"
            )
        for batch in file.iter_batches(columns=[field]):
            yield from batch.to_pylist()


def _saved_dataset(path: Path, split: str) -> Iterable[Mapping[str, Any]]:
    from datasets import DatasetDict, load_from_disk

    found = load_from_disk(str(path))
    if isinstance(found, DatasetDict):
        if split not in found:
            raise DataError(f"{path} has no split {split}, only {', '.join(found)}")
        return found[split]
    return found
