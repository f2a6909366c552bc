"""All WARC files of a crawl -> one Parquet shard of page rows each, resumed at the file after a kill."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import partial
from itertools import groupby
from pathlib import Path

import pyarrow as pa

from commons.errors import DataError
from commons.progress import bar
from commons.shards import write_parquet
from corpus.crawl import WARC_NAMES, Capture, read_captures, warc_files
from corpus.pages import Page, dropped, page_of
from corpus.workers import map_in_children

Item = tuple[int, Capture]  # number of the WARC file, capture

TEXT_COLUMNS = ("id", "url", "key", "domain", "date", "language", "text", "text_digest", "reason", "detail")
SCHEMA = pa.schema(
    [(name, pa.string()) for name in TEXT_COLUMNS]
    + [("tokens", pa.int64()), ("signature", pa.binary()), ("row", pa.string())]
)


def extract_crawl(
    crawl: Path, shards: Path, *, hashes: int, max_body_bytes: int, workers: int, timeout_seconds: float
) -> None:
    """Writes `shards/NAME.parquet` for each WARC file of `crawl` that has none yet. Rows: SCHEMA, dropped ones too.

    Raises DataError when the crawl holds no WARC file.
    """
    files = warc_files(crawl)
    if not files:
        raise DataError(f"{crawl} holds no WARC file (looked for {', '.join(WARC_NAMES)} at any depth)")
    targets = [shards / f"{_name_of(path.relative_to(crawl))}.parquet" for path in files]
    todo = [number for number, target in enumerate(targets) if not target.exists()]
    items = (
        (number, capture) for number in todo for capture in read_captures(files[number], max_body_bytes=max_body_bytes)
    )
    pages = map_in_children(
        partial(_work, hashes=hashes), items, failed=_failed, workers=workers, timeout_seconds=timeout_seconds
    )
    shown = bar(pages, total=None, label="corpus: pages")
    for number, group in groupby(shown, key=lambda pair: pair[0]):
        write_parquet(targets[number], _table((page for _, page in group), targets[number].stem))
    for number in todo:
        if not targets[number].exists():
            write_parquet(targets[number], _table([], targets[number].stem))


def _name_of(relative: Path) -> str:
    return hashlib.sha256(relative.as_posix().encode()).hexdigest()[:24]


def _work(item: Item, *, hashes: int) -> tuple[int, Page]:
    number, capture = item
    return number, page_of(capture, hashes=hashes)


def _failed(item: Item, reason: str, detail: str) -> tuple[int, Page]:
    number, capture = item
    return number, dropped(capture, reason, detail)


def _table(pages: Iterable[Page], name: str) -> pa.Table:
    rows = list(_rows(pages, name))
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _rows(pages: Iterable[Page], name: str) -> Iterator[dict[str, object]]:
    """`row` tells equal captures apart; it never reaches the output, which must not depend on files."""
    for number, page in enumerate(pages):
        yield {**asdict(page), "row": f"{name}:{number:09d}"}
