"""The payload of an HTTP response -> the bytes of the page: transfer and content codings taken off.

Archives differ: some keep the codings, some took them off and kept the headers that name them. So a header is only
believed when the bytes agree with it.
"""

import io
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import brotli
import zstandard

CHUNK_LINE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]{0,1024})?\r?\n")
MARKUP = re.compile(rb"\s*(?:<[!?a-zA-Z]|\Z)")  # brotli and bare deflate have no magic bytes: these are not coded
GZIP_MAGIC, ZSTD_MAGIC = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
STEP = 1 << 14
CUT_CHUNKS, CUT_CODING, BAD_CODING = "chunked body cut", "coded body cut", "coded body damaged"


@dataclass(frozen=True, slots=True)
class Body:
    """The bytes of a page. `truncated` tells why they are not all of them, or is empty."""

    data: bytes
    truncated: str = ""


def body_of(payload: bytes, header: Callable[[str], str], *, most_bytes: int) -> Body:
    """The body behind the HTTP headers that `header(name)` gives, at most `most_bytes + 1` bytes of it."""
    truncated = ""
    chunks = dechunked(payload)
    names = [name.strip().lower() for name in header("Content-Encoding").split(",") if name.strip()]
    if chunks is not None and ("chunked" in header("Transfer-Encoding").lower() or _surely_chunked(chunks)):
        payload, truncated = chunks.data, chunks.truncated
    elif not _taken_off(payload, names):
        stated = header("Content-Length").strip()
        if stated.isdigit() and int(stated) > len(payload):
            truncated = f"{stated} bytes of body announced, {len(payload)} there"
    for name in reversed(names):
        body = decoded(payload, name, most_bytes=most_bytes)
        payload, truncated = body.data, truncated or body.truncated
    if not names and payload.startswith(GZIP_MAGIC) and "html" in header("Content-Type").lower():
        body = decoded(payload, "gzip", most_bytes=most_bytes)  # the header was lost on the way to the archive
        payload, truncated = body.data, truncated or body.truncated
    return Body(payload[: most_bytes + 1], truncated)


def _taken_off(payload: bytes, names: list[str]) -> bool:
    """Whether the archive decoded the body and kept the headers: its length is then not the announced one."""
    return any(name not in ("", "identity") for name in names) and not any(_is_coded(payload, name) for name in names)


def _is_coded(payload: bytes, name: str) -> bool:
    if name in ("gzip", "x-gzip"):
        return payload.startswith(GZIP_MAGIC)
    if name == "zstd":
        return payload.startswith(ZSTD_MAGIC)
    return name in ("br", "deflate") and decoded(payload, name, most_bytes=64).data != payload


def _surely_chunked(chunks: Body) -> bool:
    """Whether a body was chunked even if no header says so: its last chunk of size 0 was found."""
    return bool(chunks.data) and not chunks.truncated


def dechunked(payload: bytes) -> Body | None:
    """The body without its chunk sizes; None when it does not begin as a chunked one does."""
    parts: list[bytes] = []
    place = 0
    while line := CHUNK_LINE.match(payload, place):
        size = int(line.group(1), 16)
        if size == 0:
            return Body(b"".join(parts))
        part = payload[line.end() : line.end() + size]
        parts.append(part)
        place = line.end() + size
        if len(part) < size:
            break
        ending = payload[place : place + 2]
        if not (ending.startswith(b"\n") or b"\r\n".startswith(ending)):
            return None if len(parts) == 1 else Body(b"".join(parts), CUT_CHUNKS)
        place += 1 if ending.startswith(b"\n") else 2
    return Body(b"".join(parts), CUT_CHUNKS) if parts else None


def decoded(payload: bytes, name: str, *, most_bytes: int) -> Body:
    """A body without one content coding; as it is when its bytes are not coded so, or the coding is unknown."""
    decoder = {"gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate, "br": _brotli, "zstd": _zstd}.get(name)
    if decoder is None or MARKUP.match(payload):
        return Body(payload)
    return decoder(payload, most_bytes)


def _deflate(payload: bytes, most_bytes: int) -> Body:
    """The standard means zlib's format; some servers send the bare stream."""
    for wbits in (15, -15):
        body, _ = _inflated(payload, wbits, most_bytes)
        if body.data and (body.truncated != BAD_CODING or len(body.data) > len(payload)):
            return body
    return Body(payload)


def _gzip(payload: bytes, most_bytes: int) -> Body:
    """All members of a gzip body; what came out before an error is kept and marked."""
    body = Body(b"")
    while payload.startswith(GZIP_MAGIC) and not body.truncated and len(body.data) <= most_bytes:
        member, payload = _inflated(payload, 31, most_bytes)
        body = Body(body.data + member.data, member.truncated)
    return body if body.data or body.truncated else Body(payload)


def _inflated(payload: bytes, wbits: int, most_bytes: int) -> tuple[Body, bytes]:
    """(one deflate stream decoded up to the limit, the bytes behind it)."""
    decoder, out, size, end = zlib.decompressobj(wbits), [], 0, 0
    try:
        while end < len(payload) and not decoder.eof and size <= most_bytes:
            data, end = payload[end : end + STEP], end + STEP
            while (part := decoder.decompress(data, 1 << 20)) or decoder.unconsumed_tail:
                out.append(part)
                size += len(part)
                data = decoder.unconsumed_tail
                if size > most_bytes or decoder.eof:
                    break
    except zlib.error:
        return Body(b"".join(out), BAD_CODING), b""
    cut = not decoder.eof and size <= most_bytes
    behind = payload[min(end, len(payload)) - len(decoder.unused_data) :] if decoder.eof else b""
    return Body(b"".join(out), CUT_CODING if cut else ""), behind


def _brotli(payload: bytes, most_bytes: int) -> Body:
    decoder = brotli.Decompressor()
    try:
        data = decoder.process(payload, output_buffer_limit=most_bytes + 1)
        while len(data) <= most_bytes and not decoder.is_finished() and not decoder.can_accept_more_data():
            data += decoder.process(b"", output_buffer_limit=most_bytes + 1)
    except brotli.error:  # no magic bytes tell a coded body from one that the archive decoded
        return Body(payload)
    return Body(data, "" if decoder.is_finished() or len(data) > most_bytes else CUT_CODING)


def _zstd(payload: bytes, most_bytes: int) -> Body:
    if not payload.startswith(ZSTD_MAGIC):
        return Body(payload)
    out = b""
    try:
        with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(io.BytesIO(payload)) as reader:
            while len(out) <= most_bytes and (part := reader.read(1 << 18)):
                out += part
        whole = len(out) > most_bytes or _whole_zstd(payload)
    except zstandard.ZstdError:
        return Body(out, BAD_CODING)
    return Body(out, "" if whole else CUT_CODING)


def _whole_zstd(payload: bytes) -> bool:
    decoder = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
    decoder.decompress(payload)
    return bool(decoder.eof)
