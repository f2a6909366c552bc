"""Programs that try to get out, to stay, to lie about how they ended, or to eat the machine."""

import contextlib
import resource
import threading
import time
from pathlib import Path

import pytest

from commons.sandbox import LEVELS, Limits, Sandbox, isolation_level, run_program, run_programs

LIMITS = Limits(wall_seconds=20.0, cpu_seconds=5, memory_bytes=256 * 1024 * 1024)  # wall: the machine may be busy
SHORT = Limits(wall_seconds=20.0, cpu_seconds=1, memory_bytes=256 * 1024 * 1024)

HOSTILE = {
    "while True: pass": "timed out",
    "10 ** 10 ** 8": "timed out",
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass": "timed out",
    "x = [0] * 10 ** 10": "memory",
    "print('a' * 10 ** 6)": "too much output",
    "import os\nwhile True: os.fork()": "error",
    "input()": "error",
    "import sys; sys.exit(3)": "error",
    "import os; os._exit(0)": "ok",
    "raise KeyboardInterrupt": "error",
    "raise SystemExit": "ok",
    "import ctypes; ctypes.string_at(0)": "error",
    "import os; os.close(1); print(5)": "ok",
    "import os; os.chdir('..'); open('x', 'w')": "error",
    "f = open('big', 'wb')\nwhile True: f.write(b'0' * 10 ** 6)": "error",
    "def f(:": "error",
    "print('\\ud800')": "error",
    "'\0'": "error",
}


@pytest.mark.parametrize("source", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_program_ends_with_a_name_and_in_time(source):
    run = run_program(source, SHORT if HOSTILE[source] == "timed out" else LIMITS)
    assert run.status == HOSTILE[source], run


def test_a_program_that_waits_is_ended_by_the_clock_on_the_wall():
    started = time.monotonic()
    run = run_program("import time; time.sleep(60)", Limits(wall_seconds=0.5))
    assert run.status == "timed out"
    assert time.monotonic() - started < 20


def test_what_a_program_prints_comes_back():
    run = run_program("import math\nprint(math.comb(10, 3))", LIMITS)
    assert (run.status, run.stdout, run.error) == ("ok", "120\n", "")


def test_the_error_of_a_program_is_its_own_traceback():
    run = run_program("def half(x):\n    return x / 0\n\nhalf(1)", LIMITS)
    assert run.error.endswith("ZeroDivisionError: division by zero")
    assert "sandbox_child" not in run.error


def test_bytes_that_are_no_text_are_replaced():
    assert run_program("import sys; sys.stdout.buffer.write(b'\\xff7')", LIMITS).stdout == "\ufffd7"


def test_the_same_program_prints_the_same():
    source = "import random\nprint(hash('a'), random.random(), {'x', 'y', 'z'})"
    assert run_program(source, LIMITS).stdout == run_program(source, LIMITS).stdout


def test_a_program_sees_neither_the_environment_nor_the_files_of_another():
    with Sandbox(LIMITS) as sandbox:
        sandbox.run("open('left', 'w').write('x')")
        run = sandbox.run("import os; print(os.listdir('.'), os.environ.get('HOME'), os.getuid() == 0)")
    assert run.stdout == "[] None False\n"


def test_one_dead_program_is_one_verdict_and_the_rest_go_on():
    sources = ["print(1)", "import os; os.kill(os.getppid(), 9); os._exit(9)", "print(3)"] * 4
    runs = run_programs(sources, LIMITS, workers=2)
    assert [run.stdout for run in runs] == ["1\n", "", "3\n"] * 4


def test_a_child_does_not_outlive_its_program():
    detached = (
        "import os, time\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        os.close(1); os.close(2)\n        time.sleep(77)\n    os._exit(0)\n"
        "time.sleep(0.1); print('done')"
    )
    with Sandbox(LIMITS) as sandbox:
        assert sandbox.run(detached).stdout == "done\n"
        assert processes_of(sandbox) == 1  # the server alone


def processes_of(sandbox: Sandbox) -> int:
    """Processes whose command line names the sandbox's folder: the server and all that were forked from it."""
    count = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            count += sandbox.folder.name.encode() in path.read_bytes()
    return count


def test_programs_run_from_threads():
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda n=number: found.append(run_program(f"print({n})", LIMITS).stdout))
        for number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == ["0\n", "1\n", "2\n", "3\n"]


def test_many_small_programs_are_cheap():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    runs = run_programs([f"print({number} * 2)" for number in range(60)], LIMITS, workers=1)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert [run.stdout for run in runs] == [f"{number * 2}\n" for number in range(60)]
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert used < 60 * 0.1  # seconds of processor; measured 15 ms each, the start included


def test_the_level_is_one_that_was_reached():
    level = isolation_level()
    assert level in LEVELS[1:]
    if level >= "L2":
        assert "unreachable" in run_program("import socket; socket.create_connection(('1.1.1.1', 80))", LIMITS).error
    if level == "L3":
        assert "PermissionError" in run_program(f"open({__file__!r})", LIMITS).error
