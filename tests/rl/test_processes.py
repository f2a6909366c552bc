"""The command as processes: killed with -9 at any time, and as two ranks."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commons.artifacts import open_artifact, read_manifest
from commons.config import Config
from commons.metrics import read_metrics
from commons.shards import read_jsonl, write_jsonl
from commons.stage import Outcome, Stage, run_stage
from lm.checkpoints import save_checkpoint
from tests.rl.conftest import micro_model, micro_tokenizer, question_rows

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = [
    "iterations=2",
    "steps_per_iteration=6",
    "questions_per_step=4",
    "group_size=8",
    "max_output_tokens=3",
    "updates_per_step=2",
    "batch_tokens=40",
    "checkpoint_every=4",
    "held_out.questions=3",
    "held_out.every=5",
    "optimizer.learning_rate=3e-3",
]


HELD_OUT = ("held_out/pass_at_1", "held_out/maj_at_16")
LOSSES = ("policy_loss", "kl_loss", "kl", "entropy", "grad_norm", "ratio_mean", "reward")


class NoConfig(Config):
    """Nothing to set."""


@pytest.fixture
def inputs(tmp_path):
    """A policy and questions as finished artifacts."""

    def make_policy(work, *_):
        save_checkpoint(work.folder, micro_model(micro_tokenizer()), micro_tokenizer())
        return Outcome({}, "made")

    def make_questions(work, *_):
        for name in ("rl", "heldout"):
            write_jsonl(work.folder / f"{name}.jsonl.zst", question_rows())
        return Outcome({}, "made")

    for kind, made in (("checkpoint", make_policy), ("questions", make_questions)):
        run_stage(Stage(kind, "for a test", NoConfig, made, kind), NoConfig(), {}, tmp_path / kind)
    return ["--policy", str(tmp_path / "checkpoint"), "--questions", str(tmp_path / "questions")]


def command(inputs, out, launcher=()):
    return [sys.executable, *launcher, "-m", "rl", *inputs, "--out", str(out), *SETTINGS]


def environment():
    return os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "DS_ACCELERATOR": "cpu"}


def finish(arguments):
    done = subprocess.run(arguments, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def kill_when(arguments, ready):
    """Starts the command and kills it once `ready()` says so (or lets it end)."""
    with subprocess.Popen(
        arguments, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        while running.poll() is None and not ready():
            time.sleep(0.002)
        running.send_signal(signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_run_killed_at_several_steps_ends_with_the_digest_of_a_whole_one(tmp_path, inputs):
    finish(command(inputs, tmp_path / "whole"))
    cut = command(inputs, tmp_path / "cut")
    partial = tmp_path / "cut.partial"
    for step in (2, 8, 11):  # before the first checkpoint, in the middle of the second iteration, near the end
        kill_when(cut, (partial / "rollouts" / f"step-{step:06d}.jsonl.zst").exists)
        assert not (tmp_path / "cut").exists()
    kill_when(cut, (partial / "model.safetensors").exists)
    finish(cut)
    whole, again = read_manifest(tmp_path / "whole"), read_manifest(tmp_path / "cut")
    assert again.files == whole.files
    assert again.digest == whole.digest
    assert "up to date" in finish(cut)
    assert [row["step"] for row in read_metrics(tmp_path / "cut" / "logs")] == list(range(13))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_ranks_write_the_outputs_and_curves_of_one(tmp_path, inputs):
    finish(command(inputs, tmp_path / "one"))
    launcher = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    finish(command(inputs, tmp_path / "two", launcher))
    one, two = (open_artifact(tmp_path / name, "checkpoint") for name in ("one", "two"))
    tokens = [[row["tokens"] for row in read_jsonl(run.path / "rollouts")] for run in (one, two)]
    assert tokens[0] == tokens[1]
    assert one.counts == two.counts
    for left, right in zip(read_metrics(one.logs), read_metrics(two.logs), strict=True):
        for name in LOSSES if left["step"] else HELD_OUT:
            assert left[name] == pytest.approx(right[name], rel=1e-3, abs=1e-5), (name, left["step"])
