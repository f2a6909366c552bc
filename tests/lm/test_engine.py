import shutil

import pytest
import torch

from commons.errors import ArtifactError, ConfigError
from lm.engine import start
from lm.logprobs import to_batches, token_logprobs
from tests.lm.models import VOCABULARY, llama
from tests.lm.supervised import digest, run
from tests.lm.test_logprobs import pairs_of_mixed_length

PAIRS = pairs_of_mixed_length(count=8)
TOKENS = sum(len(output) for _, output in PAIRS)


def losses(engine, groups):
    """One loss for each group of pairs, all divided by the token count of all groups."""
    batches = [batch for group in groups for batch in to_batches(group, token_budget=10_000)]
    return [lambda b=batch: -token_logprobs(engine.model, b).sum() / TOKENS for batch in batches]


def averaged_gradients(engine):
    return [state["exp_avg"].clone() for state in engine._wrapped.optimizer.state.values()]


def test_cutting_a_batch_into_micro_batches_does_not_change_the_gradient():
    found = []
    for size in (8, 4, 3, 1):
        engine = start(llama())
        update = engine.step(losses(engine, [PAIRS[i : i + size] for i in range(0, 8, size)]), 1e-3)
        found.append((update.loss, update.grad_norm, averaged_gradients(engine)))
    for other in found[1:]:
        torch.testing.assert_close(other, found[0], atol=1e-7, rtol=1e-5)


def test_the_gradient_norm_is_that_of_the_whole_loss_before_clipping():
    model = llama()
    [batch] = to_batches(PAIRS, token_budget=10_000)
    (-token_logprobs(model, batch).sum() / TOKENS).backward()
    expected = torch.cat([p.grad.flatten() for p in model.parameters()]).norm().item()
    for stage in (0, 1, 2):
        engine = start(llama(), zero_stage=stage, clip=expected / 100)
        assert engine.step(losses(engine, [PAIRS]), 1e-3).grad_norm == pytest.approx(expected, rel=1e-5)


def test_a_step_is_adamw_with_the_clipped_gradient():
    model = llama()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.95), weight_decay=0.1)
    engine = start(llama(), clip=0.5)
    [batch] = to_batches(PAIRS, token_budget=10_000)
    for rate in (1e-2, 3e-3):
        optimizer.zero_grad()
        (-token_logprobs(model, batch).sum() / TOKENS).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.param_groups[0]["lr"] = rate
        optimizer.step()
        engine.step(losses(engine, [PAIRS]), rate)
    for ours, theirs in zip(engine.model.parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_three_steps_saved_and_three_more_equal_six_to_the_bit(stage, tmp_path):
    whole = run(tmp_path / "whole", stage, 6)
    run(tmp_path / "halves", stage, 3)
    torch.rand(7)  # whatever happens in between
    halves = run(tmp_path / "halves", stage, 6)
    assert halves == whole
    assert whole["step"] == [1, 2, 3, 4, 5, 6]
    assert whole["loss"][-1] < whole["loss"][0]


def test_all_zero_stages_have_the_same_loss_curve(tmp_path):
    curves = [run(tmp_path / str(stage), stage, 5)["loss"] for stage in (0, 1, 2, 3)]
    for curve in curves[1:]:
        assert curve == pytest.approx(curves[0], rel=1e-4)


def test_random_numbers_go_on_where_the_saved_run_stood(tmp_path):
    engine = start(llama())
    torch.manual_seed(5)
    engine.step(losses(engine, [PAIRS]), 1e-3)
    engine.save(tmp_path, 1, {"note": [1, 2]})
    expected = torch.rand(3)
    torch.manual_seed(99)
    again = start(llama(seed=8))
    resumed = again.resume(tmp_path)
    assert (resumed.step, resumed.state) == (1, {"note": [1, 2]})
    assert torch.equal(torch.rand(3), expected)
    assert digest(again.model) == digest(engine.model)


def test_only_the_last_saves_stay_and_half_written_ones_do_not_count(tmp_path):
    engine = start(llama())
    assert engine.resume(tmp_path / "nothing") is None
    for step in (1, 2, 3):
        engine.save(tmp_path, step)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00000002", "00000003"]
    shutil.copytree(tmp_path / "00000003", tmp_path / ".unfinished-00000004")
    (tmp_path / ".unfinished-00000004" / "rank_0.pt").unlink()
    assert engine.resume(tmp_path).step == 3
    engine.save(tmp_path, 4)
    engine.save(tmp_path, 4)
    assert engine.resume(tmp_path).step == 4


def test_a_save_of_more_processes_is_refused_with_the_way_out(tmp_path):
    engine = start(llama())
    engine.save(tmp_path, 1)
    ours = torch.load(tmp_path / "00000001" / "rank_0.pt", weights_only=False)
    torch.save(ours | {"world_size": 2}, tmp_path / "00000001" / "rank_0.pt")
    with pytest.raises(ArtifactError, match=r"2 processes.*RESTART=1"):
        engine.resume(tmp_path)


@pytest.mark.parametrize("stage", [0, 2, 3])
def test_a_frozen_copy_stays_and_the_plain_model_follows(stage):
    engine = start(llama(), zero_stage=stage)
    copy, before = engine.frozen_copy(), digest(engine.plain_model())
    assert digest(copy) == before
    engine.step(losses(engine, [PAIRS]), 1e-2)
    assert digest(copy) == before
    assert digest(engine.plain_model()) != before
    assert not any(p.requires_grad for p in copy.parameters())
    with torch.no_grad():
        assert engine.plain_model()(torch.tensor([[1, 2]])).logits.shape == (1, 2, VOCABULARY)


def test_an_unknown_zero_stage_and_a_step_without_losses_are_refused():
    with pytest.raises(ValueError, match="ZeRO stage 4"):
        start(llama(), zero_stage=4)
    with pytest.raises(ConfigError, match="zero_stage 1, 2 and 3"):
        start(llama(), zero_stage=0, bf16=True)
    with pytest.raises(ConfigError, match="fewer parts than there are processes"):
        start(llama()).step([], 1e-3)


def test_starting_stepping_and_saving_print_nothing(tmp_path, capfd):
    for stage in (0, 2):
        engine = start(llama(), zero_stage=stage)
        engine.step(losses(engine, [PAIRS]), 1e-3)
        engine.save(tmp_path / str(stage), 1)
        assert start(llama(), zero_stage=stage).resume(tmp_path / str(stage)).step == 1
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_bf16_trains_near_float32_and_keeps_the_rotary_frequencies(stage):
    engine, exact = start(llama(), zero_stage=stage, bf16=True), start(llama())
    for _ in range(3):
        rounded, expected = engine.step(losses(engine, [PAIRS]), 1e-3), exact.step(losses(exact, [PAIRS]), 1e-3)
        assert rounded.loss == pytest.approx(expected.loss, rel=0.02)
        assert rounded.grad_norm == pytest.approx(expected.grad_norm, rel=0.05)
    assert engine.model.dtype == torch.bfloat16
    assert torch.equal(engine.model.model.rotary_emb.inv_freq, exact.model.model.rotary_emb.inv_freq)
