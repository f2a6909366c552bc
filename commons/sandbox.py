"""Run programs that a model wrote: limits, a time-out, no network, no files, no rights; a level that is measured.

Levels: L0 none; L1 own process and resource limits; L2 also no network and a pid namespace; L3 also no files outside
of its empty folder but Python's own. The best level that the machine allows is used. Works from any thread."""

import json
import os
import queue
import select
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import TracebackType

CHILD = Path(__file__).with_name("sandbox_child.py")
LEVELS = ("L0", "L1", "L2", "L3")
SANDBOX_FAILED = "sandbox failed"
GRACE_SECONDS = 10.0  # beyond the wall limit; the far side kills in time, this only catches its own end


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may use."""

    wall_seconds: float = 5.0
    cpu_seconds: int = 5
    memory_bytes: int = 512 * 1024 * 1024
    output_bytes: int = 10_000
    file_bytes: int = 1024 * 1024
    processes: int = 16


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """How a program ended: `ok`, `error`, `timed out`, `memory` or `too much output`; what it printed; its error.

    `sandbox failed` says nothing about the program: the sandbox itself ended (a grader error, never a score)."""

    status: str
    stdout: str
    error: str
    seconds: float


class Sandbox:
    """One server process that runs one program after another, each in a fresh child. A context; not shared by threads.

    The server has Python loaded: a program costs a fork, about 5 ms, instead of a start of the interpreter."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.folder = tempfile.TemporaryDirectory(prefix="sandbox-")
        os.chmod(self.folder.name, 0o711)  # the user nobody passes through to its own folder
        self.server = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        # -P -s: nothing of this project or of the user can be imported; a fixed hash seed: sets print the same
        command = [sys.executable, "-P", "-s", "-X", "utf8", str(CHILD), self.folder.name]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PYTHONHASHSEED": "0", "PATH": "/usr/bin:/bin"},
            cwd=self.folder.name,
            start_new_session=True,
            bufsize=0,
        )

    def run(self, source: str) -> ProgramRun:
        """Run one program to its end or to its limits."""
        request = json.dumps(asdict(self.limits) | {"source": source}).encode()
        answer = self._exchange(struct.pack("!I", len(request)) + request)
        if not answer:
            self._stop()
            self.server = self._start()
            return ProgramRun(SANDBOX_FAILED, "", "the sandbox itself ended while the program ran", 0.0)
        return ProgramRun(**json.loads(answer))

    def _exchange(self, request: bytes) -> bytes:
        try:
            assert self.server.stdin is not None
            self.server.stdin.write(request)
            head = self._read(4)
            return self._read(struct.unpack("!I", head)[0]) if len(head) == 4 else b""
        except BrokenPipeError:
            return b""

    def _read(self, wanted: int) -> bytes:
        assert self.server.stdout is not None
        pieces = b""
        while len(pieces) < wanted:
            wait = self.limits.wall_seconds + GRACE_SECONDS
            if not select.select([self.server.stdout], [], [], wait)[0]:
                return b""
            piece = os.read(self.server.stdout.fileno(), wanted - len(pieces))
            if not piece:
                return b""
            pieces += piece
        return pieces

    def _stop(self) -> None:
        self.server.kill()
        self.server.wait()
        for pipe in (self.server.stdin, self.server.stdout):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop()
        self.folder.cleanup()


def run_program(source: str, limits: Limits) -> ProgramRun:
    """Run one program. Many are much cheaper through `run_programs`."""
    with Sandbox(limits) as sandbox:
        return sandbox.run(source)


def run_programs(sources: Sequence[str], limits: Limits, workers: int = 1) -> list[ProgramRun]:
    """Run programs on `workers` sandboxes at a time; the results in the order of the sources."""
    free: queue.SimpleQueue[Sandbox] = queue.SimpleQueue()

    def run(source: str) -> ProgramRun:
        sandbox = free.get()
        try:
            return sandbox.run(source)
        finally:
            free.put(sandbox)

    sandboxes = [Sandbox(limits) for _ in range(min(workers, len(sources)))]
    try:
        for sandbox in sandboxes:
            free.put(sandbox)
        with ThreadPoolExecutor(max(1, len(sandboxes))) as pool:
            return list(pool.map(run, sources))
    finally:
        for sandbox in sandboxes:
            sandbox.__exit__(None, None, None)


PROBE = """
import os, socket
facts = []
try:
    os.fork() or os._exit(0)
except OSError:
    pass
facts.append("own pids" if os.getpid() == 1 else "")
try:
    socket.create_connection(("127.0.0.1", {port}), timeout=1)
except OSError:
    facts.append("no network")
try:
    open({canary!r}).read()
except OSError:
    facts.append("no files")
print(",".join(facts))
"""


@cache
def isolation_level() -> str:
    """The level that programs get on this machine, found by a program that tries to get out."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listener:
        os.chmod(folder, 0o755)
        canary = Path(folder) / "canary"
        canary.write_text("seen", encoding="utf-8")
        canary.chmod(0o644)
        run = run_program(PROBE.format(port=listener.getsockname()[1], canary=str(canary)), Limits())
    if run.status != "ok":
        return "L0"
    facts = run.stdout.strip().split(",")
    closed = "own pids" in facts and "no network" in facts
    return "L3" if closed and "no files" in facts else "L2" if closed else "L1"
