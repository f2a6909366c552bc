"""A filter of system calls (seccomp): what no calculation needs and what reaches out of the sandbox is refused.

A list of refusals, not of permissions: NumPy and SymPy use many calls, and other layers hold what this one misses."""

import ctypes
import os
import struct
from functools import cache

from commons.sandbox_far import kernel

MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}  # name of the calls' table for the kernel; column
REFUSED = {  # number on x86_64, on aarch64
    "socket": (41, 198), "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kcmp": (312, 272), "pidfd_getfd": (438, 438), "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40),
    "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "quotactl": (179, 60), "acct": (163, 89),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266), "syslog": (103, 116),
    "personality": (135, 92), "fanotify_init": (300, 262), "shmget": (29, 194), "semget": (64, 190),
    "msgget": (68, 186), "mq_open": (240, 180), "memfd_secret": (447, 447),
}  # fmt: skip
CLONE, CLONE3 = (56, 220), (435, 435)
SIGNALS = {"kill": (62, 129), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240)}
SIGNALS_BY_THREAD = {"tkill": (200, 130), "pidfd_send_signal": (424, 424)}

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, MACHINE, FIRST_ARGUMENT = 0, 4, 16  # offsets in what the kernel shows of a call
ALLOW, REFUSE, NOT_THERE, KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000  # EPERM; ENOSYS


@cache  # the server makes it before it forks
def instructions(machine: str, *, own_signals_only: int | None) -> bytes:
    """The filter's program for a machine. With a pid, signals go to that process alone.

    Raises OSError for a machine whose call numbers are not known here."""
    if machine not in MACHINES:
        raise OSError(f"system call filter: the numbers of {machine} are not known")
    name, column = MACHINES[machine]
    refused = {numbers[column] for numbers in REFUSED.values()}
    code = [(LOAD, 0, 0, MACHINE), (EQUAL, 1, 0, name), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    if machine == "x86_64":
        code += [(AT_LEAST, 0, 1, 0x40000000), (RETURN, 0, 0, REFUSE)]  # a second table of the same calls
    if own_signals_only is not None:
        refused |= {numbers[column] for numbers in SIGNALS_BY_THREAD.values()}
    for number in sorted(refused):
        code += [(EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE)]
    code += [(EQUAL, 0, 1, CLONE3[column]), (RETURN, 0, 0, NOT_THERE)]  # its flags cannot be seen; libc takes clone
    code += [(EQUAL, 0, 4, CLONE[column]), (LOAD, 0, 0, FIRST_ARGUMENT), (ANY_BIT, 0, 1, kernel.NEW_ANY)]
    code += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    if own_signals_only is not None:
        for numbers in SIGNALS.values():
            code += [(EQUAL, 0, 4, numbers[column]), (LOAD, 0, 0, FIRST_ARGUMENT), (EQUAL, 1, 0, own_signals_only)]
            code += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    code += [(RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("HBBI", *one) for one in code)


def install(code: bytes) -> None:
    """Put this process and its children under a filter, for good. Needs that no new privileges can be gained."""
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    kernel.check(kernel.libc.prctl(kernel.SET_FILTER, 2, program, 0, 0), "system call filter")


def for_this_machine(*, own_signals_only: int | None) -> bytes:
    """`instructions` for the machine that this runs on."""
    return instructions(os.uname().machine, own_signals_only=own_signals_only)
