"""SymPy in a process that may be killed: for what random points cannot decide. No text reaches it, only trees.

One child answers one question after another; one that is silent beyond the limit, or that takes too much memory, is
killed and the next question starts a new one. Works from any thread; no signals."""

import contextlib
import multiprocessing as mp
import os
import resource
import sys
import threading
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any

from commons.answers.trees import Tree

START_SECONDS = 60.0
MEMORY_BYTES = 1 << 30


class SymbolicTimeout(TimeoutError):
    """SymPy did not decide in time, or its process ended: the verdict is `timed out`, not `wrong`."""


class SymbolicFailed(RuntimeError):
    """The SymPy process could not be started, or SymPy itself failed: a grader error, no word about the answer."""


class Symbolic:
    """A worker for `equal`. A context; the process starts with the first question."""

    def __init__(self, seconds: float = 3.0, memory_bytes: int = MEMORY_BYTES) -> None:
        self.seconds, self.memory_bytes = seconds, memory_bytes
        self.lock = threading.Lock()
        self.process: BaseProcess | None = None
        self.pipe: Connection | None = None

    def equal(self, one: Tree, other: Tree) -> bool:
        """Whether SymPy simplifies the difference to 0. Raises SymbolicTimeout and SymbolicFailed."""
        with self.lock:
            pipe = self._started()
            try:
                pipe.send((one, other))
                if pipe.poll(self.seconds):
                    answer = pipe.recv()
                    if isinstance(answer, str):
                        raise SymbolicFailed(f"SymPy failed: {answer}")
                    if answer is not None:
                        return bool(answer)
            except (EOFError, ConnectionError):
                pass
            self.close()
        raise SymbolicTimeout(f"SymPy did not decide within {self.seconds:g} s and {self.memory_bytes >> 20} MB")

    def _started(self) -> Connection:
        if self.pipe is not None and self.process is not None and self.process.is_alive():
            return self.pipe
        spawn = mp.get_context("spawn")  # a fork would copy the trainer with its threads
        self.pipe, there = spawn.Pipe()
        self.process = spawn.Process(target=serve, args=(there, self.memory_bytes), daemon=True)
        self.process.start()
        there.close()
        if not self.pipe.poll(START_SECONDS):
            self.close()
            raise SymbolicFailed("the SymPy process did not start")
        try:
            self.pipe.recv()
        except EOFError as error:
            self.close()
            raise SymbolicFailed("the SymPy process ended at its start") from error
        return self.pipe

    def close(self) -> None:
        """Ends the process."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
        if self.pipe is not None:
            self.pipe.close()
        self.process = self.pipe = None

    def __enter__(self) -> "Symbolic":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def serve(pipe: Connection, memory_bytes: int) -> None:
    """The child: imports SymPy, bounds its own memory, answers."""
    import sympy

    if sys.platform == "linux":
        with open("/proc/self/statm", encoding="ascii") as file:
            limit = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE") + memory_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    with contextlib.suppress(EOFError, ConnectionError):
        pipe.send("started")
        while True:
            one, other = pipe.recv()
            pipe.send(_equal(sympy, one, other))


def _equal(sympy: Any, one: Tree, other: Tree) -> bool | str | None:
    """The answer, None when memory ran out, or the words of an error."""
    try:
        return bool(sympy.simplify(to_sympy(sympy, one) - to_sympy(sympy, other)) == 0)
    except MemoryError:
        return None
    except Exception as error:  # noqa: BLE001  # foreign code on hostile input: a failure is no "not equal"
        return f"{type(error).__name__}: {error}"


def to_sympy(sympy: Any, tree: Tree) -> Any:
    """The tree as a SymPy expression, built node by node: nothing is parsed."""
    args = [to_sympy(sympy, arg) for arg in tree.args]
    if tree.op == "number":
        return sympy.Rational(tree.value.numerator, tree.value.denominator)
    if tree.op == "symbol":
        return sympy.Symbol(tree.name)
    if tree.op == "constant":
        return {"pi": sympy.pi, "e": sympy.E, "i": sympy.I, "oo": sympy.oo}[tree.name]
    if tree.op == "call":
        return sympy.Function(tree.name)(*args)
    if tree.op == "function":
        names = {"ln": "log", "abs": "Abs", "ceil": "ceiling", "binom": "binomial", "conj": "conjugate"}
        names |= {"max": "Max", "min": "Min"}
        return getattr(sympy, names.get(tree.name, tree.name))(*args)
    if tree.op == "neg":
        return -args[0]
    if tree.op == "/":
        return args[0] / args[1]
    if tree.op == "^":
        return sympy.Pow(args[0], args[1])
    return (sympy.Add if tree.op == "+" else sympy.Mul)(*args)
