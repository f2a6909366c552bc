"""The far side of `commons.sandbox`: reads programs from standard input, runs each in a fresh isolated child.

A script, started with its own interpreter and an empty environment; it imports nothing of this project. Three
processes: the server (this file's `serve`) forks a guard for each program; the guard makes the namespaces and the
empty folder, forks the program, collects what it prints and kills it at its time limit. Only the program's process
runs foreign code. What the kernel refuses is left out: `commons.sandbox.isolation_level` finds out what holds."""

import contextlib
import ctypes
import importlib
import json
import os
import random
import resource
import select
import shutil
import signal
import struct
import sys
import time
import traceback
from typing import Any, NoReturn

# loaded once here: a program that imports them pays nothing, and finds them even where it may not read their files
PRELOADED = "bisect cmath collections copy datetime decimal fractions heapq itertools math operator re statistics"
for name in PRELOADED.split():
    importlib.import_module(name)

Request = dict[str, Any]

NOBODY = 65534
MEMORY_EXIT = 77  # exit code of a program that ran out of memory
NEW_MOUNTS, NEW_UTS, NEW_IPC, NEW_USER, NEW_PIDS, NEW_NET = 0x20000, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30
PRIVATE_RECURSIVE, BIND_RECURSIVE, READ_ONLY_AGAIN, NO_SUID_NO_DEVICES, DETACH = 0x44000, 0x5000, 0x1021, 0x6, 2
DIE_WITH_PARENT, CHILD_SUBREAPER, NO_NEW_PRIVILEGES = 1, 36, 38
READ_AND_RUN, READ_WRITE_FILE = 0b1101, 0b110  # Landlock rights: execute, read file, read folder; write and read file

libc = ctypes.CDLL(None, use_errno=True)


def serve(folder: str) -> None:
    """Run one program per request, a 4-byte length and JSON, until the other side closes the pipe."""
    os.umask(0o022)
    expose_libraries(folder)
    count = 0
    while len(head := read_exactly(0, 4)) == 4:
        request = json.loads(read_exactly(0, struct.unpack("!I", head)[0]))
        count += 1
        inside = os.path.join(folder, str(count))
        reader, writer = os.pipe()
        guard = os.fork()
        if guard == 0:
            with contextlib.suppress(BaseException):
                os.close(reader)
                result = guard_program(request, inside)
                os.write(writer, json.dumps(result).encode())
            os._exit(0)
        os.close(writer)
        answer = read_exactly(reader, None)
        os.close(reader)
        os.waitpid(guard, 0)
        shutil.rmtree(inside, ignore_errors=True)
        os.write(1, struct.pack("!I", len(answer)) + answer)


def expose_libraries(folder: str) -> None:
    """As root: show Python's library folders below `folder`, where the user nobody can reach them, read-only.

    An interpreter below /root (pyenv) is closed to every other user. The mounts are seen by this process alone."""
    if os.getuid() != 0 or libc.unshare(NEW_MOUNTS) != 0 or libc.mount(None, b"/", None, PRIVATE_RECURSIVE, None) != 0:
        return
    exposed = {}
    for number, path in enumerate(path for path in sys.path if os.path.isdir(path)):
        target = os.path.join(folder, f"lib{number}")
        os.mkdir(target)
        if libc.mount(path.encode(), target.encode(), None, BIND_RECURSIVE, None) != 0:
            return
        libc.mount(None, target.encode(), None, READ_ONLY_AGAIN, None)
        exposed[path] = target
    sys.path[:] = exposed.values()
    for module in list(sys.modules.values()):  # packages that are loaded find their other parts at the new place too
        for old, new in exposed.items():
            if getattr(module, "__path__", None) and module.__path__[0].startswith(old + "/"):
                module.__path__ = [path.replace(old, new, 1) for path in module.__path__]
                break


def read_exactly(descriptor: int, wanted: int | None) -> bytes:
    """`wanted` bytes of a pipe, fewer when it ends; everything up to its end for None."""
    pieces = []
    while wanted is None or wanted > 0:
        piece = os.read(descriptor, 65536 if wanted is None else min(wanted, 65536))
        if not piece:
            break
        pieces.append(piece)
        wanted = None if wanted is None else wanted - len(piece)
    return b"".join(pieces)


