"""One capture -> one page: everything that can be known of a page by itself, as a frozen record."""

import hashlib
from dataclasses import dataclass

from corpus.charset import decode
from corpus.crawl import Capture
from corpus.deduplicate import text_digest
from corpus.extract import extract
from corpus.language import language_of
from corpus.minhash import signature
from corpus.tokens import count_tokens
from corpus.urls import domain_of, url_key


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was read, or a dropped capture: then `reason` says why and there is no text."""

    id: str
    url: str
    key: str
    domain: str
    date: str
    language: str
    text: str
    tokens: int
    text_digest: str
    signature: bytes
    reason: str
    detail: str


def page_of(capture: Capture, *, hashes: int) -> Page:
    """The page of a capture: text with its mathematics, language, token count, text digest and MinHash signature."""
    key = url_key(capture.url)
    if capture.problem or key is None:
        return dropped(capture, capture.problem or "no web address", capture.detail)
    text = extract(decode(capture.body, capture.content_type)).text
    if not text:
        return dropped(capture, "no text", "")
    return Page(
        id=content_id(key, text),
        url=capture.url,
        key=key,
        domain=domain_of(key),
        date=capture.date,
        language=language_of(text),
        text=text,
        tokens=count_tokens(text),
        text_digest=text_digest(text),
        signature=signature(text, hashes=hashes),
        reason="",
        detail="",
    )


def dropped(capture: Capture, reason: str, detail: str) -> Page:
    """The row of a capture that gives no page."""
    identity = content_id(capture.url, f"{capture.date} {reason} {detail}")
    return Page(identity, capture.url, url_key(capture.url) or "", "", capture.date, "", "", 0, "", b"", reason, detail)


def content_id(key: str, text: str) -> str:
    """The id of a page: it depends on its address and its text, never on the file or the row where it lay."""
    return hashlib.sha256(f"{key}\n{text}".encode()).hexdigest()[:32]
