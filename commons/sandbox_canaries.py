"""A program that tries to get out: what it does not manage is what the sandbox holds. It runs before each batch.

Levels: L0 nothing holds; L1 own process and resource limits; L2 also no network and pids of its own; L3 also no
files outside of its empty folder but Python's own."""

import contextlib
import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

LEVELS = ("L0", "L1", "L2", "L3")
LIMITS, PIDS, NETWORK, FILES = "resource limits", "pids of its own", "no network", "no files"
USER, FILTER = "not root", "system call filter"
NEEDED = {"L1": (LIMITS,), "L2": (LIMITS, PIDS, NETWORK), "L3": (LIMITS, PIDS, NETWORK, FILES)}
PARTS = (LIMITS, USER, PIDS, NETWORK, FILES, FILTER)

SOURCE = """
import ctypes, os, resource, socket
def refused(attempt):
    try:
        attempt()
        return False
    except OSError:
        return True
def connect():
    with socket.socket() as attempt:
        attempt.settimeout(1)
        attempt.connect(("127.0.0.1", {port}))
held = {{
    "resource limits": resource.getrlimit(resource.RLIMIT_AS)[1] > 0 and resource.getrlimit(resource.RLIMIT_CPU)[1] > 0,
    "not root": os.getuid() != 0,
    "pids of its own": os.getpid() == 1,
    "no network": refused(connect),
    "no files": all(map(refused, [lambda: open({file!r}).read(), lambda: open({file!r}, "a"),
                                  lambda: os.listdir({folder!r}), lambda: open({folder!r} + "/new", "w")])),
    "system call filter": ctypes.CDLL(None).prctl(21, 0, 0, 0, 0) == 2,
}}
print(",".join(name for name in held if held[name]))
"""


@contextlib.contextmanager
def canary() -> Iterator[str]:
    """The program's source; while it runs there are a file that anyone may read and write and a port that answers."""
    with tempfile.TemporaryDirectory(prefix="canary-") as folder, socket.create_server(("127.0.0.1", 0)) as listener:
        os.chmod(folder, 0o777)
        file = Path(folder) / "canary"
        file.write_text("seen", encoding="utf-8")
        file.chmod(0o666)
        yield SOURCE.format(port=listener.getsockname()[1], file=str(file), folder=folder)


def held_parts(printed: str) -> tuple[str, ...]:
    """What the canary's output says is held, in the order of PARTS."""
    said = set(printed.strip().split(","))
    return tuple(part for part in PARTS if part in said)


def level_of(parts: tuple[str, ...]) -> str:
    """The highest level all of whose parts are held."""
    return max((level for level, needed in NEEDED.items() if set(needed) <= set(parts)), default="L0")
