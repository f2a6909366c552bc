"""In the process of a model-written program: give up every right, then run its blocks of code one after another."""

import builtins
import contextlib
import os
import random
import resource
import site
import struct
import sys
import threading
import traceback
import types
from typing import Any, NoReturn

from commons.sandbox_far import filter as call_filter
from commons.sandbox_far import kernel, landlock
from commons.sandbox_far.namespaces import NOBODY, Setting, readable

BLOCKS_IN, STATUS_OUT = 3, 4  # descriptors: blocks of source come in, one byte for each block goes out
ENDED = {"ok": b"o", "error": b"e", "memory": b"m"}
OPEN_FILES = 64
EVERY_PROCESS = 64  # where a user's processes are counted together, whoever started them


def live(setting: Setting, limits: dict[str, Any], folder: str, descriptors: tuple[int, ...]) -> NoReturn:
    """Become the program: standard input is empty, the four `descriptors` are output, error, blocks and statuses."""
    try:
        os.setsid()  # a signal to the own group, which in a pid namespace parent 0 stands for, reaches nobody else
        take_descriptors(descriptors)
        os.chdir(folder)
        give_up_rights(setting, limits, folder)
        forget_this_project()
        random.seed(0)  # the same program prints the same
        names = fresh_names()
        while (source := read_block()) is not None:
            status = run_block(source, names)
            try:
                os.write(STATUS_OUT, ENDED[status])
            except OSError:  # the program closed it
                os._exit(0 if status == "ok" else 1)
    except BaseException:  # noqa: BLE001 - the boundary to foreign code
        with contextlib.suppress(BaseException):
            os.write(2, traceback.format_exc().encode("utf-8", "replace"))
        os._exit(70)
    os._exit(0)


def take_descriptors(descriptors: tuple[int, ...]) -> None:
    """Standard input, output, error, blocks and statuses as 0 to 4; every other descriptor is closed."""
    moved = [os.dup(descriptor) for descriptor in (os.open("/dev/null", os.O_RDONLY), *descriptors)]
    high = [os.dup(one) for one in moved]  # above all of 0 to 4, whatever numbers they had
    while min(high) <= STATUS_OUT:
        high = [os.dup(one) for one in high]
    for wanted, descriptor in enumerate(high):
        os.dup2(descriptor, wanted, inheritable=wanted < BLOCKS_IN)
    os.closerange(STATUS_OUT + 1, os.sysconf("SC_OPEN_MAX"))


def give_up_rights(setting: Setting, limits: dict[str, Any], folder: str) -> None:
    """Resource limits, the user nobody, no capabilities, no new privileges, no files but Python's and `folder`."""
    alone = setting.own_users
    if os.getuid() == 0 and not alone:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        set_limits(limits, alone=False)  # before the user changes: root's own count of processes does not stop it
        os.setresuid(NOBODY, NOBODY, NOBODY)
    else:
        set_limits(limits, alone=alone)
    kernel.drop_capabilities()
    kernel.control(kernel.NO_NEW_PRIVILEGES, 1)
    kernel.control(kernel.DIE_WITH_PARENT, 9)
    scoped = setting.own_namespaces or landlock.version() >= 6
    with contextlib.suppress(OSError):  # what is refused here is found out by the canary (commons.sandbox_levels)
        landlock.restrict(readable(), folder)
    with contextlib.suppress(OSError):
        call_filter.install(call_filter.for_this_machine(own_signals_only=None if scoped else os.getpid()))


def set_limits(limits: dict[str, Any], *, alone: bool) -> None:
    """The limits of the kernel, soft and hard alike; none above what this process itself may use."""
    processes = limits["processes"] + 1 if alone else EVERY_PROCESS  # its guard is counted too
    for name, value in (
        (resource.RLIMIT_CPU, limits["cpu_seconds"] * limits["blocks"] + 1),  # the guard counts each block's
        (resource.RLIMIT_AS, limits["memory_bytes"]),
        (resource.RLIMIT_FSIZE, limits["file_bytes"]),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(name)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (value, value))


def forget_this_project() -> None:
    """The modules of the far side are not there for the program to import."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "commons"]:
        del sys.modules[name]


def fresh_names() -> dict[str, Any]:
    """The names of a new main module, with `exit` and `quit`, which an interpreter started with -S lacks."""
    site.setquit()
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = builtins
    sys.modules["__main__"] = main
    return main.__dict__


def read_block() -> str | None:
    """The source of the next block; None when there is none to come."""
    head = os.read(BLOCKS_IN, 4)
    if len(head) < 4:
        return None
    wanted, body = struct.unpack("!I", head)[0], b""
    while len(body) < wanted:
        body += os.read(BLOCKS_IN, wanted - len(body))
    return body.decode("utf-8", "surrogatepass")


def run_block(source: str, names: dict[str, Any]) -> str:
    """Execute a block in the names that earlier ones left: how it ended. Its traceback goes to standard error."""
    try:
        exec(compile(source, "program.py", "exec"), names)
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
        return "ok"
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return "error" if end.code else "ok"
        os.write(2, str(end.code).encode("utf-8", "replace"))
        return "error"
    except MemoryError:
        return "memory"
    except BaseException as error:  # noqa: BLE001 - the boundary to foreign code
        own = error.__traceback__.tb_next if error.__traceback__ else None  # without this function's line
        lines = traceback.format_exception(type(error), error, own)
        os.write(2, "".join(lines).encode("utf-8", "replace"))
        return "error"
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
