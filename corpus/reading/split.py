"""The splitter: bytes of a WARC or ARC file -> the bytes of each record, with its place and what is wrong with it.

Lengths are checked, nothing is believed: a record that ends elsewhere than its header says is marked, and reading
goes on at the next start of a record. What warcio makes of the bytes of one record is in records.py.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from corpus.reading.codecs import codec_of, first_bytes
from corpus.reading.tape import Tape

MOST_HEADER = 1 << 16
BLANK = b"\r\n"
WARC_START = re.compile(rb"WARC/\d+\.\d+[ \t]*\r?\n")
# What separates two records may be damaged as well.
NEXT_WARC = re.compile(rb"(?:\r?\n)?(?=WARC/\d+\.\d+[ \t]*\r?\n[A-Za-z-]+[ \t]*:)")
ARC_LINE = rb"(?:filedesc|[a-zA-Z][a-zA-Z0-9+.-]*)://?[^\n]{1,8192}? [0-9a-fA-F.:-]+ \d{8,20} [^\n]*?-?\w+[ \t]*\r?\n"
ARC_START = re.compile(ARC_LINE)
NEXT_ARC = re.compile(rb"\n(?=" + ARC_LINE + rb")")
HEADER_END = re.compile(rb"\r?\n\r?\n")
LENGTH = re.compile(rb"(?im)^content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*\r?$")

DAMAGED, TRUNCATED, TOO_LARGE, UNREADABLE, NO_ARCHIVE = (
    "damaged record",
    "truncated",
    "too large",
    "unreadable record",
    "not an archive",
)


@dataclass(frozen=True, slots=True)
class Span:
    """One record: its header and content as they stand in the archive, decompressed.

    `offset` and `length` name the bytes of the file to read it again (a compressed member, or the record itself);
    length 0 means that it shares its member with other records. With a problem the block is empty or cut short.
    """

    offset: int
    length: int
    block: bytes
    problem: str = ""
    detail: str = ""


def starts_record(data: bytes) -> bool:
    """Whether these are the first bytes of a WARC or ARC record."""
    return bool(WARC_START.match(data) or ARC_START.match(data))


def split(chunks: Iterable[bytes], *, most_bytes: int) -> Iterator[Span]:
    """The records of an archive in its order, and a span with a problem for each stretch that is none.

    A record of more than `most_bytes` bytes of content is TOO_LARGE and only its beginning is kept. A file in which
    there is no record at all is one span that says NO_ARCHIVE.
    """
    spans = _spans(Tape(chunks, starts_record), most_bytes)
    first, second = next(spans, Span(0, 0, b"", UNREADABLE, "empty file")), next(spans, None)
    if second is None and first.problem == UNREADABLE:
        first = replace(first, problem=NO_ARCHIVE)
    yield first
    if second is not None:
        yield second
    yield from spans


def _spans(tape: Tape, most_bytes: int) -> Iterator[Span]:
    while tape.next_stretch():
        yield from _skipped(tape)
        yield from _stretch(tape, most_bytes)
    yield from _skipped(tape)


def _skipped(tape: Tape) -> Iterator[Span]:
    for offset, size in tape.skipped:
        yield Span(offset, size, b"", UNREADABLE, f"{size} bytes between members")
    tape.skipped.clear()


def _stretch(tape: Tape, most_bytes: int) -> Iterator[Span]:
    while True:
        _skip_blank(tape)
        start = tape.position
        if tape.ended():
            if tape.broken and start == 0:
                yield _bad(tape, start, tape.broken)
            return
        header = _header(tape)
        if header:
            yield _record(tape, header, start, most_bytes)
        elif tape.plain and _is_packed(tape):  # a file of both kinds
            offset, _ = tape.place(start)
            for span in _spans(Tape(tape.rest(), starts_record), most_bytes):
                yield replace(span, offset=offset + span.offset)
        else:
            first = tape.peek(40).decode("ascii", "backslashreplace")
            _to_next_start(tape)
            yield _bad(tape, start, tape.broken or f"{tape.position - start} bytes, no record: {first}")


def _is_packed(tape: Tape) -> bool:
    codec = codec_of(tape.peek(4))
    return codec is not None and starts_record(first_bytes(codec, tape.peek(codec.trial)))


def _bad(tape: Tape, start: int, why: str) -> Span:
    return Span(*tape.place(start), b"", UNREADABLE, why)


def _header(tape: Tape) -> bytes:
    """The header of the record at the cursor with its blank line; empty where none begins."""
    start = tape.peek(MOST_HEADER // 4)
    if ARC_START.match(start):
        lines = start.split(b"\n", 1)
        return lines[0] + b"\n"
    if not WARC_START.match(start):
        return b""
    end = HEADER_END.search(start) or HEADER_END.search(tape.peek(MOST_HEADER))
    if end is None and tape.broken:
        return start
    return bytes(tape.peek(MOST_HEADER)[: end.end()]) if end else b""


def _declared(header: bytes) -> int | None:
    """The declared length of the content; None when there is none that is a number."""
    if header.startswith(b"WARC/"):
        lengths = LENGTH.findall(header)
        return int(lengths[0]) if len(set(lengths)) == 1 else None
    last = header.split()[-1]
    return int(last) if last.isdigit() else None


def _record(tape: Tape, header: bytes, start: int, most_bytes: int) -> Span:
    """Reads the record at the cursor and moves behind it."""
    declared, most = _declared(header), len(header) + most_bytes
    size = len(header) + (declared or 0)
    if declared is None:
        size, problem, detail = _until_next_start(tape, len(header), most)
    elif size > most:
        return _large(tape, header, start, size, most)
    else:
        problem, detail = _checked(tape, len(header), size)
        if detail:
            size = _true_size(tape, len(header), size)
    block = tape.peek(size)
    tape.skip(len(block))
    _skip_blank(tape)
    offset, length = tape.place(start)
    if tape.broken and tape.ended():
        cut = tape.broken == "cut"
        problem, detail = (TRUNCATED, "compressed member cut") if cut else (DAMAGED, tape.broken)
    return Span(offset, length, block, problem, detail)


def _checked(tape: Tape, header: int, size: int) -> tuple[str, str]:
    """(problem, detail) of a record that should have `size` bytes, header included."""
    if not tape.need(size):
        return TRUNCATED, f"{size - header} bytes declared, {len(tape.peek(size)) - header} there"
    after = tape.peek(size + MOST_HEADER // 4)[size:]
    left = after.lstrip(BLANK)
    if not left or starts_record(left) or after.startswith(BLANK * 2):
        return "", ""
    return TRUNCATED, f"the declared length, {size - header} bytes, is wrong"


def _true_size(tape: Tape, header: int, size: int) -> int:
    """Where a record ends whose length is wrong: at the next start of one inside it or behind, else at the end."""
    window = size + MOST_HEADER
    found = tape.find(_next_start, header, window)
    return found if found >= 0 else min(size, len(tape.peek(size)))


def _until_next_start(tape: Tape, header: int, most: int) -> tuple[int, str, str]:
    """(size, problem, detail) of a record without a length: it reaches to the next start, or to its member's end."""
    found = tape.find(_next_start, max(0, header - 2), most)
    if found >= 0:
        return found, "", ""
    held = len(tape.peek(most + 1))
    return (most, TOO_LARGE, "no length") if held > most else (held, "", "")


