"""Bytes of remote files: resumed where they were cut, checked for length, asked for at a polite pace.

What passes (a busy server, a cut connection) is waited for and tried again; a server that stays so ends the run with a
DataError, and the same command goes on from the files that are done. What does not pass (no such file, no permission)
is Unreachable: the caller counts that file and goes on.
"""

import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from itertools import chain
from typing import Protocol

from commons.errors import DataError

BUSY_CODES = ("SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "ThrottlingException")
ERROR_CODE = re.compile(rb"<Code>\s*(\w+)\s*</Code>")
MOST_ERROR_BYTES = 1 << 16


class Unreachable(Exception):
    """A remote file that will not come, and why."""


class Transient(Exception):
    """A request that failed in a way that may pass.

    `wait_seconds` is what the server asked for, `slower` that it wants fewer requests, `final` that it may also mean
    what it says for good.
    """

    def __init__(self, reason: str, *, wait_seconds: float = 0.0, slower: bool = False, final: bool = False) -> None:
        super().__init__(reason)
        self.wait_seconds, self.slower, self.final = wait_seconds, slower, final


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with bytes: the first of them is number `first` of the file, whose size is `total` (None: unknown).

    `version` names this state of the file (an ETag), or is empty.
    """

    first: int
    total: int | None
    version: str
    chunks: Iterator[bytes]


class Transport(Protocol):
    """One way to ask for bytes."""

    def open(self, url: str, first: int, end: int | None, version: str) -> AbstractContextManager[Reply]:
        """The bytes from `first` to before `end` (None: to the last); raises Transient or Unreachable."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How a server is treated: requests a second, tries of one request, waits between them in seconds."""

    requests_per_second: float = 2.0
    tries: int = 8
    first_wait: float = 1.0
    longest_wait: float = 120.0


@dataclass(slots=True)
class Fetcher:
    """Reads remote files one request after another."""

    transports: dict[str, Transport]  # by the scheme of the address
    pace: Pace = Pace()
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _next: float = field(default=0.0, init=False)
    _slower: float = field(default=1.0, init=False)

    def stream(self, url: str, first: int = 0, end: int | None = None) -> Iterator[bytes]:
        """The bytes of a file from `first` to before `end`, whole and in order.

        Raises Unreachable, and DataError when the server stays busy.
        """
        start, version, failures = first, "", 0
        while end is None or first < end:
            try:
                with self._open(url, first, end, version) as reply:
                    chunks = _no_error_page(reply.chunks) if first == start or reply.first == 0 else reply.chunks
                    version = self._same(version, reply)
                    if end is not None and reply.total is not None and end > reply.total:
                        raise Unreachable(f"it ends at {reply.total}, before byte {end}")
                    end = reply.total if end is None else end
                    for chunk in _within(chunks, reply.first, first, end):
                        first, failures = first + len(chunk), 0
                        yield chunk
                if end is None or first >= end:
                    return
                raise Transient(f"{end - first} bytes are missing at the end")
            except Transient as error:
                failures += 1
                self._wait(url, error, failures)

    def read(self, url: str, first: int, length: int) -> bytes:
        """`length` bytes of a file from `first` on. Raises as `stream`."""
        return b"".join(self.stream(url, first, first + length))

    def shared_by(self, readers: int) -> "Fetcher":
        """A new fetcher for one of so many that read at once: together they ask no faster than this one."""
        pace = replace(self.pace, requests_per_second=self.pace.requests_per_second / readers)
        return Fetcher(self.transports, pace, self.sleep, self.clock)

    def size(self, url: str) -> int:
        """The size of a file in bytes. Raises as `stream`."""
        for failures in range(1, self.pace.tries + 1):
            try:
                with self._open(url, 0, 1, "") as reply:
                    if reply.total is not None:
                        return reply.total
                raise Unreachable("its size is not told")
            except Transient as error:
                self._wait(url, error, failures)
        raise Unreachable("its size is not told")

    def _open(self, url: str, first: int, end: int | None, version: str) -> AbstractContextManager[Reply]:
        scheme = url.partition("://")[0]
        if scheme not in self.transports:
            raise Unreachable(f"addresses of the kind {scheme}:// are not read")
        now = self.clock()
        if now < self._next:
            self.sleep(self._next - now)
        self._next = max(now, self._next) + self._slower / self.pace.requests_per_second
        return self.transports[scheme].open(url, first, end, version)

    @staticmethod
    def _same(version: str, reply: Reply) -> str:
        if version and reply.version and reply.version != version:
            raise Unreachable("it changed while it was read")
        return version or reply.version

    def _wait(self, url: str, error: Transient, failures: int) -> None:
        if failures >= self.pace.tries:
            if error.final:
                raise Unreachable(f"{error}, {failures} times")
            raise DataError(
                f"{url}: {error} ({failures} tries in a row); the same command goes on from the files that are done"
            )
        if error.slower:
            self._slower = min(self._slower * 2, 64.0)
        longest = self.pace.first_wait * 2 ** (failures - 1)
        wait = min(self.pace.longest_wait, longest) * random.uniform(0.5, 1.0)
        self.sleep(max(wait, error.wait_seconds))


def _within(chunks: Iterator[bytes], place: int, first: int, end: int | None) -> Iterator[bytes]:
    """The chunks of a reply that begins at `place`, without what lies before `first` or behind `end`."""
    if place > first:
        raise Transient(f"bytes from {place} came for those from {first}")
    for chunk in chunks:
        begin, stop = max(0, first - place), len(chunk) if end is None else min(len(chunk), end - place)
        place += len(chunk)
        if begin < stop:
            yield chunk[begin:stop]


def _no_error_page(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The chunks, unless they are an error: S3 can answer 200 and send one as XML; no archive begins like that."""
    begin = next(chunks, b"")
    if not begin.lstrip().startswith((b"<?xml", b"<Error")):
        return chain([begin], chunks)
    for more in chunks:
        begin += more
        if len(begin) > MOST_ERROR_BYTES:
            break
    code = ERROR_CODE.search(begin)
    name = code.group(1).decode("ascii") if code else "an XML page"
    if name in BUSY_CODES:
        raise Transient(f"{name} in place of the file", slower=True)
    raise Unreachable(f"{name} in place of the file")


def retry_after(value: str, now: float) -> float:
    """Seconds of a Retry-After header, which holds seconds or a date; 0 when it is neither."""
    if value.strip().isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (TypeError, ValueError):
        return 0.0
