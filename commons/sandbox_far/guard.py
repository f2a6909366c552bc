"""The process that starts one program, watches each of its blocks, kills it at a limit and says how it ended."""

import contextlib
import os
import select
import signal
import socket
import struct
import time
from dataclasses import dataclass, field
from typing import Any, NoReturn

from commons.sandbox_far import kernel, wire
from commons.sandbox_far.namespaces import Setting, empty_folder, enter_for_program, remove_folder
from commons.sandbox_far.program import ENDED, live

NAMES = {byte[0]: name for name, byte in ENDED.items()}
TIMED_OUT, TOO_MUCH_OUTPUT = "timed out", "too much output"
RUNAWAY_KILLS = 1000


def watch_one_program(setting: Setting, channel: socket.socket) -> NoReturn:
    """Serve one connection: limits first, then blocks, each answered; the program is gone before the last answer."""
    with contextlib.suppress(BaseException):  # the near side reads the end of the connection as a failed sandbox
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        kernel.control(kernel.DIE_WITH_PARENT, signal.SIGKILL)
        kernel.control(kernel.CHILD_SUBREAPER, 1)  # where pids are shared, runaways become this process's children
        limits = wire.receive(channel)
        if limits is not None:
            serve_blocks(setting, channel, limits)
    os._exit(0)


def serve_blocks(setting: Setting, channel: socket.socket, limits: dict[str, Any]) -> None:
    """Start the program and pass blocks to it until the last, its end, or the end of the connection."""
    if setting.own_namespaces:
        enter_for_program(setting, users=setting.own_users)
    folder = empty_folder(setting, limits["file_bytes"])
    program = start(setting, limits, folder, channel)
    try:
        while not program.ended and (block := wire.receive(channel)) is not None:
            run = program.run(block["source"])
            if block["last"] or program.ended:
                leave_nothing(setting, program, folder)
            wire.send(channel, run | {"ended": program.ended})
    finally:
        leave_nothing(setting, program, folder)


def leave_nothing(setting: Setting, program: "Program", folder: str) -> None:
    """End the program, what it started and what it wrote. With namespaces of its own all that ends with it."""
    program.kill()
    if not setting.own_namespaces:
        kill_runaways()
        remove_folder(folder)


def start(setting: Setting, limits: dict[str, Any], folder: str, channel: socket.socket) -> "Program":
    """Fork the program's process."""
    pipes = [os.pipe() for _ in range(4)]
    (out, their_out), (err, their_err), (their_blocks, blocks), (statuses, their_statuses) = pipes
    process = os.fork()
    if process == 0:
        live(setting, limits, folder, (their_out, their_err, their_blocks, their_statuses))
    for descriptor in (their_out, their_err, their_blocks, their_statuses):
        os.close(descriptor)
    return Program(process, limits, channel, out, err, blocks, statuses)


@dataclass
class Program:
    """A running program, the pipes to it, and what the block that runs has printed so far."""

    process: int
    limits: dict[str, Any]
    channel: socket.socket
    out: int
    err: int
    blocks: int
    statuses: int
    ended: bool = False
    words: str = ""  # how it ended, for a program that left no error text of its own
    printed: dict[int, bytearray] = field(default_factory=dict)

    def run(self, source: str) -> wire.Message:
        """One block to its end or to its limits: status, output, error, seconds."""
        self.printed = {self.out: bytearray(), self.err: bytearray()}
        started = time.monotonic()
        self._signal(signal.SIGCONT)
        self._send(source)
        status = self._watch(started + self.limits["wall_seconds"])
        seconds = time.monotonic() - started
        if status in (TIMED_OUT, TOO_MUCH_OUTPUT):
            self.kill()
        elif status is None:
            status = self._how_it_ended()
        else:
            self._signal(signal.SIGSTOP)  # what it left running rests until the next block
        texts = [self.printed[pipe][: self.limits["output_bytes"]].decode("utf-8", "replace") for pipe in self.printed]
        return {"status": status, "stdout": texts[0], "error": texts[1].strip() or self.words, "seconds": seconds}

    def _send(self, source: str) -> None:
        body = source.encode("utf-8", "surrogatepass")
        with contextlib.suppress(BrokenPipeError):
            view = memoryview(struct.pack("!I", len(body)) + body)
            while view:
                view = view[os.write(self.blocks, view) :]

    def _watch(self, deadline: float) -> str | None:
        """Read what it prints until the block has a status; None when the process ended without one."""
        ended = os.pidfd_open(self.process)
        poll = select.poll()
        for descriptor in (self.out, self.err, self.statuses, ended):
            poll.register(descriptor, select.POLLIN)
        poll.register(self.channel, select.POLLRDHUP)
        cpu_deadline = kernel.cpu_seconds(self.process) + self.limits["cpu_seconds"]
        try:
            while True:
                cpu_left = cpu_deadline - kernel.cpu_seconds(self.process)
                left = min(deadline - time.monotonic(), cpu_left)
                if left <= 0:
                    return TIMED_OUT
                ready = {descriptor for descriptor, _ in poll.poll(left * 1000 + 1)}
                for pipe in ready & self.printed.keys():
                    self._read(pipe, poll)
                if any(len(text) > self.limits["output_bytes"] for text in self.printed.values()):
                    return TOO_MUCH_OUTPUT
                if self.channel.fileno() in ready:
                    return TIMED_OUT  # nobody waits for it any more
                if self.statuses in ready:
                    byte = os.read(self.statuses, 1)
                    if byte:
                        self._drain()
                        over = any(len(text) > self.limits["output_bytes"] for text in self.printed.values())
                        return TOO_MUCH_OUTPUT if over else NAMES.get(byte[0], "error")
                    poll.unregister(self.statuses)
                elif ready == {ended}:
                    return None  # and both pipes are empty or closed; one that a runaway holds open is not waited for
        finally:
            os.close(ended)

    def _read(self, pipe: int, poll: select.poll) -> None:
        piece = os.read(pipe, 65536)
        self.printed[pipe] += piece
        if not piece:
            poll.unregister(pipe)

    def _drain(self) -> None:
        """What was printed before the status came is all in the pipes."""
        for pipe, text in self.printed.items():
            os.set_blocking(pipe, False)
            with contextlib.suppress(BlockingIOError):
                while len(text) <= self.limits["output_bytes"] and (piece := os.read(pipe, 65536)):
                    text += piece
            os.set_blocking(pipe, True)

    def _how_it_ended(self) -> str:
        _, status, _ = os.wait4(self.process, 0)
        self.ended = True
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            self.words = f"ended by signal {number}"
            return TIMED_OUT if number == signal.SIGXCPU else "error"
        code = os.WEXITSTATUS(status)
        self.words = f"ended with exit code {code}" if code else ""
        return "error" if code else "ok"

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, number)  # a direct child that was not waited for: its number is still its own

    def kill(self) -> None:
        """End the process, and with a pid namespace all that it started."""
        if not self.ended:
            self._signal(signal.SIGKILL)
            os.waitpid(self.process, 0)
            self.ended = True


def kill_runaways() -> None:
    """Kill what the program left behind, in a pid namespace nothing."""
    for _ in range(RUNAWAY_KILLS):
        with contextlib.suppress(OSError):
            with open(f"/proc/self/task/{os.getpid()}/children") as file:
                children = [int(child) for child in file.read().split()]
            for child in children:
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return
