"""The bytes of one record -> its headers and payload. warcio parses; what it cannot is a problem with its reason."""

import base64
import hashlib
import io
import logging
import re
from dataclasses import dataclass

from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord, ArcWarcRecordLoader
from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParser, StatusAndHeadersParserException

from corpus.reading.bodies import dechunked
from corpus.reading.split import UNREADABLE, Span

logging.getLogger("warcio.recordloader").setLevel(logging.ERROR)  # one line for each blank in an address

# Kinds of records that can hold a page; requests, metadata and warcinfo are passed over without being counted.
PAGE_TYPES = frozenset({"response", "resource", "conversion", "revisit"})
TYPE = re.compile(rb"(?im)^warc-type[ \t]*:[ \t]*([\w-]+)")
ADDRESS = re.compile(rb"(?im)^warc-target-uri[ \t]*:[ \t]*<?([^\r\n>]*)")
DATE = re.compile(rb"(?im)^warc-date[ \t]*:[ \t]*([^\r\n]*)")
ARC_ADDRESS = re.compile(rb"(\S[^\n]*?) [0-9a-fA-F.:-]+ \d{8,20} ")
VERIFIED, MISMATCH = "verified", "mismatch"
ALGORITHMS = frozenset({"md5", "sha1", "sha256", "sha512"})


@dataclass(frozen=True, slots=True)
class Record:
    """One record. `payload` is what is stored behind the HTTP headers, codings and all.

    `truncated` tells why the payload is not the whole one, or is empty; `digest` is its sha1 (base32, as Common Crawl
    writes it), `digest_check` whether the digests that the record states are those of its bytes (empty: none stated).
    """

    kind: str
    url: str
    date: str
    content_type: str
    status: str
    http: StatusAndHeaders | None
    payload: bytes
    truncated: str
    digest: str
    digest_check: str
    problem: str = ""
    detail: str = ""


def kind_of(span: Span) -> str:
    """The type of the record in a span, read cheaply; ARC records are responses."""
    if not span.block.startswith(b"WARC/"):
        return "warcinfo" if span.block.startswith(b"filedesc:") else "response"
    found = TYPE.search(span.block)
    return found.group(1).decode().lower() if found else ""


def address_of(span: Span) -> tuple[str, str]:
    """(URL, date) of the record in a span as far as they can be read."""
    url = (ADDRESS if span.block.startswith(b"WARC/") else ARC_ADDRESS).search(span.block)
    date = DATE.search(span.block) if span.block.startswith(b"WARC/") else None
    return _field(url), _field(date)


def _field(found: re.Match[bytes] | None) -> str:
    return found.group(1).decode("utf-8", "replace").strip() if found else ""


def record_of(span: Span) -> Record:
    """The record in a span that has bytes; never raises for what stands in them."""
    stream = io.BytesIO(_arc_1(span.block))
    try:
        parsed = ArcWarcRecordLoader(verify_http=False).parse_record_stream(stream, no_record_parse=True)
        return _record(span, parsed)
    except (ArchiveLoadFailed, StatusAndHeadersParserException, EOFError, ValueError) as error:
        return _unread(span, type(error).__name__)


def _unread(span: Span, detail: str) -> Record:
    url, date = address_of(span)
    return Record(kind_of(span), url, date, "", "", None, b"", "", "", "", UNREADABLE, detail)


def _record(span: Span, parsed: ArcWarcRecord) -> Record:
    headers = parsed.rec_headers
    block = parsed.raw_stream.read()
    if parsed.length is None:
        block = block.removesuffix(b"\r\n\r\n")
    content_type, status, http, payload = headers.get_header("Content-Type") or "", "", None, block
    kind = (headers.get_header("WARC-Type") or "").lower()
    url = (headers.get_header("WARC-Target-URI") or "").strip().strip("<>").replace(" ", "%20")
    if block and kind in ("response", "revisit") and _is_http(block, content_type, url):
        http, payload = _http(block)
        status, content_type = http.get_statuscode() or "", http.get_header("Content-Type") or ""
    return Record(
        kind=kind,
        url=url,
        date=headers.get_header("WARC-Date") or "",
        content_type=content_type,
        status=status,
        http=http,
        payload=payload,
        truncated=_truncated(headers),
        digest="sha1:" + base64.b32encode(hashlib.sha1(payload).digest()).decode(),
        digest_check=_checked(headers, block, payload),
    )


def _is_http(block: bytes, content_type: str, url: str) -> bool:
    return "http" in content_type.split(";")[0] or (url.startswith("http") and block[:5] == b"HTTP/")


def _http(block: bytes) -> tuple[StatusAndHeaders, bytes]:
    stream = io.BytesIO(block)
    http = StatusAndHeadersParser(["HTTP/"], verify=False).parse(stream)
    return http, block[stream.tell() :]


def _truncated(headers: StatusAndHeaders) -> str:
    if headers.get_header("WARC-Segment-Number"):
        return "first segment only"
    return headers.get_header("WARC-Truncated") or ""


def _arc_1(block: bytes) -> bytes:
    """An ARC record with the ten fields of version 2 as one with the five of version 1, which warcio knows."""
    if block.startswith(b"WARC/"):
        return block
    line, newline, content = block.partition(b"\n")
    fields = line.split(b" ")
    if len(fields) != 10 or not fields[4].isdigit():  # version 1 has the length there, version 2 the status
        return block
    return b" ".join([*fields[:4], fields[-1]]) + newline + content


def _checked(headers: StatusAndHeaders, block: bytes, payload: bytes) -> str:
    """VERIFIED, MISMATCH, or empty where no digest of a known kind is stated.

    The block counts before the payload: writers differ in whether the payload has its transfer coding.
    """
    stated = headers.get_header("WARC-Block-Digest") or ""
    if _algorithm(stated):
        return VERIFIED if _agrees(stated, block) else MISMATCH
    stated = headers.get_header("WARC-Payload-Digest") or ""
    if not _algorithm(stated):
        return ""
    if _agrees(stated, payload):
        return VERIFIED
    chunks = dechunked(payload)
    return VERIFIED if chunks and _agrees(stated, chunks.data) else MISMATCH


def _algorithm(stated: str) -> str:
    """hashlib's name of the algorithm of a digest such as `sha1:..`, or empty."""
    name, _, value = stated.partition(":")
    name = name.lower().replace("-", "")
    return name if name in ALGORITHMS and value else ""


def _agrees(stated: str, data: bytes) -> bool:
    """Whether a digest in base32, hexadecimal or base64 is that of `data`."""
    found, value = hashlib.new(_algorithm(stated), data).digest(), stated.partition(":")[2].strip()
    return value.rstrip("=").lower() in (found.hex(), base64.b32encode(found).decode().rstrip("=").lower()) or (
        value == base64.b64encode(found).decode()
    )
