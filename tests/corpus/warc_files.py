"""Small WARC files for tests, written by hand: one gzip member for each response record."""

import gzip
from collections.abc import Iterable
from pathlib import Path

Response = tuple[str, str, bytes]  # url, content type, body

DATE = "2024-03-01T00:00:00Z"


def write_warc(path: Path, responses: Iterable[Response], *, status: str = "200 OK") -> None:
    """Writes one response record for each (url, content type, body)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(gzip.compress(record(*response, status=status), mtime=0) for response in responses))


def record(url: str, content_type: str, body: bytes, *, status: str) -> bytes:
    """The bytes of a response record."""
    http = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
        f"WARC-Date: {DATE}\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def html(title: str, *paragraphs: str) -> bytes:
    """A page with a title and paragraphs."""
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"<!doctype html><html><body><article><h1>{title}</h1>{body}</article></body></html>".encode()
