"""Chosen pages through Common Crawl's columnar index: Parquet rows by host, domain and path -> byte ranges.

Neighbouring records are fetched with one request: ranges less than GAP apart become one.
"""

import fnmatch
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

COLUMNS = (
    *("url", "url_host_name", "url_host_registered_domain", "url_path", "fetch_status", "content_mime_detected"),
    *("warc_filename", "warc_record_offset", "warc_record_length"),
)
HTML_TYPES = ("text/html", "application/xhtml+xml")
GAP = 1 << 16  # bytes: reading over less costs less than another request
MOST_READ = 16 << 20


@dataclass(frozen=True, slots=True)
class Wanted:
    """Pages of one registered domain or one host whose path matches a pattern (`*` any characters, `?` one)."""

    domain: str = ""
    host: str = ""
    path: str = "*"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where one record lies."""

    file: str
    offset: int
    length: int
    url: str


@dataclass(frozen=True, slots=True)
class Read:
    """One range of a file with the records in it."""

    file: str
    offset: int
    length: int
    places: tuple[Place, ...]


def chosen(sources: Iterable[Any], wanted: Sequence[Wanted]) -> list[Place]:
    """The wanted records of Parquet files (paths, or open files), each once, in order of file and offset.

    Only successful captures of HTML count. Row groups without a wanted domain are not read.
    """
    found: set[Place] = set()
    for source in sources:
        table = pq.read_table(source, columns=list(COLUMNS), filters=_filter(wanted), partitioning=None)
        found.update(_place(row) for row in table.to_pylist() if _is_wanted(row, wanted))
    return sorted(found)


def _filter(wanted: Sequence[Wanted]) -> Any:
    domains = sorted({one.domain for one in wanted if one.domain})
    hosts = sorted({one.host for one in wanted if one.host})
    inside = pc.field("url_host_registered_domain").isin(pa.array(domains, pa.string())) | pc.field(
        "url_host_name"
    ).isin(pa.array(hosts, pa.string()))
    mime = pc.field("content_mime_detected")
    return inside & (pc.field("fetch_status") == 200) & (mime.isin(list(HTML_TYPES)) | mime.is_null())


def _is_wanted(row: dict[str, Any], wanted: Sequence[Wanted]) -> bool:
    return any(
        row["url_host_registered_domain"] == one.domain if one.domain else row["url_host_name"] == one.host
        for one in wanted
        if fnmatch.fnmatchcase(row["url_path"] or "/", one.path)
    )


def _place(row: dict[str, Any]) -> Place:
    return Place(row["warc_filename"], row["warc_record_offset"], row["warc_record_length"], row["url"])


def coalesced(places: Sequence[Place], *, gap: int = GAP, most: int = MOST_READ) -> list[Read]:
    """Ranges that cover all places (sorted by file and offset); a range is at most `most` bytes or one record."""
    reads: list[Read] = []
    for place in places:
        end = place.offset + place.length
        last = reads[-1] if reads else None
        if last and last.file == place.file and place.offset - (last.offset + last.length) < gap:
            length = max(last.length, end - last.offset)
            if length <= most:
                reads[-1] = Read(last.file, last.offset, length, (*last.places, place))
                continue
        reads.append(Read(place.file, place.offset, place.length, (place,)))
    return reads


class RangeFile(io.RawIOBase):
    """A remote file as Arrow wants it: seekable, read piece by piece. `read_range(first, length)` gives the bytes."""

    def __init__(self, size: int, read_range: Callable[[int, int], bytes]) -> None:
        self._size, self._read_range, self._at = size, read_range, 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def tell(self) -> int:
        """The cursor."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Moves the cursor."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes, `size` of them or what is left."""
        left = max(0, self._size - self._at)
        length = left if size is None or size < 0 else min(size, left)
        data = self._read_range(self._at, length) if length else b""
        self._at += len(data)
        return data


def groups(reads: Sequence[Read], *, records: int) -> Iterator[list[Read]]:
    """The reads in runs of about so many records: the units of resume."""
    run: list[Read] = []
    for read in reads:
        run.append(read)
        if sum(len(one.places) for one in run) >= records:
            yield run
            run = []
    if run:
        yield run
