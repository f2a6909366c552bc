"""Page work in child processes that may die: a page that hangs or crashes costs that page and nothing else.

The parent sends one batch to each idle child; the child answers page by page. A child that is silent for longer
than the time-out, or that ends by itself, is replaced, and the page that it was at becomes a dropped row.
"""

import multiprocessing as mp
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")

BATCH = 16


@dataclass(slots=True)
class _Child(Generic[In]):
    process: BaseProcess
    pipe: Connection
    waiting: deque[tuple[int, In]] = field(default_factory=deque)
    since: float = 0.0


def map_in_children(
    work: Callable[[In], Out],
    items: Iterable[In],
    *,
    failed: Callable[[In, str, str], Out],
    workers: int,
    timeout_seconds: float,
) -> Iterator[Out]:
    """`work(item)` for every item, in the order of the items, computed by `workers` child processes.

    `failed(item, reason, detail)` stands in for an item that ran out of time, raised, or took its process down.
    """
    numbered = enumerate(items)
    ready: dict[int, Out] = {}
    following = 0
    children: list[_Child[In]] = [_start(work) for _ in range(workers)]
    try:
        while True:
            for child in children:
                if not child.waiting:
                    _send(child, list(islice(numbered, BATCH)))
            busy = [child for child in children if child.waiting]
            if not busy:
                return
            for child in busy:
                _drain(child, ready, failed)
            wait([child.pipe for child in busy], timeout=0.2)
            children = [_replaced(child, work, ready, failed, timeout_seconds) for child in children]
            while following in ready:
                yield ready.pop(following)
                following += 1
    finally:
        for child in children:
            _stop(child)


def _start(work: Callable[[In], Out]) -> _Child[In]:
    context = mp.get_context("spawn")  # a fork would copy the threads of Arrow and Daft in a half-locked state
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(work, there), daemon=True)
    process.start()
    there.close()
    return _Child(process, here)


def _serve(work: Callable[[In], Out], pipe: Connection) -> None:
    while True:
        try:
            batch = pipe.recv()
        except EOFError:
            return
        for item in batch:
            try:
                answer: tuple[bool, object] = (True, work(item))
            except Exception as error:  # noqa: BLE001  # foreign HTML through foreign parsers: a row with a reason
                answer = (False, type(error).__name__)
            pipe.send(answer)


def _send(child: _Child[In], batch: list[tuple[int, In]]) -> None:
    if not batch:
        return
    child.waiting.extend(batch)
    child.since = time.monotonic()
    with suppress(BrokenPipeError, ConnectionResetError):  # it has ended: `_replaced` sees that
        child.pipe.send([item for _, item in batch])


def _drain(child: _Child[In], ready: dict[int, Out], failed: Callable[[In, str, str], Out]) -> None:
    """Takes the answers that have arrived."""
    with suppress(EOFError, ConnectionResetError):
        while child.waiting and child.pipe.poll():
            good, answer = child.pipe.recv()
            number, item = child.waiting.popleft()
            ready[number] = answer if good else failed(item, "extraction failed", answer)
            child.since = time.monotonic()


def _replaced(
    child: _Child[In],
    work: Callable[[In], Out],
    ready: dict[int, Out],
    failed: Callable[[In, str, str], Out],
    timeout_seconds: float,
) -> _Child[In]:
    """The child itself, or a new one that goes on behind the page at which this one hung or died."""
    if not child.waiting:
        return child
    dead = not child.process.is_alive()
    _drain(child, ready, failed)
    late = time.monotonic() - child.since > timeout_seconds
    if not child.waiting or not (dead or late):
        return child
    number, item = child.waiting.popleft()
    ready[number] = failed(item, "extraction crashed" if dead else "extraction timed out", "")
    rest = list(child.waiting)
    _stop(child)
    new: _Child[In] = _start(work)
    _send(new, rest)
    return new


def _stop(child: _Child[In]) -> None:
    child.pipe.close()
    child.process.kill()
    child.process.join()
