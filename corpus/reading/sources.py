"""What `--crawl` may name -> parts: each is read in order, and each is one shard, the unit of resume.

folder              all WARC, WET and ARC files in it at any depth
one such file       that file
*.toml              pages chosen through the columnar index (docs/corpus.md)
any other file      a list of WARC, WET or ARC files, one a line, gzip or not: addresses, or paths below `base`
"""

import gzip
import hashlib
import tomllib
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from pydantic import Field, ValidationError, model_validator

from commons.config import Config
from commons.errors import DataError
from corpus.reading.codecs import codec_of, first_bytes
from corpus.reading.columnar import Place, RangeFile, Read, Wanted, chosen, coalesced, groups
from corpus.reading.remote import Fetcher, Unreachable
from corpus.reading.split import UNREADABLE, Span, split, starts_record

CONTAINERS = ("", ".gz", ".lz4", ".zst")
ARCHIVE_NAMES = tuple(f".{kind}{container}" for kind in ("warc", "arc", "wet") for container in CONTAINERS)
CHUNK = 1 << 18
RECORDS_PER_PART = 1000
UNREACHABLE = "unreachable"


class Part(Protocol):
    """One unit of reading. `name` is the same on every run."""

    @property
    def name(self) -> str:
        """Path in the crawl, address, or digest of what is chosen."""

    def spans(self, *, most_bytes: int) -> Iterator[tuple[str, Span]]:
        """(file, span) of every record. Raises DataError when a server stays busy."""

    def shared_by(self, readers: int) -> "Part":
        """The part for one of so many processes, here or on another machine, that ask servers no faster together."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """An archive on disk."""

    name: str
    path: Path

    def spans(self, *, most_bytes: int) -> Iterator[tuple[str, Span]]:
        """See Part."""
        with self.path.open("rb") as file:
            for span in split(iter(lambda: file.read(CHUNK), b""), most_bytes=most_bytes):
                yield self.name, span

    def shared_by(self, readers: int) -> Part:
        """See Part."""
        return replace(self, path=self.path.absolute())


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """An archive on a server."""

    name: str
    fetcher: Fetcher

    def spans(self, *, most_bytes: int) -> Iterator[tuple[str, Span]]:
        """See Part. A file that cannot be had is one span with that problem."""
        try:
            for span in split(self.fetcher.stream(self.name), most_bytes=most_bytes):
                yield self.name, span
        except Unreachable as error:
            yield self.name, Span(0, 0, b"", UNREACHABLE, str(error))

    def shared_by(self, readers: int) -> Part:
        """See Part."""
        return replace(self, fetcher=self.fetcher.shared_by(readers))


@dataclass(frozen=True, slots=True)
class ChosenRecords:
    """Records at places that the index tells, of files below `base` (an address, or a folder)."""

    name: str
    base: str
    reads: tuple[Read, ...]
    fetcher: Fetcher

    def spans(self, *, most_bytes: int) -> Iterator[tuple[str, Span]]:
        """See Part. What is at a place and is no single record is a span with a problem."""
        for read in self.reads:
            try:
                data = self._bytes(read)
            except (Unreachable, OSError) as error:
                for place in read.places:
                    yield place.file, Span(place.offset, place.length, b"", UNREACHABLE, str(error))
                continue
            for place in read.places:
                start = place.offset - read.offset
                yield place.file, _one(place, data[start : start + place.length], most_bytes)

    def shared_by(self, readers: int) -> Part:
        """See Part."""
        base = self.base if "://" in self.base else str(Path(self.base).absolute())
        return replace(self, base=base, fetcher=self.fetcher.shared_by(readers))

    def _bytes(self, read: Read) -> bytes:
        if "://" in self.base:
            return self.fetcher.read(_joined(self.base, read.file), read.offset, read.length)
        with (Path(self.base) / read.file).open("rb") as file:
            file.seek(read.offset)
            return file.read(read.length)


class Index(Config):
    """Where the index lies."""

    files: tuple[str, ...] = Field(min_length=1)
    """Parquet files, folders of them, or addresses. [-; ours]"""


class Pages(Config):
    """Which pages are wanted: of one domain or one host."""

    domain: str = ""
    """Registered domain, as in `url_host_registered_domain`. [-; ours]"""
    host: str = ""
    """Host name, as in `url_host_name`. [-; ours]"""
    path: str = "*"
    """Pattern of the whole path; `*` is any run of characters. [-; ours]"""

    @model_validator(mode="after")
    def _one_of_both(self) -> "Pages":
        if bool(self.domain) == bool(self.host):
            raise ValueError("name either `domain` or `host`")
        return self


class Choice(Config):
    """A crawl file that chooses pages through the columnar index."""

    index: Index
    """The index. [-; ours]"""
    pages: tuple[Pages, ...] = Field(min_length=1)
    """The wanted pages; a page that matches any of them is read. [-; ours]"""


def parts_of(crawl: Path, *, base: str, fetcher: Fetcher) -> list[Part]:
    """The parts of a crawl in a fixed order. Raises DataError when it names nothing that can be read."""
    if crawl.is_dir():
        return _folder(crawl)
    if crawl.suffix == ".toml":
        return _chosen(crawl, base, fetcher)
    if is_archive(crawl):
        return [LocalFile(crawl.name, crawl)]
    return _listed(crawl, base, fetcher)


def is_archive(path: Path) -> bool:
    """Whether a file is an archive by its name or its first bytes."""
    with path.open("rb") as file:
        start = file.read(1 << 22)
    codec = codec_of(start)
    return path.name.lower().endswith(ARCHIVE_NAMES) or starts_record(first_bytes(codec, start) if codec else start)


def _folder(folder: Path) -> list[Part]:
    files = sorted(path for path in folder.rglob("*") if path.name.lower().endswith(ARCHIVE_NAMES) and path.is_file())
    if not files:
        raise DataError(f"{folder} holds no WARC file (looked for *{', *'.join(ARCHIVE_NAMES)} at any depth)")
    return [LocalFile(path.relative_to(folder).as_posix(), path) for path in files]


def _listed(path: Path, base: str, fetcher: Fetcher) -> list[Part]:
    parts: list[Part] = []
    seen = {""}
    for number, line in enumerate(_lines(path), start=1):
        name = line.strip()
        if name in seen or name.startswith("#"):
            continue
        seen.add(name)
        if not name.lower().endswith(ARCHIVE_NAMES):
            raise DataError(
                f"{path}:{number}: {name[:80]!r} names no WARC, WET or ARC file; one is wanted on each line"
            )
        local = path.parent / name
        if "://" not in name and (local.is_file() or "://" not in base):
            parts.append(LocalFile(name, local if local.is_file() else Path(base) / name))
        else:
            parts.append(RemoteFile(name if "://" in name else _joined(base, name), fetcher))
    missing = [part.name for part in parts if isinstance(part, LocalFile) and not part.path.is_file()]
    if missing or not parts:
        raise DataError(f"{path}: {f'{missing[0]} does not exist' if missing else 'lists no file'}")
    return parts


def _lines(path: Path) -> list[str]:
    data = path.read_bytes()
    try:
        return (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode("utf-8").splitlines()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        raise DataError(f"{path} is neither an archive nor a list of archives in UTF-8, one a line") from None


def _chosen(path: Path, base: str, fetcher: Fetcher) -> list[Part]:
    try:
        choice = Choice.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise DataError(f"{path}: {where}: {first['msg']}; docs/corpus.md shows the form") from None
    wanted = [Wanted(one.domain, one.host, one.path) for one in choice.pages]
    places = _places(path, choice.index.files, base, wanted, fetcher)
    if not places:
        raise DataError(f"{path}: the index knows no successful HTML capture of these pages")
    runs = groups(coalesced(places), records=RECORDS_PER_PART)
    return [ChosenRecords(_digest(run), base, tuple(run), fetcher) for run in runs]


def _places(path: Path, names: Sequence[str], base: str, wanted: Sequence[Wanted], fetcher: Fetcher) -> list[Place]:
    sources: list[Any] = []
    for name in names:
        local = path.parent / name
        if "://" in name:
            sources.append(_remote_table(name, fetcher))
        elif local.exists():
            sources += sorted(local.rglob("*.parquet")) if local.is_dir() else [local]
        elif "://" in base:
            sources.append(_remote_table(_joined(base, name), fetcher))
        else:
            raise DataError(f"{path}: index file {local} does not exist")
    try:
        return chosen(sources, wanted)
    except (Unreachable, pa.ArrowInvalid) as error:
        raise DataError(f"{path}: the columnar index cannot be read: {error}") from None


def _remote_table(url: str, fetcher: Fetcher) -> RangeFile:
    try:
        return RangeFile(fetcher.size(url), lambda first, length: fetcher.read(url, first, length))
    except Unreachable as error:
        raise DataError(f"{url}: {error}; the index is needed whole") from None


def _one(place: Place, data: bytes, most_bytes: int) -> Span:
    """The one record at a place."""
    spans = list(split([data], most_bytes=most_bytes))
    problem = "" if len(spans) == 1 else UNREADABLE
    found = replace(spans[0], offset=place.offset, length=place.length)
    return replace(found, problem=problem, detail=f"{len(spans)} records in the range") if problem else found


def _digest(run: Sequence[Read]) -> str:
    names = "\n".join(f"{place.file} {place.offset} {place.length}" for read in run for place in read.places)
    return f"chosen-{hashlib.sha256(names.encode()).hexdigest()[:16]}"


def _joined(base: str, name: str) -> str:
    return f"{base.rstrip('/')}/{name.lstrip('/')}"
