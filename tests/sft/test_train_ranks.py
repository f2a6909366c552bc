"""Fine-tuning on two ranks, and fine-tuning that is killed."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commons.artifacts import read_manifest
from commons.metrics import read_metrics
from tests.sft.micro import SFT, make_model, make_questions

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> list[str]:
    folder = tmp_path_factory.mktemp("inputs")
    model, questions = make_model(folder / "model"), make_questions(folder / "questions")
    return ["--base", str(model), "--questions", str(questions)]


def start(inputs: list[str], out: Path, ranks: int = 1, *overrides: str) -> subprocess.Popen[str]:
    torchrun = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"] if ranks > 1 else []
    command = [sys.executable, *torchrun, "-m", "sft", *inputs, "--out", str(out), *SFT, *overrides]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(inputs: list[str], out: Path, ranks: int = 1, *overrides: str) -> str:
    process = start(inputs, out, ranks, *overrides)
    printed, _ = process.communicate()
    assert process.returncode == 0, printed
    found = read_manifest(out)
    assert found
    return found.digest


@pytest.mark.parametrize("zero_stage", [0, 3])
def test_two_ranks_give_the_loss_curve_of_one(inputs, tmp_path, zero_stage):
    finish(inputs, tmp_path / "one")
    finish(inputs, tmp_path / "two", 2, f"optimiser.zero_stage={zero_stage}")
    one, two = (
        [row["loss"] for row in read_metrics(tmp_path / name / "logs") if row["step"] > 0] for name in ("one", "two")
    )
    assert len(one) == 8
    assert two == pytest.approx(one, rel=1e-4)


def test_a_step_with_fewer_rows_than_ranks_is_refused_in_one_line(inputs, tmp_path):
    process = start(inputs, tmp_path / "out", 2, "batch.rows=1")
    printed, _ = process.communicate()
    assert process.returncode != 0
    assert "sft: a step has fewer parts than there are processes (2)" in printed


def test_fine_tuning_killed_at_random_times_ends_with_the_weights_of_an_uninterrupted_run(inputs, tmp_path):
    expected = finish(inputs, tmp_path / "whole")
    draw, killed, out = random.Random(0), 0, tmp_path / "killed"
    for step in (1, 4, 6):  # the same run, further on each time; checkpoints are at 3 and 6
        process = start(inputs, out)
        while process.poll() is None and len(read_metrics(tmp_path / "killed.partial" / "logs")) <= step:
            time.sleep(0.005)
        time.sleep(draw.uniform(0, 0.05))
        process.kill()
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
    assert killed >= 2
    assert finish(inputs, out) == expected
