"""Landlock: a program's list of allowed files, without root. Linux 5.13 and later; more is cut off by later ones."""

import contextlib
import os
import struct
from collections.abc import Sequence

from commons.sandbox_far import kernel

CREATE_RULES, ADD_RULE, RESTRICT = 444, 445, 446  # the same numbers on every machine
READ_AND_RUN, READ_FILE, READ_WRITE_FILE = 0b1101, 0b100, 0b110
FIRST_RIGHTS = (1 << 13) - 1
LATER_RIGHTS = ((2, 13), (3, 14), (5, 15))  # since which version: moving between folders, truncating, device control
TCP_BIND_AND_CONNECT, SOCKETS_AND_SIGNALS = 0b11, 0b11


def version() -> int:
    """The version that the kernel offers; 0 for none."""
    return max(0, kernel.libc.syscall(CREATE_RULES, None, 0, 1))


def restrict(readable: Sequence[str], folder: str) -> None:
    """This process and its children read `readable`, read and write in `folder`, and open nothing else.

    From version 4 on also no TCP, from version 6 on no signal and no abstract socket to a process outside."""
    offered = version()
    if offered < 1:
        raise OSError("Landlock: the kernel has none")
    handled = FIRST_RIGHTS
    for since, right in LATER_RIGHTS:
        handled |= (1 << right) if offered >= since else 0
    attributes = struct.pack("QQQ", handled, TCP_BIND_AND_CONNECT, SOCKETS_AND_SIGNALS)
    size = 24 if offered >= 6 else 16 if offered >= 4 else 8
    rules = kernel.check(kernel.libc.syscall(CREATE_RULES, attributes, size, 0), "Landlock")
    rights = dict.fromkeys(readable, READ_AND_RUN) | {folder: handled, "/dev/null": READ_WRITE_FILE}
    for path, allowed in (rights | dict.fromkeys(("/dev/urandom", "/dev/random"), READ_FILE)).items():
        with contextlib.suppress(FileNotFoundError, PermissionError):
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            allowed &= handled if os.path.isdir(path) else 0b111
            kernel.libc.syscall(ADD_RULE, rules, 1, struct.pack("=Qi", allowed, descriptor), 0)
            os.close(descriptor)
    kernel.check(kernel.libc.syscall(RESTRICT, rules, 0), "Landlock")
    os.close(rules)