def _large(tape: Tape, header: bytes, start: int, size: int, most: int) -> Span:
    """A record that is too large to keep; its beginning tells the address."""
    block = tape.peek(most)
    early = _next_start(block, len(header)) if tape.plain else -1
    if early >= 0:  # a length that is wrong would swallow the records behind
        size, problem, detail = early, TRUNCATED, f"the declared length, {size - len(header)} bytes, is wrong"
        block = block[:early]
    else:
        problem, detail = TOO_LARGE, f"{size - len(header)} bytes of record"
    got = tape.skip(size)
    if got < size:
        problem, detail = TRUNCATED, f"{size - len(header)} bytes declared, {got - len(header)} there"
    _skip_blank(tape)
    if not tape.ended() and not starts_record(tape.peek(MOST_HEADER // 4)):
        _to_next_start(tape)
    offset, length = tape.place(start)
    return Span(offset, length, block[: len(header) + MOST_HEADER], problem, detail)


def _next_start(data: bytes, start: int) -> int:
    """The end of the record that `data` begins with by the start of the next one of its kind, or -1."""
    found = (NEXT_WARC if data.startswith(b"WARC/") else NEXT_ARC).search(data, start)
    return found.start() if found else -1


def _to_next_start(tape: Tape) -> None:
    """Moves to the next start of a record in this stretch, or to its end."""
    while not tape.ended():
        found = tape.find(_any_start, 1, MOST_HEADER * 4)
        if found >= 0:
            tape.skip(found)
            return
        tape.skip(MOST_HEADER * 3)


def _any_start(data: bytes, start: int) -> int:
    found = NEXT_WARC.search(data, start) or NEXT_ARC.search(data, start)
    return found.end() if found else -1


def _skip_blank(tape: Tape) -> None:
    while (ahead := tape.peek(16)) and ahead[0] in BLANK:
        tape.skip(len(ahead) - len(ahead.lstrip(BLANK)))
