"""Run programs that a model wrote: limits, a time-out, no network, no files, no rights; a level that is measured.

    with Sandbox(Limits()) as sandbox:
        runs = sandbox.run_all(["print(6 * 7)"])
        with sandbox.session(blocks=2) as session:
            session.run("x = 6")
            session.run("print(x * 7)")

The levels L0 to L3 stand in `commons.sandbox_canaries`; docs/evaluation.md says what each layer holds. Every function
works from any thread."""

import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache, partial
from types import TracebackType

from commons.errors import ConfigError
from commons.sandbox_canaries import LEVELS as LEVELS
from commons.sandbox_canaries import canary, held_parts, level_of
from commons.sandbox_far import wire
from commons.sandbox_server import Server, ServerFailed

OK, ERROR, TIMED_OUT, MEMORY, TOO_MUCH_OUTPUT = "ok", "error", "timed out", "memory", "too much output"
SANDBOX_FAILED = "sandbox failed"
GRACE_SECONDS = 30.0  # beyond the wall limit; the far side kills in time, this only catches its own end


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may use; in a session the time and the output are those of each block."""

    wall_seconds: float = 5.0
    cpu_seconds: int = 5
    memory_bytes: int = 512 * 1024 * 1024
    output_bytes: int = 10_000
    file_bytes: int = 1024 * 1024
    processes: int = 4


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """How a program ended: `ok`, `error`, `timed out`, `memory` or `too much output`; what it printed; its error.

    `sandbox failed` says nothing about the program: the sandbox itself failed, for the reason in `error` (a grader
    error, never a score)."""

    status: str
    stdout: str
    error: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Isolation:
    """The level that programs get on this machine, the parts that hold, and why the missing ones were refused."""

    level: str
    held: tuple[str, ...]
    refused: dict[str, str]

    def line(self) -> str:
        """One line for a report or an error."""
        reasons = "; ".join(f"{part} refused ({why})" for part, why in self.refused.items())
        return f"{self.level}: {', '.join(self.held) or 'nothing holds'}" + (f"; {reasons}" if reasons else "")


CANARY_LIMITS = Limits(wall_seconds=60.0)  # ours: it ends at once, also where a model's programs may not take long


class Session:
    """One program whose blocks of code run one after another in the same names. A context: the program ends with it.

    A block that reaches a limit ends the program; a later block then fails with that as its reason. No restart: the
    names would be gone and the block would mean something else."""

    def __init__(self, connect: Callable[[str], socket.socket], limits: Limits, blocks: int) -> None:
        self._connect, self._limits, self._blocks, self._left = connect, limits, blocks, blocks
        self._over: ProgramRun | None = None
        self._channel: socket.socket | None = None

    def run(self, source: str) -> ProgramRun:
        """Run the next block to its end or to its limits. Raises ValueError for more blocks than were announced."""
        if self._left == 0:
            raise ValueError(f"the session was opened for {self._blocks} blocks")
        if self._over is not None:
            return self._over
        self._left -= 1
        try:
            channel = self._opened(source)
            wire.send(channel, {"source": source, "last": self._left == 0})
            answer = wire.receive(channel, self._limits.wall_seconds + GRACE_SECONDS)
        except ServerFailed as error:
            self._over = _failed(str(error))
            return self._over
        except OSError:
            answer = None
        if answer is None:
            self._over = _failed("the guard of the program ended or did not answer")
            return self._over
        ended = answer.pop("ended")
        run = ProgramRun(**answer)
        if ended:
            self._over = ProgramRun(ERROR, "", f"the session had ended: {run.status}", 0.0)
        return run

    def _opened(self, source: str) -> socket.socket:
        """The connection to the program, started for its first block."""
        if self._channel is None:
            self._channel = self._connect(source)
            wire.send(self._channel, asdict(self._limits) | {"blocks": self._blocks})
        return self._channel

    def close(self) -> None:
        """End the program."""
        if self._channel is not None:
            self._channel.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Sandbox:
    """Runs programs on this machine. A context; the server starts with the first program, in a second or less.

    Programs that name SymPy go to a server that has it loaded: they pay a fork of it instead of its import. Raises
    ConfigError at the start where the machine isolates less than `min_isolation`."""

    def __init__(self, limits: Limits, *, workers: int = 1, min_isolation: str = "L0") -> None:
        self.limits, self.workers, self.min_isolation = limits, workers, min_isolation
        self._servers: dict[str, Server] = {}
        self._lock = threading.Lock()
        self._checked = False

    def run(self, source: str) -> ProgramRun:
        """Run one program to its end or to its limits. Tried twice when the sandbox fails: a neighbour may have."""
        self.start()
        run = self._run_once(source, self.limits)
        return self._run_once(source, self.limits) if run.status == SANDBOX_FAILED else run

    def run_all(self, sources: Sequence[str]) -> list[ProgramRun]:
        """Run a batch of programs, `workers` at a time, after the canary; the results in the order of the sources.

        Where the canary gets further than it did at the start, no program is run: each is a failure of the sandbox."""
        return self.batch([partial(self.run, source) for source in sources])

    def batch(self, calls: Sequence[Callable[[], ProgramRun]]) -> list[ProgramRun]:
        """`run_all` for any calls that run one program or one block of a session each, a session at most once."""
        if not calls:
            return []
        self.start()
        now = self.isolation()
        if now.level < isolation().level:
            return [_failed(f"the canary got out: {now.line()}")] * len(calls)
        with ThreadPoolExecutor(min(self.workers, len(calls))) as pool:
            return list(pool.map(lambda call: call(), calls))

    def session(self, blocks: int) -> Session:
        """A program that takes up to `blocks` blocks of code and keeps its names between them."""
        self.start()
        return Session(self._connect, self.limits, blocks)

    def isolation(self) -> Isolation:
        """What holds now, found out by a canary program that tries to get out."""
        with canary() as source:
            run = self._run_once(source, CANARY_LIMITS)
            if run.status != OK:  # once more: it may have been the machine
                run = self._run_once(source, CANARY_LIMITS)
        held = held_parts(run.stdout) if run.status == OK else ()
        refused = {} if self._servers.get("") is None else self._servers[""].refused
        if run.status != OK:
            refused = refused | {"canary": f"{run.status}: {run.error}"}
        return Isolation(level_of(held), held, refused)

    def _run_once(self, source: str, limits: Limits) -> ProgramRun:
        with Session(self._connect, limits, 1) as session:
            return session.run(source)

    def _connect(self, source: str) -> socket.socket:
        """A connection to a new program; one whose first block names SymPy is forked where that is loaded."""
        return self._server("sympy" if "sympy" in source else "").connect()

    def _server(self, preload: str) -> Server:
        """The server that has `preload` loaded; one that is gone is started anew."""
        with self._lock:
            server = self._servers.get(preload)
            if server is not None and server.process.poll() is not None:
                server.stop()
                server = None
            if server is None:
                server = self._servers[preload] = Server(preload)
        return server

    def start(self) -> None:
        """Raise ConfigError where the machine isolates less than asked for. Also done before the first program."""
        if not self._checked:
            require_isolation(self.min_isolation)
            self._checked = True

    def close(self) -> None:
        """End the servers and with them every program."""
        with self._lock:
            for server in self._servers.values():
                server.stop()
            self._servers.clear()

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def run_program(source: str, limits: Limits) -> ProgramRun:
    """Run one program. Many are much cheaper through `run_programs`."""
    with Sandbox(limits) as sandbox:
        return sandbox.run(source)


def run_programs(sources: Sequence[str], limits: Limits, workers: int = 1) -> list[ProgramRun]:
    """Run programs, `workers` at a time, after the canary; the results in the order of the sources."""
    with Sandbox(limits, workers=workers) as sandbox:
        return sandbox.run_all(sources)


@cache
def isolation() -> Isolation:
    """What holds on this machine, measured once by the canary."""
    with Sandbox(Limits()) as sandbox:
        return sandbox.isolation()


def isolation_level() -> str:
    """The level that programs get on this machine, L0 to L3."""
    return isolation().level


def require_isolation(minimum: str) -> Isolation:
    """What holds on this machine. Raises ConfigError in one line where that is less than `minimum`."""
    found = isolation()
    if found.level < minimum:
        raise ConfigError(
            f"this machine isolates programs at {found.line()}; sandbox.min_isolation is {minimum}: allow user "
            "namespaces, run as root, or set it lower"
        )
    return found


def _failed(reason: str) -> ProgramRun:
    return ProgramRun(SANDBOX_FAILED, "", reason, 0.0)
