"""What the sandbox reaches on machines that give less, and that it says so; each case is such a machine for real."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commons.errors import ConfigError
from commons.sandbox import LEVELS, isolation, isolation_level, require_isolation
from commons.sandbox_canaries import FILES, LIMITS, NETWORK, PIDS, level_of
from commons.sandbox_far import filter as call_filter

ROOT = Path(__file__).resolve().parents[2]
LOOK = """
import json, os
from commons.sandbox import Limits, Sandbox, isolation
killer = '''
import os
for target in (os.getppid(), -1, 0):
    try: os.kill(target, 9)
    except OSError: pass
print(1)
'''
runaway = '''
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(1); os.close(2)
        time.sleep(600)
    os._exit(0)
os.mkdir('deep'); open('deep/file', 'w').write('x'); os.chmod('deep', 0)
'''
with Sandbox(Limits(wall_seconds=60.0, processes=8)) as sandbox:
    runs = [sandbox.run(source) for source in ("import math\\nprint(math.comb(9, 2))", killer, runaway)]
    with sandbox.session(2) as session:
        runs += [session.run("x = 5"), session.run("print(x)")]
    folders = [server.folder for server in sandbox._servers.values()]
    left = [os.path.exists(folder) and os.listdir(folder) for folder in folders]
found = isolation()
said = {"level": found.level, "held": found.held, "refused": found.refused, "line": found.line(), "left": left}
print(json.dumps(said | {"runs": [[run.status, run.stdout] for run in runs]}))
"""


def look(*less):
    """What isolation and a few programs give on a machine with `less`."""
    host = [sys.executable, "-m", "tests.commons.sandbox_host", LOOK, *less]
    ended = subprocess.run(host, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


CASES = {
    ("plain-user",): "L3",
    ("no-user-namespaces",): "L3" if os.getuid() == 0 else "L1",
    ("no-landlock",): "L3",
    ("no-namespaces",): "L1",
    ("plain-user", "no-user-namespaces"): "L1",
    ("plain-user", "no-namespaces", "no-landlock"): "L1",
}


@pytest.mark.parametrize("less", CASES, ids=" ".join)
def test_programs_run_and_the_level_is_the_true_one(less, isolated):
    found = look(*less)
    assert found["level"] == CASES[less], found["line"]
    ends = dict(enumerate(found["runs"]))
    assert ends[0] == ["ok", "36\n"]
    assert ends[1][0] in ("ok", "error")  # whom it killed was itself
    assert (ends[3], ends[4]) == (["ok", ""], ["ok", "5\n"])
    assert not any(found["left"])
    if found["level"] < "L3":
        assert "namespaces refused (unshare: Operation not permitted)" in found["line"]
    if "no-landlock" in less:
        assert "Landlock refused (the kernel has none)" in found["line"]
    assert "no network" in found["held"]  # by the filter of system calls where there is no namespace


def test_a_level_needs_all_its_parts():
    assert level_of(()) == "L0"
    assert level_of((PIDS, NETWORK, FILES)) == "L0"
    assert level_of((LIMITS, NETWORK, FILES)) == "L1"
    assert level_of((LIMITS, PIDS, NETWORK)) == "L2"
    assert level_of((LIMITS, PIDS, NETWORK, FILES)) == "L3"


def test_less_isolation_than_asked_for_is_refused_in_one_line():
    assert isolation_level() in LEVELS[1:]
    assert require_isolation(isolation_level()) == isolation()
    with pytest.raises(ConfigError) as refusal:
        require_isolation("L4")
    assert str(refusal.value).startswith(f"this machine isolates programs at {isolation().line()}; ")
    assert "\n" not in str(refusal.value)


def test_the_filter_is_made_for_two_machines_and_says_so_on_another():
    assert len(call_filter.instructions("aarch64", own_signals_only=7)) % 8 == 0
    with pytest.raises(OSError, match="numbers of riscv64 are not known"):
        call_filter.instructions("riscv64", own_signals_only=None)