def guard_program(request: Request, folder: str) -> dict[str, Any]:
    """Fork the program inside new namespaces and watch it to its end: how it ended and what it printed."""
    libc.prctl(DIE_WITH_PARENT, signal.SIGKILL)
    libc.prctl(CHILD_SUBREAPER, 1)  # where there is no pid namespace, runaways become children of this process
    os.mkdir(folder)
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    mounted = enter_namespaces() and mount_empty(folder, request["file_bytes"])
    out, err = os.pipe(), os.pipe()
    started = time.monotonic()
    program = os.fork()
    if program == 0:
        run_and_exit(request, folder, out[1], err[1])
    os.close(out[1])
    os.close(err[1])
    printed, limit_hit = collect(program, out[0], err[0], request, started + request["wall_seconds"])
    seconds = time.monotonic() - started
    _, status, usage = os.wait4(program, 0)
    kill_runaways()
    if mounted:
        libc.umount2(folder.encode(), DETACH)
    name, error = ending(status, usage, limit_hit, printed[err[0]], request)
    text = printed[out[0]].decode("utf-8", "replace")
    return {"status": name, "stdout": text, "error": error, "seconds": seconds}


def enter_namespaces() -> bool:
    """New network, pid, mount, ipc and host-name namespaces; without root inside a user namespace of its own."""
    flags = NEW_MOUNTS | NEW_UTS | NEW_IPC | NEW_PIDS | NEW_NET
    user, group = os.getuid(), os.getgid()
    if user == 0:
        return libc.unshare(flags) == 0
    if libc.unshare(flags | NEW_USER) != 0:
        return False
    for name, line in (("setgroups", "deny"), ("uid_map", f"{NOBODY} {user} 1"), ("gid_map", f"{NOBODY} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(line)
    return True


def mount_empty(folder: str, size_bytes: int) -> bool:
    """An empty file system in memory for what the program writes; it goes away with the namespace."""
    if libc.mount(None, b"/", None, PRIVATE_RECURSIVE, None) != 0:
        return False
    options = f"size={size_bytes},mode=0777".encode()
    return libc.mount(b"tmpfs", folder.encode(), b"tmpfs", NO_SUID_NO_DEVICES, options) == 0


def collect(
    program: int, out: int, err: int, request: Request, deadline: float
) -> tuple[dict[int, bytearray], str | None]:
    """Read both pipes until the program ended, the time is up or too much was printed; kills it in the latter two."""
    printed = {out: bytearray(), err: bytearray()}
    ended = os.pidfd_open(program)
    poll = select.poll()
    for descriptor in (out, err, ended):
        poll.register(descriptor, select.POLLIN)
    limit_hit = None
    while limit_hit is None:
        left = deadline - time.monotonic()
        ready = {descriptor for descriptor, _ in poll.poll(max(0, left * 1000))}
        for descriptor in ready - {ended}:
            piece = os.read(descriptor, 65536)
            printed[descriptor] += piece
            if not piece:
                poll.unregister(descriptor)
        if ready == {ended}:
            break  # and both pipes are empty or closed; one that a runaway holds open is not waited for
        if max(map(len, printed.values())) > request["output_bytes"]:
            limit_hit = "too much output"
        elif left <= 0:
            limit_hit = "timed out"
    if limit_hit is not None:
        os.kill(program, signal.SIGKILL)  # a direct child that was not waited for: its number is still its own
    for buffer in printed.values():
        del buffer[request["output_bytes"] :]
    return printed, limit_hit


def kill_runaways() -> None:
    """Kill what the program left behind. With a pid namespace there is nothing: it died with the program."""
    for _ in range(1000):
        try:
            with open(f"/proc/self/task/{os.getpid()}/children") as file:
                children = [int(child) for child in file.read().split()]
            for child in children:
                os.kill(child, signal.SIGKILL)
            os.waitpid(-1, 0)
        except (OSError, ProcessLookupError):
            return


def ending(
    status: int, usage: resource.struct_rusage, limit_hit: str | None, printed_error: bytearray, request: Request
) -> tuple[str, str]:
    """The name of how the program ended, and its error text."""
    text = printed_error.decode("utf-8", "replace").strip()
    if limit_hit is not None:
        return limit_hit, text
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        used = usage.ru_utime + usage.ru_stime
        if number in (signal.SIGXCPU, signal.SIGKILL) and used >= request["cpu_seconds"] - 0.1:
            return "timed out", text
        return "error", text or f"ended by signal {number}"
    code = os.WEXITSTATUS(status)
    return ("ok" if code == 0 else "memory" if code == MEMORY_EXIT else "error"), text


def run_and_exit(request: Request, folder: str, out: int, err: int) -> NoReturn:
    """In the program's own process: give up every right, then run the source. Never returns."""
    code = 70
    try:
        for wanted, descriptor in enumerate((os.open("/dev/null", os.O_RDONLY), out, err)):
            os.dup2(descriptor, wanted)
        os.closerange(3, 4096)
        os.chdir(folder)
        give_up_rights(request, folder)
        random.seed(0)  # the same program prints the same
        code = run_source(request["source"])
    except BaseException:  # noqa: BLE001 - the boundary to foreign code
        os.write(2, traceback.format_exc().encode("utf-8", "replace"))
    os._exit(code)


def give_up_rights(request: Request, folder: str) -> None:
    """Resource limits, the user nobody, no capabilities, no new privileges, no files but Python's own and `folder`."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        set_limits(request)  # before the user changes: limits of root's own are not touched by that
        os.setresuid(NOBODY, NOBODY, NOBODY)
    else:
        set_limits(request)
    libc.capset(struct.pack("IiI", 0x20080522, 0, 0)[:8], bytes(24))
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.prctl(DIE_WITH_PARENT, signal.SIGKILL)
    restrict_files(folder)


def set_limits(request: Request) -> None:
    """The limits of the kernel, soft and hard alike; none above what this process itself may use."""
    for name, value in (
        (resource.RLIMIT_CPU, request["cpu_seconds"]),
        (resource.RLIMIT_AS, request["memory_bytes"]),
        (resource.RLIMIT_FSIZE, request["file_bytes"]),
        (resource.RLIMIT_NPROC, request["processes"]),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(name)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (value, value))


def restrict_files(folder: str) -> bool:
    """Landlock: read Python and its libraries, read and write in `folder`, nothing else. False where there is none."""
    version = libc.syscall(444, None, 0, 1)
    if version < 1:
        return False
    handled = (1 << 13) - 1  # all of version 1; later versions add moving, truncating and device control
    for since, right in ((2, 13), (3, 14), (5, 15)):
        handled |= (1 << right) if version >= since else 0
    rules = libc.syscall(444, struct.pack("Q", handled), 8, 0)
    readable = [*sys.path, "/usr/lib", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo"]
    rights = dict.fromkeys(readable, READ_AND_RUN) | {folder: handled, "/dev/null": READ_WRITE_FILE}
    rights["/dev/urandom"] = 0b100
    for path, allowed in rights.items():
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_PATH)
            allowed &= handled if os.path.isdir(path) else 0b111
            libc.syscall(445, rules, 1, struct.pack("=Qi", allowed, descriptor), 0)
            os.close(descriptor)
    done = libc.syscall(446, rules, 0) == 0
    os.close(rules)
    return done


def run_source(source: str) -> int:
    """Execute the source as a main program: its exit code."""
    try:
        exec(compile(source, "program.py", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})
        return 0
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        os.write(2, str(end.code).encode("utf-8", "replace"))
        return 1
    except MemoryError:
        return MEMORY_EXIT
    except BaseException:  # noqa: BLE001 - the boundary to foreign code
        lines = traceback.format_exc().splitlines()
        os.write(2, "\n".join(line for line in lines if "sandbox_child" not in line).encode("utf-8", "replace"))
        return 1
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
