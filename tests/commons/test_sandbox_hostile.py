"""Programs that try to get out, to stay, to lie about how they ended, or to eat the machine."""

import contextlib
import os
import time
from pathlib import Path

import pytest

from commons.sandbox import Limits, Sandbox

LIMITS = Limits(wall_seconds=60.0, cpu_seconds=1, memory_bytes=256 * 1024 * 1024)  # wall: the machine may be busy

ENDINGS = {
    "while True: pass": "timed out",
    "10 ** 10 ** 8": "timed out",
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass": "timed out",
    "x = [0] * 10 ** 10": "memory",
    "print('a' * 10 ** 6)": "too much output",
    "while True: print('a' * 100)": "too much output",
    "import sys\nwhile True: sys.stderr.write('a' * 100)": "too much output",
    "import os\nwhile True: os.fork()": "error",
    "input()": "error",
    "import sys; sys.exit(3)": "error",
    "import sys; sys.exit()": "ok",
    "import os; os._exit(0)": "ok",
    "import os; os._exit(9)": "error",
    "raise KeyboardInterrupt": "error",
    "raise SystemExit": "ok",
    "import os, signal; os.kill(os.getpid(), signal.SIGSTOP); print(1)": "ok",
    "import ctypes; ctypes.string_at(0)": "error",
    "def f(): f()\nf()": "error",
    "import sys; sys.setrecursionlimit(10 ** 9)\nx = []\nfor _ in range(10 ** 5): x = [x]\nrepr(x)": "error",
    "import os; os.close(1); print(5)": "ok",
    "import os; os.closerange(0, 64)": "ok",
    "import os; os.chdir('..'); open('x', 'w')": "error",
    "import os; os.chdir('/tmp'); os.chdir('/'); print(7)": "ok",
    "f = open('big', 'wb')\nwhile True: f.write(b'0' * 10 ** 6)": "error",
    "n = 0\nwhile True:\n    n += 1\n    open(str(n), 'wb').write(b'0' * 10 ** 5)": "error",
    "import sys; sys.stdout.buffer.write(b'\\xff\\xfe'); print()": "ok",
    "def f(:": "error",
    "print('\\ud800')": "error",
    "'\0'": "error",
}

ATTEMPTS = {  # each must raise an OSError
    "home": "open(os.path.expanduser('~/x'), 'w') if '~' not in os.path.expanduser('~') else os.listdir('/root')",
    "canary": "open({canary!r}).read()",
    "write": "open({canary!r}, 'a')",
    "list": "os.listdir({folder!r})",
    "network": "socket.socket().connect(('127.0.0.1', 9))",
    "udp": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
    "raw": "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    "unix": "socket.socket(socket.AF_UNIX).connect('\\0abstract')",
    "run": "os.execv('/bin/sh', ['sh', '-c', 'true'])",
    "proc": "open('/proc/1/environ').read()",
    "signal": "os.kill({pid}, 0)",
    "root": "os.setuid(0)",
    "chroot": "os.chroot('/tmp')",
    "namespace": "call('unshare', 0x10000000)",
    "mount": "call('mount', b'x', b'/tmp', b'tmpfs', 0, None)",
    "trace": "call('ptrace', 0, 0, 0, 0)",
    "limits": "resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))",
    "shared memory": "call('shmget', 0, 4096, 0o1600)",
}
HEAD = """
import ctypes, os, resource, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *values):
    if getattr(libc, name)(*values) < 0:
        raise OSError(ctypes.get_errno(), name)
try:
    {attempt}
except (OSError, ValueError) as error:
    print("refused")
else:
    print("done")
"""


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(LIMITS) as sandbox:
        yield sandbox


@pytest.mark.parametrize("source", ENDINGS, ids=range(len(ENDINGS)))
def test_a_hostile_program_ends_with_a_name(sandbox, source):
    run = sandbox.run(source)
    assert run.status == ENDINGS[source], run


@pytest.mark.parametrize("name", ATTEMPTS)
def test_what_reaches_out_is_refused(sandbox, name, tmp_path, isolated):
    canary = tmp_path / "canary"
    canary.write_text("seen", encoding="utf-8")
    attempt = ATTEMPTS[name].format(canary=str(canary), folder=str(tmp_path), pid=os.getpid())
    run = sandbox.run(HEAD.format(attempt=attempt))
    assert (run.status, run.stdout) == ("ok", "refused\n"), run
    assert canary.read_text(encoding="utf-8") == "seen"


def test_killing_the_parent_or_everything_kills_no_other(sandbox):
    with sandbox.session(2) as other:
        other.run("x = 4")
        for target in ("os.getppid()", "-1", "0", "1"):
            run = sandbox.run(f"import os\nos.kill({target}, 9)\nprint(1)")
            assert run.status in ("ok", "error"), (target, run)
        assert other.run("print(x)").stdout == "4\n"


def test_a_program_that_waits_is_ended_by_the_clock_on_the_wall():
    with Sandbox(Limits(wall_seconds=0.5)) as sandbox:
        assert sandbox.run("import time; time.sleep(600)").status == "timed out"  # not after 600 s: pytest's own limit


DETACHED = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(1); os.close(2)
        time.sleep(600)
    os._exit(0)
time.sleep(0.1)
print('done')
"""


def test_a_child_does_not_outlive_its_program(sandbox):
    assert sandbox.run(DETACHED).stdout == "done\n"
    wait_until(lambda: processes_of(sandbox) == 1)  # the server alone: the guard of the program is still ending


def test_a_session_ends_with_its_sample_and_a_sandbox_with_its_context():
    with Sandbox(LIMITS) as sandbox:
        with sandbox.session(2) as session:
            session.run(DETACHED)
            assert processes_of(sandbox) > 2
        wait_until(lambda: processes_of(sandbox) == 1)
        lost = sandbox.session(2)
        lost.run(DETACHED)
        folders = [server.folder for server in sandbox._servers.values()]
    wait_until(lambda: sum(map(processes_in, folders)) == 0)
    assert not any(map(os.path.exists, folders))
    lost.close()


def processes_of(sandbox):
    """The sandbox's server processes and all that was forked from them."""
    return sum(processes_in(server.folder) for server in sandbox._servers.values())


def processes_in(folder):
    """Processes whose command line names a server's folder. A dead one that waits to be reaped has none."""
    count = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            count += folder.encode() in path.read_bytes()
    return count


def wait_until(true):
    deadline = time.monotonic() + 60
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert true()
