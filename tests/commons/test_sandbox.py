"""What a program prints, how it ended, what it keeps, and what a failure of the sandbox itself is."""

import threading

import pytest

from commons.sandbox import SANDBOX_FAILED, Limits, Sandbox, run_programs

LIMITS = Limits(wall_seconds=60.0, cpu_seconds=5)  # wall: the machine may be busy


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(LIMITS, workers=2) as sandbox:
        yield sandbox


def test_what_a_program_prints_comes_back(sandbox):
    run = sandbox.run("import math\nprint(math.comb(10, 3))")
    assert (run.status, run.stdout, run.error) == ("ok", "120\n", "")


def test_the_error_of_a_program_is_its_own_traceback(sandbox):
    run = sandbox.run("def half(x):\n    return x / 0\n\nhalf(1)")
    assert run.error.startswith('Traceback (most recent call last):\n  File "program.py", line 4')
    assert run.error.endswith("ZeroDivisionError: division by zero")
    assert "sandbox" not in run.error


def test_bytes_that_are_no_text_are_replaced(sandbox):
    assert sandbox.run("import sys; sys.stdout.buffer.write(b'\\xff7')").stdout == "\ufffd7"


def test_the_same_program_prints_the_same(sandbox):
    source = "import random\nprint(hash('a'), random.random(), {'x', 'y', 'z'})"
    assert sandbox.run(source).stdout == sandbox.run(source).stdout


def test_a_thread_is_waited_for_as_python_does(sandbox):
    source = "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.05), print('late'))).start()"
    assert sandbox.run(source).stdout == "late\n"


def test_sympy_and_numpy_can_be_used(sandbox):
    source = "import numpy\nfrom sympy import Symbol, solve\nprint(solve(Symbol('x')**2 - 9), numpy.arange(3).sum())"
    assert sandbox.run(source).stdout == "[-3, 3] 3\n"


def test_a_main_module_is_there_for_classes_and_exit_is_known(sandbox):
    source = "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nprint(P(3), __name__)\nexit()"
    assert sandbox.run(source).stdout == "P(x=3) __main__\n"


def test_a_program_sees_neither_the_environment_nor_the_files_of_another(sandbox):
    sandbox.run("open('left', 'w').write('x')")
    run = sandbox.run("import os; print(os.listdir('.'), os.environ.get('HOME'), os.getuid() == 0)")
    assert run.stdout == "[] None False\n"


def test_a_program_cannot_import_this_project(sandbox):
    assert "ModuleNotFoundError" in sandbox.run("import commons.sandbox").error
    assert "ModuleNotFoundError" in sandbox.run("import sft.questions").error


def test_many_run_in_their_order_on_several_workers():
    runs = run_programs([f"print({number} * 2)" for number in range(20)], LIMITS, workers=3)
    assert [run.stdout for run in runs] == [f"{number * 2}\n" for number in range(20)]
    assert run_programs([], LIMITS) == []


def test_programs_run_from_threads(sandbox):
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda n=number: found.append(sandbox.run(f"print({n})").stdout)) for number in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == ["0\n", "1\n", "2\n", "3\n"]


def test_a_session_keeps_names_files_and_an_error_between_its_blocks(sandbox):
    with sandbox.session(5) as session:
        assert session.run("x = 6\nopen('note', 'w').write('seen')").status == "ok"
        assert session.run("y = x / 0").status == "error"
        assert session.run("import sys; sys.exit()").status == "ok"  # ends the block, not the names
        run = session.run("print(x * 7, open('note').read())")
    assert (run.status, run.stdout, run.error) == ("ok", "42 seen\n", "")


def test_each_block_has_its_own_output_and_time(sandbox):
    with Sandbox(Limits(wall_seconds=60.0, cpu_seconds=1)) as short, short.session(3) as session:
        spin = "import time\nwhile time.process_time() < {}: pass\nprint('a' * 6000)"
        assert session.run(spin.format(0.7)).status == "ok"
        assert session.run(spin.format(1.4)).status == "ok"
        assert len(session.run("print('b' * 6000)").stdout) == 6001


def test_a_session_that_was_ended_says_so_to_each_later_block(sandbox):
    with sandbox.session(3) as session:
        assert session.run("import os\nprint(1, flush=True)\nos._exit(5)").status == "error"
        run = session.run("print(2)")
    assert (run.status, run.stdout, run.error) == ("error", "", "the session had ended: error")


def test_a_session_takes_no_more_blocks_than_were_announced(sandbox):
    with sandbox.session(1) as session:
        session.run("x = 1")
        with pytest.raises(ValueError, match="for 1 blocks"):
            session.run("print(x)")


def test_a_sandbox_whose_server_was_killed_starts_another():
    with Sandbox(LIMITS) as sandbox:
        with sandbox.session(2) as session:
            session.run("x = 1")
            [server] = sandbox._servers.values()
            server.process.kill()
            server.process.wait()
            run = session.run("print(x)")
        assert (run.status, run.error) == (SANDBOX_FAILED, "the guard of the program ended or did not answer")
        assert sandbox.run("print(3)").stdout == "3\n"


def test_a_sandbox_that_cannot_start_fails_each_program_with_its_reason(monkeypatch):
    with Sandbox(LIMITS) as sandbox:
        sandbox.start()
        monkeypatch.setattr("sys.executable", "/bin/false")
        runs = sandbox.run_all(["print(1)", "print(2)"])
    assert {run.status for run in runs} == {SANDBOX_FAILED}
    assert "did not start" in runs[0].error
