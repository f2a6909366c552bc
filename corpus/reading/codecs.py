"""Compressed members of an archive: gzip, LZ4 and Zstandard frames, each decoded by itself in bounded steps."""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import lz4.frame
import zstandard

MOST_OUT = 1 << 20  # bytes that one step may give: a bomb comes out in pieces
DICTIONARY_FRAME = b"\x5d\x2a\x4d\x18"  # of .warc.zst files: a skippable frame in front of the first record


@dataclass(frozen=True, slots=True)
class Codec:
    """One container format: its first bytes, a new decoder for one member, and what that raises for bad bytes."""

    name: str
    magic: bytes
    decoder: Callable[[], Any]
    errors: tuple[type[Exception], ...]
    step: int  # bytes of input that are given to the decoder at once
    trial: int  # bytes of input after which a whole member has given its first output: a block, where there are any


GZIP = Codec("gzip", b"\x1f\x8b\x08", lambda: zlib.decompressobj(31), (zlib.error,), 1 << 15, 1 << 11)
LZ4 = Codec("lz4", b"\x04\x22\x4d\x18", lz4.frame.LZ4FrameDecompressor, (RuntimeError,), 1 << 15, (4 << 20) + 64)


def zstd(dictionary: bytes = b"") -> Codec:
    """Zstandard frames, with the dictionary that the file brought along."""
    known = zstandard.ZstdCompressionDict(dictionary) if dictionary else None

    def decoder() -> Any:
        return zstandard.ZstdDecompressor(dict_data=known, max_window_size=1 << 27).decompressobj()

    # The decoder has no bound on its output: small steps keep a bomb within the memory limit.
    return Codec("zstd", b"\x28\xb5\x2f\xfd", decoder, (zstandard.ZstdError,), 1 << 12, (1 << 17) + 64)


ZSTD = zstd()
CODECS = (GZIP, LZ4, ZSTD)


def codec_of(start: bytes) -> Codec | None:
    """The codec whose magic a file starts with, or None: not compressed."""
    return next((codec for codec in CODECS if start.startswith(codec.magic)), None)


def outputs(codec: Codec, decoder: Any, data: bytes) -> Iterator[bytes]:
    """What one step of input decodes to, in pieces; raises one of `codec.errors` for bad bytes."""
    if codec.name == "gzip":
        out = decoder.decompress(data, MOST_OUT)
        yield out
        while not decoder.eof and (decoder.unconsumed_tail or len(out) == MOST_OUT):
            out = decoder.decompress(decoder.unconsumed_tail, MOST_OUT)
            yield out
    elif codec.name == "lz4":
        yield decoder.decompress(data, MOST_OUT)
        while not decoder.eof and not decoder.needs_input:
            yield decoder.decompress(b"", MOST_OUT)
    else:
        yield decoder.decompress(data)


def first_bytes(codec: Codec, data: bytes) -> bytes:
    """The first decoded bytes of a member that may start here; empty where none does."""
    decoder = codec.decoder()
    try:
        for at in range(0, min(len(data), codec.trial), codec.step):
            if out := b"".join(islice(outputs(codec, decoder, data[at : at + codec.step]), 1)):
                return out
    except codec.errors:
        pass
    return b""


def zstd_dictionary(frame: bytes) -> bytes:
    """The dictionary in the body of a skippable frame, which may itself be compressed; empty when damaged."""
    try:
        return zstandard.ZstdDecompressor().decompress(frame) if frame.startswith(ZSTD.magic) else frame
    except zstandard.ZstdError:
        return b""
