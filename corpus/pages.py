"""One capture -> one page: everything that can be known of a page by itself, as a frozen record."""

import hashlib
from dataclasses import dataclass, replace

from corpus.charset import decode
from corpus.crawl import Capture, capture_of
from corpus.deduplicate import text_digest
from corpus.extract import extract
from corpus.language import language_of
from corpus.minhash import signature
from corpus.reading.split import Span
from corpus.tokens import count_tokens
from corpus.urls import domain_of, url_key

PLACE = ("file", "offset", "length", "digest", "digest_check", "truncated")  # columns that say where a page lies
Item = tuple[int, str, Span]  # number of the part of the crawl, file, record


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was read, or a dropped capture: then `reason` says why and there is no text.

    `frame` is what near duplicates are compared by where that is not the text (`corpus.extract.Extracted`), else empty.
    `file`, `offset` and `length` say where its record lies, the others what `corpus.crawl.Capture` says.
    """

    id: str
    url: str
    key: str
    domain: str
    date: str
    language: str
    text: str
    frame: str
    tokens: int
    text_digest: str
    signature: bytes
    reason: str
    detail: str
    file: str
    offset: int
    length: int
    digest: str
    digest_check: str
    truncated: str


def page_of_span(item: Item, *, hashes: int, max_body_bytes: int) -> tuple[int, Page | None]:
    """The work of a child process: one record -> its page, or None for a record that never holds one."""
    number, file, span = item
    capture = capture_of(span, max_body_bytes=max_body_bytes)
    return number, page_of(capture, file, hashes=hashes) if capture else None


def page_of(capture: Capture, file: str, *, hashes: int) -> Page:
    """The page of a capture: text with its mathematics, language, token count, text digest and MinHash signature."""
    key = url_key(capture.url)
    if capture.problem or key is None:
        return dropped(capture, file, capture.problem or "no web address", capture.detail)
    if capture.extracted:  # WET is always UTF-8, whatever a page in it says
        text, frame = decode(capture.body, "text/plain; charset=utf-8").strip(), ""
    else:
        found = extract(decode(capture.body, capture.content_type))
        text, frame = found.text, found.frame
    if not text:
        return dropped(capture, file, "no text", "")
    return replace(
        dropped(capture, file, "", ""),
        id=content_id(key, text),
        domain=domain_of(key),
        language=language_of(text),
        text=text,
        frame=frame,
        tokens=count_tokens(text),
        text_digest=text_digest(text),
        signature=signature(frame or text, hashes=hashes),
    )


def dropped(capture: Capture, file: str, reason: str, detail: str) -> Page:
    """The row of a capture that gives no page."""
    return Page(
        id=content_id(capture.url, f"{capture.date} {reason} {detail}"),
        url=capture.url,
        key=url_key(capture.url) or "",
        domain="",
        date=capture.date,
        language="",
        text="",
        frame="",
        tokens=0,
        text_digest="",
        signature=b"",
        reason=reason,
        detail=detail,
        file=file,
        offset=capture.offset,
        length=capture.length,
        digest=capture.digest,
        digest_check=capture.digest_check,
        truncated=capture.truncated,
    )


def content_id(key: str, text: str) -> str:
    """The id of a page: it depends on its address and its text, never on the file or the row where it lay."""
    return hashlib.sha256(f"{key}\n{text}".encode()).hexdigest()[:32]
