"""The parts of a crawl -> one Parquet shard of page rows each, resumed at the part after a kill.

The parent splits archives into records, children parse them and make pages: what can hang or crash is in a child.
On a cluster the parents are tasks on its nodes, one CPU and one child each.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import partial
from itertools import groupby
from pathlib import Path

import pyarrow as pa

from commons.progress import bar
from commons.shards import read_parquet, write_parquet_rows
from corpus.cluster import Nodes, batches_for
from corpus.crawl import is_capture, unread
from corpus.pages import Item, Page, dropped, page_of_span
from corpus.reading.sources import Part
from corpus.workers import Limits, map_in_children

TEXT_COLUMNS = ("id", "url", "key", "domain", "date", "language", "text", "frame", "text_digest", "reason", "detail")
PLACE_COLUMNS = (
    *(("file", pa.string()), ("offset", pa.int64()), ("length", pa.int64())),
    *((name, pa.string()) for name in ("digest", "digest_check", "truncated")),
)
SCHEMA = pa.schema(
    [(name, pa.string()) for name in TEXT_COLUMNS]
    + [("tokens", pa.int64()), ("signature", pa.binary()), ("row", pa.string()), *PLACE_COLUMNS]
)
PAGE_FIELDS = tuple(field.name for field in fields(Page))
MOST_HEADERS = 1 << 17  # bytes of WARC and HTTP headers beside the largest body


def extract_crawl(
    parts: Sequence[Part],
    shards: Path,
    *,
    hashes: int,
    max_body_bytes: int,
    workers: int,
    limits: Limits,
    nodes: Nodes | None = None,
    after_each: Callable[[], None] | None = None,
) -> None:
    """Writes `shards/NAME.parquet` for each part of a crawl that has none yet. Rows: SCHEMA, dropped ones too.

    With `nodes` they do it, whatever `workers` says. `after_each` part that is read something else can be looked
    after. Raises DataError when a server stays busy, or when nodes are lost
    again and again; the shards that are there by then stay.
    """
    if nodes is not None:
        task = partial(
            extract_crawl, shards=shards, hashes=hashes, max_body_bytes=max_body_bytes, workers=1, limits=limits
        )
        _spread(parts, nodes, task, shards, after_each or _nothing)
        return
    targets = [shards / f"{_name_of(part)}.parquet" for part in parts]
    todo = [number for number, target in enumerate(targets) if not target.exists()]
    items = (
        (number, file, span)
        for number in todo
        for file, span in parts[number].spans(most_bytes=max_body_bytes + MOST_HEADERS)
        if is_capture(span)
    )
    work = partial(page_of_span, hashes=hashes, max_body_bytes=max_body_bytes)
    pages = map_in_children(work, items, failed=_failed, workers=workers, limits=limits)
    shown = bar(pages, total=None, label="corpus: pages")
    for number, group in groupby(shown, key=lambda pair: pair[0]):
        found = (page for _, page in group if page is not None)
        write_parquet_rows(targets[number], _rows(found, targets[number].stem), SCHEMA)
        (after_each or _nothing)()
    for number in todo:
        if not targets[number].exists():
            write_parquet_rows(targets[number], [], SCHEMA)


def _spread(
    parts: Sequence[Part],
    nodes: Nodes,
    work: Callable[[Sequence[Part]], None],
    shards: Path,
    after_each: Callable[[], None],
) -> None:
    readers = nodes.cpus
    todo = [part.shared_by(readers) for part in parts if not (shards / f"{_name_of(part)}.parquet").exists()]
    shards.mkdir(parents=True, exist_ok=True)
    batches = batches_for(todo, readers)
    for _ in bar(nodes.spread("extraction", work, batches), total=len(batches), label="corpus: runs of archives"):
        after_each()


def _nothing() -> None: ...


def reading_counts(shards: Path) -> dict[str, dict[str, int]]:
    """What was found out about all captures: digests that were checked, why bodies are not whole."""
    table = read_parquet(shards, ["digest_check", "truncated", "reason"])
    checks = Counter(value or "none stated" for value in table["digest_check"].to_pylist())
    return {"payload_digests": dict(sorted(checks.items())), "captures_by_reason": _by_reason(table)}


def _by_reason(table: pa.Table) -> dict[str, int]:
    return dict(sorted(Counter(value or "page" for value in table["reason"].to_pylist()).items()))


def _name_of(part: Part) -> str:
    return hashlib.sha256(part.name.encode()).hexdigest()[:24]


def _failed(item: Item, reason: str, detail: str) -> tuple[int, Page | None]:
    number, file, span = item
    return number, dropped(unread(span, reason, detail), file, reason, detail)


def _rows(pages: Iterable[Page], name: str) -> Iterator[dict[str, object]]:
    """`row` tells equal captures apart; it never reaches the output."""
    for number, page in enumerate(pages):
        yield {field: getattr(page, field) for field in PAGE_FIELDS} | {"row": f"{name}:{number:09d}"}
