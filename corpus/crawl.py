"""WARC files -> captures: every response record is a page to read, or a problem with its reason.

A first version on warcio. What it cannot parse ends that file with one `unreadable record`; the other files go on.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator
from warcio.recordloader import ArcWarcRecord

WARC_NAMES = ("*.warc.gz", "*.warc", "*.arc.gz", "*.arc")
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
LOOKS_LIKE_HTML = re.compile(rb"(?i)^\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Capture:
    """One response record. `problem` is the reason why there is nothing to read in it, or empty."""

    url: str
    date: str
    content_type: str = ""
    body: bytes = b""
    problem: str = ""
    detail: str = ""


def warc_files(folder: Path) -> list[Path]:
    """All WARC and ARC files at any depth of `folder`, in order of their paths."""
    return sorted({path for name in WARC_NAMES for path in folder.rglob(name) if path.is_file()})


def read_captures(path: Path, *, max_body_bytes: int) -> Iterator[Capture]:
    """The captures of one WARC file in its order; damage is a capture with a problem, never an exception."""
    with path.open("rb") as file:
        records = iter(ArchiveIterator(file, arc2warc=True))
        while True:
            try:
                record = next(records)
                capture = _capture(record, max_body_bytes) if record.rec_type == "response" else None
            except StopIteration:
                return
            except Exception as error:  # noqa: BLE001  # warcio, zlib and http parsing of foreign bytes
                yield Capture("", "", problem="unreadable record", detail=type(error).__name__)
                return
            if capture is not None:
                yield capture


def _capture(record: ArcWarcRecord, max_body_bytes: int) -> Capture:
    headers, http = record.rec_headers, record.http_headers
    url = (headers.get_header("WARC-Target-URI") or "").strip().strip("<>")
    date = headers.get_header("WARC-Date") or ""
    status = http.get_statuscode() if http else ""
    content_type = (http.get_header("Content-Type") or "") if http else ""
    body = record.content_stream().read(max_body_bytes + 1)
    problem, detail = _problem(url, status, content_type, body)
    if len(body) > max_body_bytes:
        problem, detail = "too large", f"more than {max_body_bytes} bytes"
    elif not problem and _is_cut(record):
        problem, detail = "truncated", headers.get_header("WARC-Truncated") or "shorter than declared"
    return Capture(url, date, content_type, b"" if problem else body, problem, detail)


def _problem(url: str, status: str, content_type: str, body: bytes) -> tuple[str, str]:
    if not url:
        return "no url", ""
    if status != "200":
        return "http status", status or "none"
    kind = content_type.split(";")[0].strip().lower()
    if kind not in HTML_TYPES and (kind or not LOOKS_LIKE_HTML.match(body[:2048])):
        return "not html", kind or "unnamed"
    return ("", "") if body.strip() else ("empty body", "")


def _is_cut(record: ArcWarcRecord) -> bool:
    """Whether the crawler says so, or bytes of the declared length are missing."""
    return bool(record.rec_headers.get_header("WARC-Truncated")) or getattr(record.raw_stream, "limit", 0) > 0
