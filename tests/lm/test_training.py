import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from commons.metrics import read_metrics
from lm.engine import start
from lm.training import held_out_loss, train
from tests.conftest import ROOT
from tests.lm.models import llama
from tests.lm.supervised import rows_of_step, run

WORKER = [sys.executable, "-m", "tests.lm.supervised"]
ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "DS_ACCELERATOR": "cpu"}


def train_with(folder, **changes):
    arguments = {"steps": 4, "rows_per_micro_batch": 4, "save_every": 10}
    return train(
        start(llama()),
        rows_of_step,
        lambda step: 3e-3,
        checkpoints=folder / "steps",
        logs=folder / "logs",
        **(arguments | changes),
    )


def test_the_size_of_the_micro_batches_does_not_change_the_loss_curve(tmp_path):
    curves = [run(tmp_path / str(rows), 0, 4, rows_per_micro_batch=rows)["loss"] for rows in (1, 3, 100)]
    assert curves[1] == pytest.approx(curves[0], rel=1e-5)
    assert curves[2] == pytest.approx(curves[0], rel=1e-5)


def test_the_logged_loss_is_the_mean_over_the_learned_tokens_of_the_step(tmp_path):
    trained = train_with(tmp_path, steps=1)
    total, tokens = held_out_loss(llama(), rows_of_step(0), rows_per_micro_batch=2)
    [row] = read_metrics(tmp_path / "logs")
    assert row["loss"] == pytest.approx(total / tokens, rel=1e-5)
    assert row["tokens"] == trained.tokens == tokens
    assert row["learning_rate"] == 3e-3


def test_held_out_numbers_are_taken_before_the_first_step_every_so_often_and_after_the_last(tmp_path):
    taken = []

    def evaluate(model):
        taken.append(model)
        return {"accuracy": len(taken)}

    train_with(tmp_path, steps=5, evaluate=evaluate, evaluate_every=2)
    rows = [row for row in read_metrics(tmp_path / "logs") if "accuracy" in row]
    assert [(row["step"], row["accuracy"]) for row in rows] == [(0, 1), (2, 2), (4, 3), (5, 4)]


def test_a_finished_run_that_is_called_again_trains_no_further(tmp_path):
    first = train_with(tmp_path)
    rows = read_metrics(tmp_path / "logs")
    assert train_with(tmp_path) == first
    assert read_metrics(tmp_path / "logs") == rows


def test_a_time_limit_stops_training_early_and_says_so(tmp_path):
    trained = train_with(tmp_path, steps=1000, max_seconds=0.0)
    assert (trained.steps, trained.stopped_by_time) == (1, True)
    assert train_with(tmp_path, steps=1000, max_seconds=0.0) == trained


def test_steps_come_through_the_progress_of_the_command(tmp_path):
    seen = []
    train_with(tmp_path, progress=lambda steps: (seen.append(step) or step for step in steps))
    assert seen == [0, 1, 2, 3]


def result_of(folder):
    return json.loads((folder / "result.json").read_text())


@pytest.mark.slow
@pytest.mark.parametrize("stage", [0, 2, 3])
def test_two_gloo_ranks_have_the_loss_curve_of_one(stage, tmp_path):
    run(tmp_path / "one", 0, 6)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", *WORKER[1:]]
    halves = [3, 6] if stage == 3 else [6]  # stage 3 also saves and resumes
    for steps in halves:
        subprocess.run([*command, tmp_path / "two", str(stage), str(steps)], cwd=ROOT, env=ENVIRONMENT, check=True)
    one, two = result_of(tmp_path / "one"), result_of(tmp_path / "two")
    assert two["step"] == one["step"]
    assert two["loss"] == pytest.approx(one["loss"], rel=1e-4)
    assert two["grad_norm"] == pytest.approx(one["grad_norm"], rel=1e-3)
    assert two["tokens"] == one["tokens"]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_run_killed_at_random_times_ends_with_the_same_weights(tmp_path):
    """KILLS=20 is what docs/training.md shows; a kill may fall anywhere, start-up and saves included."""
    whole = run(tmp_path / "whole", 0, 400, save_every=1)
    command = [*WORKER, tmp_path / "killed", "0", "400", "1"]
    chance, at = random.Random(0), []
    for _ in range(int(os.environ.get("KILLS", "5"))):
        process = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT)
        done = len(read_metrics(tmp_path / "killed" / "logs"))
        aim = done + chance.randint(-2, 18)  # below what is done: during start-up
        while process.poll() is None and len(read_metrics(tmp_path / "killed" / "logs")) < aim:
            time.sleep(0.05)
        time.sleep(chance.uniform(0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        at.append(len(read_metrics(tmp_path / "killed" / "logs")))
    print(f"killed after steps {at}")
    subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, check=True)
    killed = result_of(tmp_path / "killed")
    assert killed["digest"] == whole["digest"]
    assert killed["loss"] == whole["loss"]
