"""The far side of `commons.sandbox`: a fresh interpreter that isolates itself and forks a guard for each program.

Started by `commons.sandbox_server` with an empty environment. Its libraries are loaded once (with `preload` SymPy
too), so that a program costs two forks and no import. Its standard input is a socket; each message on it carries one
end of a connection that the guard of one program serves."""

import gc
import importlib
import os
import signal
import socket
import sys
from collections.abc import Sequence

from commons.sandbox_far import filter as call_filter
from commons.sandbox_far import guard, landlock, namespaces, wire

# a program that imports them pays nothing, and finds them even where it may not read their files
PRELOADED = "bisect cmath collections copy datetime decimal fractions heapq itertools json math operator re statistics"


def main(folder: str, libraries: Sequence[str], preload: str) -> None:
    """Isolate, load, say what was refused, then fork a guard per connection until the near side is gone."""
    os.umask(0o022)
    near = socket.socket(fileno=os.dup(0))
    own = sys.path[0]
    sys.path[:] = [path for path in (*sys.path[1:], *libraries) if os.path.isdir(path) and path != own]
    setting = namespaces.enter(folder)
    for name in (*PRELOADED.split(), *preload.split()):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # the collector of a child does not touch, and so copy, what all share
    wire.send(near, {"own_root": setting.own_root, "refused": setting.refused | missing(setting)})
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # guards are reaped by the kernel
    while (received := socket.recv_fds(near, 1, 1))[0]:
        for descriptor in received[1]:
            if os.fork() == 0:
                near.close()
                os.close(0)
                guard.watch_one_program(setting, socket.socket(fileno=descriptor))
            os.close(descriptor)


def missing(setting: namespaces.Setting) -> dict[str, str]:
    """Which other parts there are not, and why."""
    found = {} if landlock.version() else {"Landlock": "the kernel has none"}
    try:
        call_filter.for_this_machine(own_signals_only=None)
    except OSError as error:
        found["system call filter"] = str(error)
    closed = [path for path in sys.path if not namespaces.open_to_all(path)]
    if os.getuid() == 0 and not setting.own_root and closed:
        found["imports"] = f"{closed[0]} is closed to other users: programs have {PRELOADED} alone"
    return found
