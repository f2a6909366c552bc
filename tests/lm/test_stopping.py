import os
import signal
import subprocess
import sys

import pytest

from commons.errors import ArtifactError
from commons.metrics import read_metrics
from lm.engine import start
from lm.stopping import Stopped
from lm.training import Rules, train
from tests.conftest import ROOT
from tests.lm.models import llama
from tests.lm.supervised import digest, rows_of_step, run


def train_with(folder, engine=None, **changes):
    engine = engine or start(llama())
    arguments = {"steps": 6, "rows_per_micro_batch": 8, "save_every": 100}
    train(
        engine,
        rows_of_step,
        lambda step: 3e-3,
        checkpoints=folder / "steps",
        logs=folder / "logs",
        **(arguments | changes),
    )
    return digest(engine.model)


def test_sigterm_ends_the_step_saves_and_the_same_call_goes_on_to_the_same_bits(tmp_path):
    whole = train_with(tmp_path / "whole")

    def tell(done):
        if done == 3:
            os.kill(os.getpid(), signal.SIGTERM)
        return {}

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Stopped, match="after step 3, saved") as stopped:
        train_with(tmp_path / "told", rules=Rules(report=tell))
    assert stopped.value.exit_code == 143
    assert signal.getsignal(signal.SIGTERM) is before
    assert [path.name for path in (tmp_path / "told" / "steps").iterdir()] == ["00000003"]
    assert train_with(tmp_path / "told") == whole
    losses = [[row["loss"] for row in read_metrics(tmp_path / name / "logs")] for name in ("whole", "told")]
    assert losses[0] == losses[1]


def test_a_checkpoint_of_other_data_is_refused_by_name(tmp_path):
    train_with(tmp_path, steps=2, rules=Rules(made_from={"source code": "abc"}))
    with pytest.raises(ArtifactError, match=r"made from another `source code` \(abc, now xyz\).*RESTART=1"):
        train_with(tmp_path, rules=Rules(made_from={"source code": "xyz"}))


def test_a_checkpoint_of_another_zero_stage_is_refused(tmp_path):
    start(llama(), zero_stage=1).save(tmp_path, 1)
    with pytest.raises(ArtifactError, match="saved under ZeRO 1 and this run is under ZeRO 0"):
        start(llama()).resume(tmp_path)


def test_as_many_saves_stay_as_the_rules_say(tmp_path):
    train_with(tmp_path, save_every=1, rules=Rules(keep=3))
    assert sorted(path.name for path in (tmp_path / "steps").iterdir()) == ["00000004", "00000005", "00000006"]


def test_the_metrics_hold_cost_and_what_the_run_reports(tmp_path):
    train_with(tmp_path, steps=2, rules=Rules(report=lambda done: {"epochs/code": done / 2}))
    rows = read_metrics(tmp_path / "logs")
    assert [row["epochs/code"] for row in rows] == [0.5, 1.0]
    for row in rows:
        assert row["memory_gb"] > 0
        assert 0 <= row["mfu"] < 2  # of a product on the same threads, itself measured
        assert row["tokens_per_second"] > 0


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_a_save_of_two_ranks_goes_on_with_one_once_it_is_resharded(stage, tmp_path):
    environment = os.environ | {"OMP_NUM_THREADS": "1", "DS_ACCELERATOR": "cpu"}
    worker = ["-m", "tests.lm.supervised"]
    two = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", *worker]
    subprocess.run([*two, tmp_path / "run", str(stage), "3"], cwd=ROOT, env=environment, check=True)
    one = [sys.executable, *worker, tmp_path / "run", str(stage), "6"]
    refused = subprocess.run(one, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert "saved by 2 processes and this run has 1" in refused.stderr
    assert "python -m lm.reshard" in refused.stderr
    step = tmp_path / "run" / "steps" / "00000003"
    subprocess.run([sys.executable, "-m", "lm.reshard", step], cwd=ROOT, env=environment, check=True)
    subprocess.run(one, cwd=ROOT, env=environment, check=True)
    run(tmp_path / "whole", 0, 6)
    found, whole = read_metrics(tmp_path / "run" / "logs"), read_metrics(tmp_path / "whole" / "logs")
    assert [row["step"] for row in found] == [1, 2, 3, 4, 5, 6]
    assert [row["loss"] for row in found] == pytest.approx([row["loss"] for row in whole], rel=1e-3)
