"""System calls for which Python 3.11 has no names. Each raises OSError with the name of the call that was refused."""

import ctypes
import os
import struct
import time

NEW_MOUNTS, NEW_UTS, NEW_IPC, NEW_USER, NEW_PIDS, NEW_NET = 0x20000, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30
NEW_ANY = NEW_MOUNTS | NEW_UTS | NEW_IPC | NEW_USER | NEW_PIDS | NEW_NET | 0x02000000  # the last: control groups
DIE_WITH_PARENT, DUMPABLE, GET_FILTER, SET_FILTER, CHILD_SUBREAPER, NO_NEW_PRIVILEGES = 1, 4, 21, 22, 36, 38
PRIVATE_RECURSIVE, BIND_RECURSIVE, BIND_AGAIN, READ_ONLY, DETACH = 0x44000, 0x5000, 0x1020, 0x1, 2
NO_SUID_NO_DEVICES = 0x6
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}.get(os.uname().machine)

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, call: str) -> int:
    """The result of a C call, or OSError when it is negative."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def control(option: int, value: int) -> int:
    """`prctl` with one value."""
    return check(libc.prctl(option, value, 0, 0, 0), "prctl")


def unshare(flags: int) -> None:
    """New namespaces for this process; of pids for its next child."""
    check(libc.unshare(flags), "unshare")


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """Mount, bind or change a mount."""
    texts = [None if text is None else text.encode() for text in (source, target, kind, options)]
    check(libc.mount(*texts[:3], ctypes.c_ulong(flags), texts[3]), f"mount on {target}")


def pivot_root() -> None:
    """The working folder, a mount, becomes the root; the old root is gone for this mount namespace."""
    if PIVOT_ROOT is None:
        raise OSError("pivot_root: its number is not known on this machine")
    check(libc.syscall(PIVOT_ROOT, b".", b"."), "pivot_root")
    check(libc.umount2(b".", DETACH), "umount2")
    os.chdir("/")


def drop_capabilities() -> None:
    """Give up every capability of this process."""
    libc.capset(struct.pack("Ii", 0x20080522, 0), bytes(24))


def cpu_seconds(process: int) -> float:
    """Processor time of a process of this pid namespace, without /proc: the clock's number is made of the pid's."""
    return time.clock_gettime((~process << 3) | 2)
