"""Page work in child processes that may die: a page that hangs, crashes or takes all memory costs that page alone.

The parent sends one batch to each idle child; the child answers page by page. A child that is silent for longer than
the deadline, or that ends by itself, is replaced. The page that it was at is tried once more, alone in a child of its
own, for the fault may lie in what was in memory before it; when that fails too it becomes a row with the reason.
"""

import ctypes
import multiprocessing as mp
import os
import resource
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

In = TypeVar("In")
Out = TypeVar("Out")

BATCH = 16
MOST_AHEAD = 32  # batches for each child that may be done before an older page: bounds memory while one hangs
STARTED = (True, "started")  # imports are done: the clock of the first page begins
START_SECONDS = 300.0
OUT_OF_MEMORY = "out of memory"
SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux


@dataclass(frozen=True, slots=True)
class Limits:
    """What one page may take before its process is replaced: seconds, and bytes beyond those of an idle child."""

    seconds: float
    memory_bytes: int


@dataclass(slots=True)
class _Child(Generic[In]):
    process: BaseProcess
    pipe: Connection
    waiting: deque[tuple[int, In]] = field(default_factory=deque)
    since: float = 0.0
    started: bool = False
    alone: bool = False


@dataclass(slots=True)
class _Pool(Generic[In, Out]):
    work: Callable[[In], Out]
    failed: Callable[[In, str, str], Out]
    limits: Limits
    ready: dict[int, Out] = field(default_factory=dict)
    again: deque[tuple[int, In]] = field(default_factory=deque)  # pages that took their process down once


def map_in_children(
    work: Callable[[In], Out],
    items: Iterable[In],
    *,
    failed: Callable[[In, str, str], Out],
    workers: int,
    limits: Limits,
) -> Iterator[Out]:
    """`work(item)` for every item, in the order of the items, computed by `workers` child processes.

    `failed(item, reason, detail)` stands in for an item that ran out of time or memory, raised, or took its process
    down twice.
    """
    pool: _Pool[In, Out] = _Pool(work, failed, limits)
    numbered = enumerate(items)
    following = 0
    children: list[_Child[In]] = [_start(pool) for _ in range(workers)]
    try:
        while True:
            room = len(pool.ready) < MOST_AHEAD * BATCH * workers
            for child in children:
                if not child.waiting:
                    _feed(child, pool, numbered if room else iter(()))
            busy = [child for child in children if child.waiting]
            if not busy:
                return
            wait([child.pipe for child in busy], timeout=0.2)
            children = [_checked(child, pool) for child in children]
            while following in pool.ready:
                yield pool.ready.pop(following)
                following += 1
    finally:
        for child in children:
            _stop(child)


def _start(pool: _Pool[In, Out]) -> _Child[In]:
    context = mp.get_context("spawn")  # a fork would copy the threads of Arrow and Daft in a half-locked state
    here, there = context.Pipe()
    process = context.Process(
        target=_serve, args=(pool.work, there, pool.limits.memory_bytes, os.getpid()), daemon=True
    )
    process.start()
    there.close()
    return _Child(process, here)


def _serve(work: Callable[[In], Out], pipe: Connection, memory_bytes: int, parent: int) -> None:
    end_with(parent)
    _limit_memory(memory_bytes)
    with suppress(EOFError, ConnectionError):  # the parent has no more pages, or no more use for this child
        pipe.send(STARTED)
        while True:
            for item in pipe.recv():
                pipe.send(_answer(work, item))


def _answer(work: Callable[[In], Out], item: In) -> tuple[bool, Any]:
    try:
        return True, work(item)
    except MemoryError:
        return False, OUT_OF_MEMORY
    except Exception as error:  # noqa: BLE001  # foreign HTML through foreign parsers: a row with a reason
        return False, type(error).__name__


def end_with(parent: int) -> None:
    """A child in an endless loop must not outlive a killed parent: it would never see that its pipe was closed."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _limit_memory(memory_bytes: int) -> None:
    """Bounds the address space at `memory_bytes` more than it is now."""
    if sys.platform != "linux":
        return
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + memory_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _feed(child: _Child[In], pool: _Pool[In, Out], numbered: Iterator[tuple[int, In]]) -> None:
    """Gives an idle child its next pages: one that failed before by itself, else a batch."""
    child.alone = bool(pool.again)
    batch = [pool.again.popleft()] if pool.again else list(islice(numbered, BATCH))
    _send(child, batch)


def _send(child: _Child[In], batch: list[tuple[int, In]]) -> None:
    if not batch:
        return
    child.waiting.extend(batch)
    child.since = time.monotonic()
    with suppress(BrokenPipeError, ConnectionResetError):  # it has ended: `_checked` sees that
        child.pipe.send([item for _, item in batch])


def _drain(child: _Child[In], pool: _Pool[In, Out]) -> str:
    """Takes the answers that have arrived; OUT_OF_MEMORY when that is what became of the page in front."""
    with suppress(EOFError, ConnectionResetError):
        while child.waiting and child.pipe.poll():
            good, answer = child.pipe.recv()
            if not child.started:
                child.started, child.since = True, time.monotonic()
                continue
            if not good and answer == OUT_OF_MEMORY:
                return OUT_OF_MEMORY
            number, item = child.waiting.popleft()
            pool.ready[number] = answer if good else pool.failed(item, "extraction failed", answer)
            child.since = time.monotonic()
    return ""


def _checked(child: _Child[In], pool: _Pool[In, Out]) -> _Child[In]:
    """The child itself, or a new one that goes on behind the page at which this one hung, died or ran out."""
    if not child.waiting:
        return child
    dead = not child.process.is_alive()
    reason = _drain(child, pool)
    if not reason and child.waiting:
        late = time.monotonic() - child.since > (pool.limits.seconds if child.started else START_SECONDS)
        if not child.started and (dead or late):
            raise RuntimeError(f"a worker process did not start (exit code {child.process.exitcode})")
        reason = "crashed" if dead else "timed out" if late else ""
    if not reason:
        return child
    number, item = child.waiting.popleft()
    if child.alone:
        pool.ready[number] = pool.failed(item, f"extraction {reason}", "twice")
    else:
        pool.again.append((number, item))
    rest = list(child.waiting)
    _stop(child)
    new = _start(pool)
    _send(new, rest)
    return new


def _stop(child: _Child[In]) -> None:
    child.pipe.close()
    child.process.kill()
    child.process.join()
