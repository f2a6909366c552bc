"""Training killed with -9 ends with the same weights; two ranks learn what one learns."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commons.artifacts import read_manifest
from commons.metrics import read_metrics
from commons.stage import main
from pretrain import base
from tests.pretrain.micro import BASE, PRETRAIN, TRAINING, make_corpus

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> list[str]:
    folder = tmp_path_factory.mktemp("runs")
    corpus = make_corpus(folder / "corpus")
    assert main(base.STAGE, ["--corpus", str(corpus), "--out", str(folder / "base"), *BASE, *TRAINING]) == 0
    return ["--base", str(folder / "base"), "--corpus", str(corpus)]


def start(inputs: list[str], out: Path, ranks: int = 1) -> subprocess.Popen[str]:
    torchrun = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"] if ranks > 1 else []
    command = [sys.executable, *torchrun, "-m", "pretrain", *inputs, "--out", str(out), *TRAINING, *PRETRAIN]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(inputs: list[str], out: Path, ranks: int = 1) -> str:
    process = start(inputs, out, ranks)
    printed, _ = process.communicate()
    assert process.returncode == 0, printed
    found = read_manifest(out)
    assert found
    return found.digest


def kill_after_step(process: subprocess.Popen[str], out: Path, step: int, pause: float) -> bool:
    """Kills the process some time after `step` was logged; whether it was still running then."""
    while process.poll() is None and len(read_metrics(out.with_name(f"{out.name}.partial") / "logs")) <= step:
        time.sleep(0.005)
    time.sleep(pause)
    process.kill()
    process.communicate()
    return process.returncode == -signal.SIGKILL


def test_training_killed_at_random_times_ends_with_the_weights_of_an_uninterrupted_run(inputs, tmp_path):
    expected = finish(inputs, tmp_path / "whole")
    draw, killed = random.Random(0), 0
    out = tmp_path / "killed"
    for step in (0, 4, 7):  # three times the same run, further on each time; checkpoints are at 3, 6 and 9
        killed += kill_after_step(start(inputs, out), out, step, draw.uniform(0, 0.1))
    assert killed >= 2
    assert finish(inputs, out) == expected


def test_two_ranks_learn_what_one_learns(inputs, tmp_path):
    finish(inputs, tmp_path / "one")
    finish(inputs, tmp_path / "two", ranks=2)
    one, two = (
        [row["loss"] for row in read_metrics(tmp_path / name / "logs") if row["step"] > 0] for name in ("one", "two")
    )
    assert len(one) == 10
    assert two == pytest.approx(one, rel=1e-4)
