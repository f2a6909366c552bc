"""Decoded bytes of an archive as stretches without a gap: each begins where a record should and is read in order.

A gzip member that starts with a record begins a new stretch, so that damage never reaches over it; one that does not
(members cut anywhere, a file gzipped whole) goes on with the stretch before.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from corpus.reading.members import BROKEN, DATA, END, PLAIN, SKIPPED, START, Piece, pieces

OVERLAP = 1 << 14  # bytes in which a start of a record that was cut by the window is found again


class _Mark(NamedTuple):
    """From `position` of the stretch on, its bytes come from what begins at `offset` of the archive."""

    position: int
    offset: int
    plain: bool


class Tape:
    """One stretch after another; `broken` tells why the present one ended early, once it has ended."""

    def __init__(self, chunks: Iterable[bytes], starts_record: Callable[[bytes], bool]) -> None:
        self._pieces = pieces(chunks, starts_record)
        self._starts_record = starts_record
        self._waiting: list[Piece] = []
        self._buffer = bytearray()
        self._dropped = 0  # bytes of the stretch in front of the buffer
        self._at = 0  # cursor in the buffer
        self._marks: list[_Mark] = []
        self._open = False
        self.broken = ""
        self.end_offset = 0
        self.skipped: list[tuple[int, int]] = []  # stretches of the archive that are no record: offset, bytes

    def next_stretch(self) -> bool:
        """Goes on to the next stretch; False at the end of the archive."""
        while (piece := self._next()) is not None:
            if piece.kind == SKIPPED:
                size = int(piece.data)
                self.skipped.append((piece.offset - size, size))
            elif piece.kind == START:
                self._buffer.clear()
                self._dropped = self._at = 0
                self._marks = [_Mark(0, piece.offset, piece.data == PLAIN)]
                self._open, self.broken = True, ""
                return True
        return False

    @property
    def position(self) -> int:
        """Bytes of the stretch in front of the cursor."""
        return self._dropped + self._at

    def place(self, start: int) -> tuple[int, int]:
        """(offset, length) in the archive of what lies between `start` and the cursor.

        The length is 0 where a compressed member holds more than that.
        """
        mark = next(mark for mark in reversed(self._marks) if mark.position <= start)
        offset = mark.offset + (start - mark.position if mark.plain else 0)
        if mark.plain:
            return offset, self.position - start
        last = self._marks[-1]
        if start != mark.position or not (self.ended() or last.position == self.position):
            return offset, 0
        return offset, (self.end_offset if self.ended() else last.offset) - offset

    @property
    def plain(self) -> bool:
        """Whether the stretch is not compressed."""
        return self._marks[-1].plain

    def peek(self, size: int) -> bytes:
        """Up to `size` bytes from the cursor on; fewer at the end of the stretch."""
        self.need(size)
        return bytes(self._buffer[self._at : self._at + size])

    def need(self, size: int) -> bool:
        """Whether the stretch holds `size` more bytes; they are in memory then."""
        while len(self._buffer) - self._at < size:
            if not self._pull():
                return False
        return True

    def find(self, wanted: Callable[[bytes, int], int], start: int, limit: int) -> int:
        """The place behind the cursor at which `wanted(bytes, from)` finds something, within `limit` bytes; or -1."""
        while True:
            window = bytes(self._buffer[self._at : self._at + limit])
            found = wanted(window, start)
            if found >= 0 or len(window) >= limit:
                return found
            start = max(start, len(window) - OVERLAP)
            if not self._pull():
                return -1

    def skip(self, size: int) -> int:
        """Moves the cursor on without keeping what it passes; returns how far it got."""
        left = size
        while left > 0:
            step = min(left, len(self._buffer) - self._at)
            self._at += step
            left -= step
            if left and not self._pull():
                break
        return size - left

    def rest(self) -> Iterator[bytes]:
        """What is left of the stretch, read to its end."""
        while self.need(1):
            chunk = bytes(self._buffer[self._at :])
            self._at = len(self._buffer)
            yield chunk

    def ended(self) -> bool:
        """Whether the stretch has no byte left."""
        return not self.need(1)

    def _pull(self) -> bool:
        """One more piece of the stretch into the buffer; False when it has ended."""
        if self._at > 1 << 16 and self._at * 2 > len(self._buffer):
            del self._buffer[: self._at]
            self._dropped += self._at
            self._at = 0
        while self._open:
            piece = self._next()
            if piece is None:
                self._open = False
            elif piece.kind == DATA:
                self._buffer += piece.data
                return True
            elif piece.kind == BROKEN:
                self.broken, self.end_offset, self._open = piece.data.decode(), piece.offset, False
            elif piece.kind == END:
                self.end_offset = piece.offset
                self._open = self._goes_on()
        return False

    def _goes_on(self) -> bool:
        """Whether the next member continues this stretch: it holds bytes that start no record."""
        start, data = self._next(), self._next()
        if start is None or data is None:
            self._waiting = [start] if start else []
            return False
        # A new record can only be told from a body by its first bytes.
        if start.kind == START and (data.kind == END or (data.kind == DATA and not self._starts_record(data.data))):
            self._marks.append(_Mark(self._dropped + len(self._buffer), start.offset, start.data == PLAIN))
            self._waiting.append(data)
            return True
        self._waiting = [start, data, *self._waiting]
        return False

    def _next(self) -> Piece | None:
        return self._waiting.pop(0) if self._waiting else next(self._pieces, None)
