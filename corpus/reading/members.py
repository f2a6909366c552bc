"""The splitter's lower half: bytes of an archive -> pieces of decoded bytes, member by member.

A member whose bytes are damaged ends in BROKEN with the place of the next one that decodes to the start of a record;
that place is looked for from just behind the member's first byte, because a decoder may run through the starts of
several good members before it notices. Memory: MOST_KEPT compressed bytes of one member.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import NamedTuple

from corpus.reading.codecs import (
    DICTIONARY_FRAME,
    Codec,
    codec_of,
    first_bytes,
    outputs,
    zstd,
    zstd_dictionary,
)

START, DATA, END, BROKEN, SKIPPED = range(5)
MOST_KEPT = 32 << 20
PLAIN = b"plain"


class Piece(NamedTuple):
    """START, END, BROKEN, SKIPPED: `offset` is a place in the archive (of SKIPPED: behind the bytes skipped).

    DATA carries decoded bytes, BROKEN the reason, SKIPPED the number of bytes, START of uncompressed bytes PLAIN.
    """

    kind: int
    offset: int
    data: bytes = b""


class _Archive:
    """A window on the bytes of an archive, addressed by offsets in the file."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._kept = bytearray()
        self.first = 0

    def at(self, offset: int, size: int) -> bytes:
        """Up to `size` bytes from `offset`; fewer at the end of the file."""
        while self.first + len(self._kept) < offset + size and self._read():
            pass
        start = offset - self.first
        return bytes(self._kept[start : start + size])

    def find(self, magic: bytes, offset: int) -> int:
        """The next place of `magic` at or behind `offset`, or -1."""
        while True:
            found = self._kept.find(magic, max(0, offset - self.first))
            if found >= 0:
                return self.first + found
            offset = max(offset, self.first + len(self._kept) - len(magic) + 1)
            self.forget(offset)
            if not self._read():
                return -1

    def forget(self, offset: int) -> None:
        """Bytes in front of `offset` are not asked for again; freed in large steps."""
        spare = min(offset - self.first, len(self._kept))
        if spare > 1 << 20:
            del self._kept[:spare]
            self.first += spare

    def end(self) -> int:
        """The size of the file, known once all of it was read."""
        return self.first + len(self._kept)

    def rest(self, offset: int) -> Iterator[bytes]:
        """All bytes from `offset` on."""
        yield bytes(self._kept[offset - self.first :])
        self._kept.clear()
        yield from self._chunks

    def _read(self) -> bool:
        chunk = next(self._chunks, b"")
        while not chunk:
            following = next(self._chunks, None)
            if following is None:
                return False
            chunk = following
        self._kept += chunk
        return True


def pieces(chunks: Iterable[bytes], starts_record: Callable[[bytes], bool]) -> Iterator[Piece]:
    """The pieces of an archive, compressed or not. `starts_record` tells where reading may go on after damage."""
    archive = _Archive(chunks)
    offset, codec = _codec(archive)
    if codec is None:
        yield from _plain(archive)
        return
    while archive.at(offset, 1):
        archive.forget(offset)
        if archive.at(offset, len(codec.magic)) == codec.magic:
            broken, following = yield from _member(archive, offset, codec)
            if broken:
                found = _next_member(archive, offset + 1, codec, starts_record)
                yield Piece(BROKEN, found, broken.encode())
                following = found
            offset = following
        else:
            found = _next_member(archive, offset, codec, starts_record)
            yield from _between(archive, offset, found)
            offset = found


def _codec(archive: _Archive) -> tuple[int, Codec | None]:
    if archive.at(0, 4) == DICTIONARY_FRAME:
        size = int.from_bytes(archive.at(4, 4), "little")
        return 8 + size, zstd(zstd_dictionary(archive.at(8, size)))
    return 0, codec_of(archive.at(0, 4))


def _plain(archive: _Archive) -> Iterator[Piece]:
    size = 0
    if archive.at(0, 1):
        yield Piece(START, 0, PLAIN)
        for chunk in archive.rest(0):
            size += len(chunk)
            if chunk:
                yield Piece(DATA, size, chunk)
        yield Piece(END, size)


def _member(archive: _Archive, start: int, codec: Codec) -> Generator[Piece, None, tuple[str, int]]:
    """The pieces of one member; returns (reason of damage or empty, where it ended)."""
    yield Piece(START, start)
    decoder, place = codec.decoder(), start
    try:
        while not decoder.eof:
            data = archive.at(place, codec.step)
            if not data:
                return "cut", place
            place += len(data)
            archive.forget(place - MOST_KEPT)
            for out in outputs(codec, decoder, data):
                if out:
                    yield Piece(DATA, place, out)
    except codec.errors as error:
        return f"damaged: {error}", place
    end = place - len(decoder.unused_data or b"")
    yield Piece(END, end)
    return "", end


def _next_member(archive: _Archive, offset: int, codec: Codec, starts_record: Callable[[bytes], bool]) -> int:
    """The next place at which a member decodes to the start of a record, or the end of the file."""
    while (offset := archive.find(codec.magic, max(offset, archive.first))) >= 0:
        if starts_record(first_bytes(codec, archive.at(offset, codec.trial))):
            return offset
        offset += 1
    return archive.end()


def _between(archive: _Archive, offset: int, following: int) -> Iterator[Piece]:
    """Bytes that belong to no member: an uncompressed record, or a stretch to skip."""
    kept = archive.at(offset, following - offset) if offset >= archive.first else b""
    if kept.startswith(b"WARC/"):
        yield from (Piece(START, offset, PLAIN), Piece(DATA, following, kept), Piece(END, following))
    else:
        yield Piece(SKIPPED, following, str(following - offset).encode())
