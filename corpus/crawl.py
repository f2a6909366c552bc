"""The records of an archive -> captures: every record that can hold a page is one, or a problem with its reason."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from corpus.reading.bodies import BAD_CODING, body_of
from corpus.reading.records import PAGE_TYPES, Record, address_of, kind_of, record_of
from corpus.reading.split import TOO_LARGE, TRUNCATED, Span

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
PLAIN_TEXT = "text/plain"
LOOKS_LIKE_HTML = re.compile(rb"(?i)^\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Capture:
    """One record of a page. `problem` is the reason why there is nothing to read in it, or empty.

    `extracted` says that the body is text already (WET). `offset` and `length` are the record's bytes in its file
    (corpus/reading/split.py), `digest` and `digest_check` those of its payload, `truncated` why it is not whole.
    """

    url: str
    date: str
    content_type: str = ""
    body: bytes = b""
    extracted: bool = False
    problem: str = ""
    detail: str = ""
    offset: int = 0
    length: int = 0
    digest: str = ""
    digest_check: str = ""
    truncated: str = ""


def is_capture(span: Span) -> bool:
    """Whether a span is worth a row: a record that can hold a page, or one that cannot be read."""
    kind = kind_of(span)
    return not kind or kind in PAGE_TYPES


def capture_of(span: Span, *, max_body_bytes: int) -> Capture | None:
    """The capture in one span, or None for a record that never holds a page; damage is a problem, no exception."""
    if not span.block or span.problem == TOO_LARGE:
        return unread(span, span.problem, span.detail)
    record = record_of(span)
    if record.problem or record.kind not in PAGE_TYPES:
        return _unread_record(span, record)
    if record.kind == "revisit":  # its payload and digest are those of another record
        return unread(span, "revisit", "the same as an earlier capture")
    body = body_of(record.payload, _header(record), most_bytes=max_body_bytes)
    problem, detail = _problem(record, body.data)
    truncated = span.detail or record.truncated or body.truncated
    if not problem and len(body.data) > max_body_bytes:
        problem, detail = TOO_LARGE, f"more than {max_body_bytes} bytes"
    elif not problem and truncated:
        problem, detail = span.problem or (BAD_CODING if body.truncated == BAD_CODING else TRUNCATED), truncated
    return Capture(
        url=record.url,
        date=record.date,
        content_type=record.content_type,
        body=b"" if problem else body.data,
        extracted=record.kind == "conversion",
        problem=problem,
        detail=detail,
        offset=span.offset,
        length=span.length,
        digest=record.digest,
        digest_check="" if span.problem else record.digest_check,
        truncated=truncated,
    )


def unread(span: Span, problem: str, detail: str) -> Capture:
    """The capture of a span that gives no page; its address where that can be read."""
    url, date = address_of(span)
    return Capture(url, date, problem=problem, detail=detail, offset=span.offset, length=span.length)


def _unread_record(span: Span, record: Record) -> Capture | None:
    if record.problem:
        return unread(span, span.problem or record.problem, span.detail or record.detail)
    return unread(span, span.problem, span.detail) if span.problem and not record.kind else None


def _header(record: Record) -> Callable[[str], str]:
    def named(name: str) -> str:
        return (record.http.get_header(name) or "") if record.http else ""

    return named


def _problem(record: Record, body: bytes) -> tuple[str, str]:
    if not record.url:
        return "no url", ""
    if record.kind == "response" and record.status != "200":
        return ("http status", record.status) if record.http else ("no http response", record.content_type)
    kind = record.content_type.split(";")[0].strip().lower()
    if record.kind == "conversion" and kind == PLAIN_TEXT:
        is_page = True
    else:
        is_page = kind in HTML_TYPES or (not kind and bool(LOOKS_LIKE_HTML.match(body[:2048])))
    if not is_page:
        return "not html", kind or "unnamed"
    return ("", "") if body.strip() else ("empty body", "")
