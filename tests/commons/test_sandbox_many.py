"""10,000 programs in a row leave no process, file or memory behind."""

import os
import tempfile
from pathlib import Path

import pytest

from commons.sandbox import Limits, Sandbox
from tests.commons.test_sandbox_hostile import processes_in, wait_until

PROGRAMS = 10_000
KINDS = [
    "print({number} * 2)",
    "open('left', 'wb').write(b'x' * 100000); print({number} * 2)",
    "import os\nif os.fork() == 0:\n    os.setsid()\n    import time; time.sleep(600)\nprint({number} * 2)",
    "import os; print({number} * 2, flush=True); os._exit(0)",
    "x = bytearray(1 << 24); print({number} * 2)",
]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_ten_thousand_programs_leave_nothing_behind(monkeypatch):
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)  # the canary's file is to be hidden by the sandbox, not by its folder
    monkeypatch.setattr(tempfile, "tempdir", folder)
    with Sandbox(Limits(wall_seconds=120.0), workers=2) as sandbox:
        sources = [KINDS[number % len(KINDS)].format(number=number) for number in range(PROGRAMS)]
        sandbox.run_all(sources[:100])
        [server] = sandbox._servers.values()
        before = state(server)
        runs = sandbox.run_all(sources)
        wait_until(lambda: processes_in(server.folder) == 1)
        after = state(server)
    assert [run.stdout for run in runs] == [f"{number * 2}\n" for number in range(PROGRAMS)]
    assert after["descriptors here"] == before["descriptors here"]
    assert after["descriptors there"] == before["descriptors there"]
    assert after["resident KiB there"] - before["resident KiB there"] < 1024
    os.rmdir(folder)  # nothing is left in it


def state(server):
    """Open descriptors of both sides and memory of the server."""
    process = Path("/proc") / str(server.process.pid)
    resident = next(line for line in (process / "status").read_text().splitlines() if line.startswith("VmRSS"))
    return {
        "descriptors here": len(os.listdir("/proc/self/fd")),
        "descriptors there": len(os.listdir(process / "fd")),
        "resident KiB there": int(resident.split()[1]),
    }
