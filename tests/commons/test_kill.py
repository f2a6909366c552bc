"""kill -9 at any point, and the same command ends with the same digest."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commons.artifacts import read_manifest

ROOT = Path(__file__).resolve().parents[2]

# Ends the process as kill -9 does, at the nth rename or deletion: the moments of saving, publishing and swapping.
KILL_AT_NTH_CHANGE = """
import os, runpy, shutil, signal, sys
left = int(sys.argv.pop(1))
def counted(change):
    def wrapped(*arguments, **named):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return change(*arguments, **named)
    return wrapped
os.replace, os.rename, shutil.rmtree = counted(os.replace), counted(os.rename), counted(shutil.rmtree)
runpy.run_module("tests.commons.toy_stage", run_name="__main__")
"""


def command(out, *overrides):
    return [sys.executable, "-m", "tests.commons.toy_stage", "--out", str(out), "--replace", *overrides]


def start(arguments):
    return subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(arguments):
    process = start(arguments)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    return output


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Digests of uninterrupted runs, by seed."""
    folder = tmp_path_factory.mktemp("whole")
    for seed in (0, 1):
        finish(command(folder / str(seed), f"seed={seed}"))
    return [read_manifest(folder / str(seed)).digest for seed in (0, 1)]


@pytest.mark.slow
def test_kill_at_20_random_times_always_ends_with_the_same_digest(tmp_path, expected):
    draw = random.Random(0)
    killed = 0
    for attempt in range(20):
        process = start(command(tmp_path / "toy", f"seed={attempt % 2}", "pause_ms=30", "--restart"))
        time.sleep(draw.uniform(0.05, 0.5))
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        process.stdout.close()
        finish(command(tmp_path / "toy", f"seed={attempt % 2}"))
        assert read_manifest(tmp_path / "toy").digest == expected[attempt % 2]
    assert killed >= 10


def test_kill_at_each_save_publish_and_swap_ends_with_the_same_digest(tmp_path, expected):
    finish(command(tmp_path / "toy", "seed=0"))
    killed = 0
    for change in range(1, 100):
        arguments = [sys.executable, "-c", KILL_AT_NTH_CHANGE, str(change), "--out", str(tmp_path / "toy")]
        process = start([*arguments, "--replace", "--restart", f"seed={change % 2}", "pages=2"])
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        assert read_manifest(tmp_path / "toy") or read_manifest(tmp_path / "toy.old") is not None
        finish(command(tmp_path / "toy", f"seed={change % 2}"[:6], "--restart"))
        assert read_manifest(tmp_path / "toy").digest == expected[change % 2]
        if process.returncode == 0:
            break
    assert killed >= 8
    assert sorted(os.listdir(tmp_path)) == [".toy.lock", "toy"]


def test_two_processes_on_one_output_refuse_each_other(tmp_path):
    first = start(command(tmp_path / "toy", "pause_ms=200"))
    while not (tmp_path / "toy.partial").exists():
        time.sleep(0.01)
    second = subprocess.run(command(tmp_path / "toy"), cwd=ROOT, capture_output=True, text=True, check=False)
    assert second.returncode == 3
    assert "another process is making" in second.stderr
    first.kill()
    first.communicate()
    finish(command(tmp_path / "toy"))
