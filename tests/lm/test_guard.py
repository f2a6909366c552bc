import math

import pytest
import torch

from commons.metrics import read_metrics
from lm.engine import start
from lm.guard import BadStep, BadSteps, is_bad
from lm.training import Rules, train
from tests.lm.models import llama
from tests.lm.supervised import digest, rows_of_step

SKIP = BadSteps(action="skip", spike_factor=2.0, in_a_row=3)


def test_no_number_is_bad_and_a_spike_is_measured_against_the_median_of_the_last_applied_steps():
    assert is_bad(math.nan, [], BadSteps())
    assert is_bad(math.inf, [1.0] * 20, BadSteps())
    assert not is_bad(100.0, [1.0] * 20, BadSteps())  # no factor, no spikes
    assert not is_bad(100.0, [1.0] * 15, SKIP)  # too few steps to judge by
    assert is_bad(2.1, [1.0] * 16, SKIP)
    assert not is_bad(1.9, [1.0] * 16, SKIP)
    assert not is_bad(5.0, [1.0] * 20 + [3.0] * 64, SKIP)  # only the last 64 count


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_a_refused_step_changes_neither_weights_nor_optimiser(stage):
    def loss(engine):
        return engine.model(torch.tensor([[3, 4, 5, 6]])).logits.square().mean()

    engine, other = start(llama(), zero_stage=stage), start(llama(), zero_stage=stage)
    for one in (engine, other):
        one.step([lambda one=one: loss(one)], 1e-2)
    before = digest(engine.plain_model())
    refused = engine.step([lambda: loss(engine)], 1e-2, lambda value: False)
    assert not refused.applied
    assert math.isfinite(refused.loss)
    assert digest(engine.plain_model()) == before
    spoiled = engine.step([lambda: loss(engine) * math.nan], 1e-2)
    assert (spoiled.applied, math.isnan(spoiled.loss)) == (False, True)
    for one in (engine, other):
        assert one.step([lambda one=one: loss(one)], 1e-2).applied
    assert digest(engine.plain_model()) == digest(other.plain_model())


def run(folder, rule, bad, steps=6):
    """Trains a model whose head gives no numbers in the steps in `bad`."""
    engine, now = start(llama()), [0]
    engine.model.lm_head.register_forward_hook(lambda *call: call[-1] * math.nan if now[0] in bad else None)

    def rate(step):
        now[0] = step
        return 3e-3

    return train(
        engine,
        rows_of_step,
        rate,
        steps=steps,
        rows_per_micro_batch=8,
        checkpoints=folder / "steps",
        save_every=2,
        logs=folder / "logs",
        rules=Rules(bad_steps=rule),
    )


def test_by_default_a_loss_that_is_no_number_stops_the_run_and_the_last_save_stands(tmp_path):
    with pytest.raises(BadStep, match="step 4 was refused: loss nan") as stopped:
        run(tmp_path, BadSteps(), bad={3})
    assert stopped.value.exit_code == 5
    assert [path.name for path in (tmp_path / "steps").iterdir()] == ["00000002"]


def test_skipped_steps_are_counted_and_too_many_in_a_row_stop_the_run(tmp_path):
    trained = run(tmp_path / "some", SKIP, bad={1, 3, 4})
    assert (trained.steps, trained.skipped) == (6, 3)
    assert [row.get("skipped_steps", 0) for row in read_metrics(tmp_path / "some" / "logs")] == [0, 1, 1, 2, 3, 3]
    with pytest.raises(BadStep, match="as were the 2 before it"):
        run(tmp_path / "many", SKIP, bad={1, 2, 3})
