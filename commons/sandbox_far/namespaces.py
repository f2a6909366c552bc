"""What the kernel gives to keep programs apart from the machine: users, pids, network, mounts, a root of their own.

The server enters its namespaces once; each program gets pids, inter-process objects, mounts and a user namespace of
its own below them. What is refused is left out and said: a container often refuses user namespaces."""

import contextlib
import os
import shutil
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from commons.sandbox_far import kernel

NOBODY = 65534
SERVER_PARTS = kernel.NEW_MOUNTS | kernel.NEW_UTS | kernel.NEW_IPC | kernel.NEW_NET
PROGRAM_PARTS = kernel.NEW_MOUNTS | kernel.NEW_IPC | kernel.NEW_PIDS
PROGRAM_FOLDER = "/program"  # the one that a program starts in, where there is a root of its own
SYSTEM_FOLDERS = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo")
SYSTEM_FILES = ("/etc/ld.so.cache", "/dev/null", "/dev/urandom", "/dev/random", "/dev/zero")


@dataclass
class Setting:
    """Where programs run: the folder they start in, and which namespaces they get.

    `refused` maps the name of a part to why the kernel gives none."""

    folder: str
    proc: int  # a descriptor of /proc as it was outside
    own_root: bool = False
    own_namespaces: bool = False
    own_users: bool = False
    refused: dict[str, str] = field(default_factory=dict)


def enter(folder: str) -> Setting:
    """Isolate this process as far as the kernel lets it. `folder` is empty and outside."""
    setting = Setting(folder, os.open("/proc", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    user, group = os.getuid(), os.getgid()
    try:
        kernel.unshare(SERVER_PARTS if user == 0 else SERVER_PARTS | kernel.NEW_USER)
        if user != 0:
            write_maps(setting.proc, user, group)
        kernel.mount(None, "/", None, kernel.PRIVATE_RECURSIVE)
        setting.own_namespaces = True
    except OSError as error:
        setting.refused["namespaces"] = error.strerror or str(error)
        return setting
    try:
        enter_own_root(folder)
        setting.folder, setting.own_root = PROGRAM_FOLDER, True
    except OSError as error:
        setting.refused["own root"] = error.strerror or str(error)
    try_users(setting)
    return setting


def write_maps(proc: int, user: int, group: int) -> None:
    """In a new user namespace: its one user is nobody, outside `user` and `group`."""
    for name, line in (("setgroups", "deny"), ("uid_map", f"{NOBODY} {user} 1"), ("gid_map", f"{NOBODY} {group} 1")):
        target = os.open(f"self/{name}", os.O_WRONLY, dir_fd=proc)
        try:
            os.write(target, line.encode())
        finally:
            os.close(target)


def enter_own_root(folder: str) -> None:
    """A root in memory that holds Python, its libraries and a few devices, all read-only, and nothing else."""
    kernel.mount("tmpfs", folder, "tmpfs", kernel.NO_SUID_NO_DEVICES, "size=1m,mode=0755")
    for path in (*sys.path, *SYSTEM_FOLDERS, *SYSTEM_FILES):
        show(path, folder)
    os.mkdir(folder + PROGRAM_FOLDER)
    if not os.path.exists(f"{folder}/tmp"):  # there may be libraries below it
        os.symlink(PROGRAM_FOLDER, f"{folder}/tmp")
    os.chdir(folder)
    kernel.pivot_root()
    kernel.mount(None, "/", None, kernel.BIND_AGAIN | kernel.READ_ONLY | kernel.NO_SUID_NO_DEVICES)


def show(path: str, root: str) -> None:
    """Show a file, a folder or a symbolic link of the machine at the same place below `root`, read-only."""
    target = root + path
    if not os.path.exists(path) or os.path.lexists(target):
        return
    os.makedirs(os.path.dirname(target), mode=0o755, exist_ok=True)
    if os.path.islink(path) and stat.S_ISDIR(os.stat(path).st_mode):
        os.symlink(os.readlink(path), target)
        return
    if os.path.isdir(path):
        os.mkdir(target)
    else:
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    kernel.mount(path, target, None, kernel.BIND_RECURSIVE)
    kept = os.statvfs(target).f_flag & 0xF  # read-only, no suid, no devices, no programs: may not be taken back
    kernel.mount(None, target, None, kernel.BIND_AGAIN | kernel.READ_ONLY | kept)


def try_users(setting: Setting) -> None:
    """Whether nobody gets a user namespace; if so this process becomes nobody for good.

    Without one, root stays root here and each program gives its rights up itself."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            try:
                become_nobody()
                enter_for_program(setting, users=True)
                mount_empty(setting.folder, 4096)
            except OSError as error:
                os.write(writer, (error.strerror or str(error)).encode())
        os._exit(0)
    os.close(writer)
    refusal = os.read(reader, 1000).decode()
    os.close(reader)
    os.waitpid(child, 0)
    if refusal:
        setting.refused["user namespace"] = refusal
    else:
        become_nobody()
        setting.own_users = True


def become_nobody() -> None:
    """Drop root for good. The process stays the owner of its own files in /proc, for the maps of its children."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        kernel.control(kernel.DUMPABLE, 1)


def enter_for_program(setting: Setting, *, users: bool) -> None:
    """Before a program is forked: its own pids, mounts, inter-process objects and, with `users`, users."""
    kernel.unshare(PROGRAM_PARTS | kernel.NEW_USER if users else PROGRAM_PARTS)
    if users:
        write_maps(setting.proc, NOBODY, NOBODY)
    kernel.mount(None, "/", None, kernel.PRIVATE_RECURSIVE)


def mount_empty(folder: str, size_bytes: int) -> None:
    """An empty file system in memory for what the program writes; it goes away with the namespace."""
    options = f"size={size_bytes},nr_inodes=256,mode=0777"
    kernel.mount("tmpfs", folder, "tmpfs", kernel.NO_SUID_NO_DEVICES, options)


def empty_folder(setting: Setting, size_bytes: int) -> str:
    """The folder of one program, in memory where mounts are its own, else a real one below the sandbox's."""
    if setting.own_namespaces:
        mount_empty(setting.folder, size_bytes)
        return setting.folder
    folder = os.path.join(setting.folder, str(os.getpid()))
    os.mkdir(folder, 0o700)
    if os.getuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    return folder


def remove_folder(folder: str) -> None:
    """Delete a real folder of a program, whatever rights the program took from its own folders."""
    for path, inside, _ in os.walk(folder):
        for name in inside:
            if not os.path.islink(os.path.join(path, name)):
                os.chmod(os.path.join(path, name), 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def readable() -> Sequence[str]:
    """What a program may read: Python, its libraries, those of the system."""
    return (*sys.path, *SYSTEM_FOLDERS, "/etc/ld.so.cache")


def open_to_all(path: str) -> bool:
    """Whether every user may pass through all folders above `path` and read it."""
    parts = os.path.realpath(path).split("/")
    folders = ("/".join(parts[: count + 1]) or "/" for count in range(len(parts)))
    return all(os.stat(folder).st_mode & 0o001 for folder in folders)
