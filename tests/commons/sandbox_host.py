"""Runs Python code on a machine that gives less: as a plain user, without namespaces, without Landlock.

    python tests/commons/sandbox_host.py CODE [plain-user] [no-user-namespaces] [no-namespaces] [no-landlock]

What is refused is refused by a filter of system calls, as a container's does it."""

import os
import struct
import sys
from pathlib import Path

from commons.sandbox_far import filter as call_filter
from commons.sandbox_far import kernel

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534


def open_the_way() -> None:
    """In mounts of its own, as root: the interpreter and this repository can be reached by every user."""
    wanted = [Path(sys.base_prefix).resolve(), Path(sys.prefix), ROOT]
    closed = {next((one for one in reversed(path.parents) if not one.stat().st_mode & 1), None) for path in wanted}
    kernel.unshare(kernel.NEW_MOUNTS)
    found = {path: os.open(path, os.O_PATH) for path in wanted}
    kernel.mount(None, "/", None, kernel.PRIVATE_RECURSIVE)
    for folder in closed - {None}:
        kernel.mount("tmpfs", str(folder), "tmpfs", 0, "mode=0755")
        for path in wanted:
            if path.is_relative_to(folder):
                path.mkdir(parents=True, exist_ok=True)
                kernel.mount(f"/proc/self/fd/{found[path]}", str(path), None, kernel.BIND_RECURSIVE)


def refuse(what: list[str]) -> None:
    """Refuse system calls from here on: `unshare` with the flags named, making a Landlock list."""
    machine = os.uname().machine
    unshare = call_filter.REFUSED["unshare"][call_filter.MACHINES[machine][1]]
    bits = kernel.NEW_USER if "no-namespaces" not in what else kernel.NEW_ANY
    code = [(call_filter.LOAD, 0, 0, call_filter.NUMBER)]
    if "no-landlock" in what:
        code += [(call_filter.EQUAL, 0, 1, 444), (call_filter.RETURN, 0, 0, call_filter.NOT_THERE)]
    if "no-namespaces" in what or "no-user-namespaces" in what:
        code += [(call_filter.EQUAL, 0, 3, unshare), (call_filter.LOAD, 0, 0, call_filter.FIRST_ARGUMENT)]
        code += [(call_filter.ANY_BIT, 0, 1, bits), (call_filter.RETURN, 0, 0, call_filter.REFUSE)]
    code += [(call_filter.RETURN, 0, 0, call_filter.ALLOW)]
    kernel.control(kernel.NO_NEW_PRIVILEGES, 1)
    call_filter.install(b"".join(struct.pack("HBBI", *one) for one in code))


if __name__ == "__main__":
    source, *what = sys.argv[1:]
    if "plain-user" in what and os.getuid() == 0:
        open_the_way()
        os.chdir("/")
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    if set(what) - {"plain-user"}:
        refuse(what)
    os.execv(sys.executable, [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{source}"])
