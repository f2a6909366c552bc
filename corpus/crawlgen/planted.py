"""What a crawl holds besides good pages: copies, repeats, errors, broken and foreign records, quotations."""

import gzip
import json
import random
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from corpus.crawlgen.benchmarks import Row
from corpus.crawlgen.drafts import Block, Draft
from corpus.crawlgen.layout import page_html
from corpus.crawlgen.sites import Site
from corpus.crawlgen.writer import Writer

HTML = "text/html"
TRACKING = (
    "utm_source=mail&utm_medium=newsletter",
    "utm_source=feed",
    "utm_campaign=spring{number}",
    "fbclid=Iw{number}",
    "gclid=Cj{number}",
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a site before it is written."""

    url: str
    site: Site
    draft: Draft
    number: int


@dataclass(frozen=True, slots=True)
class Record:
    """One response of the crawl. `planted` is its kind for the labels, `of` the address or item that it repeats."""

    url: str
    site: Site
    body: bytes
    is_math: bool
    kind: str
    content_type: str = HTML
    status: str = "200 OK"
    headers: tuple[tuple[str, str], ...] = ()
    planted: str = ""
    of: str = "-"
    detail: str = "-"
    truncated: bool = False


def content_type(site: Site) -> str:
    """The HTTP header of a site's pages."""
    return HTML if site.charset_in_page_only else f"{HTML}; charset={site.charset}"


def encoded(page: str, site: Site) -> bytes:
    """The bytes of a page; what its charset lacks becomes a character reference."""
    return page.encode(site.charset, errors="xmlcharrefreplace")


def record_of(page: Page, related: Sequence[tuple[str, str]], w: Writer, form: str | None = None) -> Record:
    """The response that serves a page."""
    body = encoded(page_html(page.site, page.draft, related, w, form), page.site)
    return Record(page.url, page.site, body, page.draft.is_math, page.draft.kind, content_type(page.site))


def near_duplicate(page: Page, target: Site, w: Writer) -> Record:
    """The page on another site: other boilerplate, a note in front, one sentence gone."""
    note = Block("p", w.sentence("reprint"))
    blocks = page.draft.blocks
    cut = w.rng.randrange(len(blocks))
    if len(blocks) > 10 and blocks[cut].tag in ("p", "post") and len(blocks[cut].text) < 120:
        blocks = blocks[:cut] + blocks[cut + 1 :]
    copy = Page(
        f"https://{target.host}/copies/{page.number}-{w.rng.randrange(1000)}",
        target,
        replace(page.draft, blocks=(note, *blocks)),
        0,
    )
    record = record_of(copy, [(page.url, page.site.host)], w, page.site.form)
    return replace(record, planted="near_duplicate", of=page.url)


def repeat_tracking(record: Record, stream: random.Random) -> Record:
    """The same bytes under an address with tracking parameters."""
    number = stream.randrange(10**4)
    parameters = stream.choice(TRACKING).format(number=number)
    url = f"{record.url}{'&' if '?' in record.url else '?'}{parameters}"
    return replace(record, url=url, planted="repeat_tracking", of=record.url)


def repeat_same_url(record: Record, stream: random.Random) -> Record:
    """The same page fetched twice."""
    return replace(record, planted="repeat_same_url", of=record.url)


def redirect(record: Record, stream: random.Random) -> Record:
    """An old address that leads to the page."""
    body = b"<html><head><title>301 Moved Permanently</title></head><body><h1>Moved Permanently</h1></body></html>\n"
    url = f"https://{record.site.host}/old/{stream.randrange(10**6)}"
    moved = (("Location", record.url),)
    return replace(
        record, url=url, body=body, is_math=False, kind="redirect", status="301 Moved Permanently", headers=moved,
        planted="redirect_301", of=record.url,
    )  # fmt: skip


def missing(record: Record, stream: random.Random) -> Record:
    """An address without a page."""
    body = f"<html><body><h1>404</h1><p>Nothing at {record.site.host} under this name.</p></body></html>".encode()
    url = f"https://{record.site.host}/gone/{stream.randrange(10**6)}.html"
    return replace(record, url=url, body=body, is_math=False, kind="error", status="404 Not Found", planted="error_404")


def not_html(record: Record, stream: random.Random) -> Record:
    """JSON, PDF, PNG or plain text."""
    number = stream.randrange(10**6)
    kind = stream.choice(("json", "pdf", "png", "txt"))
    bodies = {
        "json": json.dumps({"id": number, "sum": [number, number % 97, number // 3]}).encode(),
        "pdf": b"%PDF-1.4\n" + zlib.compress(str(number).encode() * 40) + b"\n%%EOF\n",
        "png": b"\x89PNG\r\n\x1a\n" + stream.randbytes(300),
        "txt": f"log {number}\n".encode() * 20,
    }
    types = {"json": "application/json", "pdf": "application/pdf", "png": "image/png", "txt": "text/plain"}
    return replace(
        record, url=f"https://{record.site.host}/files/{number}.{kind}", body=bodies[kind], is_math=False, kind=kind,
        content_type=types[kind], planted="non_html", detail=kind,
    )  # fmt: skip


def truncated(record: Record, stream: random.Random) -> Record:
    """A page cut off by the crawler, and marked so."""
    body = record.body[: len(record.body) * stream.randint(40, 70) // 100]
    url = f"https://{record.site.host}/cut/{stream.randrange(10**6)}"
    return replace(record, url=url, body=body, planted="truncated", of=record.url, truncated=True)


def odd_charset(record: Record, stream: random.Random) -> Record:
    """A charset that nobody knows, in the header or in the page."""
    url = f"https://{record.site.host}/charset/{stream.randrange(10**6)}"
    name = stream.choice(("x-none-such", "utf-99", "windows-31337"))
    known = record.site.charset.encode()
    body = record.body.replace(b"charset=" + known, f"charset={name}".encode()).replace(
        b'charset="' + known, f'charset="{name}'.encode()
    )
    return replace(
        record,
        url=url,
        body=body,
        content_type=f"{HTML}; charset={name}",
        planted="odd_charset",
        of=record.url,
        detail=name,
    )


def encoded_body(record: Record, stream: random.Random) -> Record:
    """A body stored as it came over the wire: in chunks, or compressed."""
    url = f"https://{record.site.host}/wire/{stream.randrange(10**6)}"
    if stream.random() < 0.5:
        half = len(record.body) // 2
        chunks = (record.body[:half], record.body[half:])
        body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
        header = ("Transfer-Encoding", "chunked")
    else:
        body, header = gzip.compress(record.body, mtime=0), ("Content-Encoding", "gzip")
    return replace(
        record, url=url, body=body, headers=(header,), planted="encoded_body", of=record.url, detail=header[1]
    )


def empty(record: Record, stream: random.Random) -> Record:
    """A page without a word."""
    url = f"https://{record.site.host}/blank/{stream.randrange(10**6)}"
    return replace(
        record, url=url, body=b"<html><body></body></html>", is_math=False, kind="blank", planted="empty_page"
    )


def quotation(page: Page, item: Row, w: Writer) -> Page:
    """The page with a benchmark question in it, whole."""
    blocks = list(page.draft.blocks)
    tag = blocks[-1].tag if blocks[-1].tag in ("p", "li", "post") else "p"
    blocks.insert(w.rng.randint(1, len(blocks)), Block(tag, item["question"], w.say("user") if tag == "post" else ""))
    return replace(page, draft=replace(page.draft, blocks=tuple(blocks)))


# kind -> what makes it from a good record, and how many there are per thousand pages
FROM_RECORDS: dict[str, tuple[Callable[[Record, random.Random], Record], int]] = {
    "repeat_tracking": (repeat_tracking, 20),
    "repeat_same_url": (repeat_same_url, 7),
    "redirect_301": (redirect, 7),
    "error_404": (missing, 7),
    "non_html": (not_html, 13),
    "truncated": (truncated, 2),
    "odd_charset": (odd_charset, 2),
    "encoded_body": (encoded_body, 2),
    "empty_page": (empty, 2),
}


def planted_records(records: Sequence[Record], stream: random.Random) -> Iterator[Record]:
    """The records of `FROM_RECORDS`, made from good ones drawn at random."""
    good = [record for record in records if not record.planted]
    for make, per_thousand in FROM_RECORDS.values():
        for record in stream.sample(good, max(2, len(good) * per_thousand // 1000)):
            yield make(record, stream)
