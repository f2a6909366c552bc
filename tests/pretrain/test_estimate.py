"""The paper's models on the meta device, their steps and tokens, and what --estimate says of them."""

import pytest

from commons.config import load_config
from lm.schedules import multi_step
from pretrain.estimate import Machine, main, on_meta, parameters_of, seconds_of, state_bytes
from pretrain.stage import PretrainConfig
from sft.stage import SftConfig
from tests.conftest import ROOT

CONFIGS = ROOT / "configs"


@pytest.mark.parametrize(
    ("size", "billions", "steps", "tokens_per_step", "tokens", "peak"),
    [("paper", 6.91, 50_000, 10e6, 500e9, 4.2e-4), ("paper-1.3b", 1.63, 37_500, 4e6, 150e9, 5.3e-4)],
)
def test_the_papers_models_have_its_size_steps_tokens_and_rates(size, billions, steps, tokens_per_step, tokens, peak):
    found = parameters_of(on_meta(CONFIGS / size / "base.toml"))
    training = load_config(PretrainConfig, [CONFIGS / size / "pretrain.toml"], []).training
    step_tokens = training.batch_sequences * training.sequence_tokens
    print(f"{size}: {found / 1e9:.2f}B parameters, {training.steps:,} steps, {training.steps * step_tokens / 1e9:.1f}B")
    assert found / 1e9 == pytest.approx(billions, abs=0.005)
    assert training.steps == steps
    assert step_tokens == pytest.approx(tokens_per_step, rel=1e-3)
    assert training.steps * step_tokens == pytest.approx(tokens, rel=1e-3)
    rates = [
        multi_step(step, peak=training.peak_learning_rate, total_steps=steps, warmup_steps=training.warmup_steps)
        for step in (1_999, int(0.8 * steps) - 1, int(0.8 * steps), int(0.9 * steps) - 1, int(0.9 * steps))
    ]
    assert rates == [peak, peak, 0.316 * peak, 0.316 * peak, 0.1 * peak]


def test_fine_tuning_of_the_paper_is_500_steps_of_256_rows_at_5e_5():
    config = load_config(SftConfig, [CONFIGS / "paper" / "sft.toml"], [])
    print(f"sft: {config.steps} steps, {config.steps * config.batch.rows * config.batch.row_tokens / 1e6:.0f}M tokens")
    assert (config.steps, config.batch.rows, config.batch.row_tokens) == (500, 256, 4096)
    assert (config.optimiser.learning_rate, config.optimiser.schedule) == (5e-5, "constant")


def test_zero_shares_out_optimiser_then_gradients_then_weights():
    def bytes_each(stage, **changes):
        return state_bytes(100, stage, 4, **({"bf16": True} | changes))

    assert [bytes_each(stage) for stage in (0, 1, 2, 3)] == [1600, 700, 550, 400]
    assert bytes_each(1, offload=True) == 400
    assert bytes_each(0, bf16=False) == 1600


def test_time_is_operations_over_the_speed_of_all_gpus():
    model = on_meta(CONFIGS / "paper" / "base.toml")
    plain = load_config(PretrainConfig, [], ["training.steps=10", "training.batch_sequences=2"]).training
    # 6 x (6.91B without the 0.42B of the input embedding) and 12 x 30 layers x 4,096 x 4,096 tokens
    per_token = 6 * (parameters_of(model) - 102_400 * 4096) + 12 * 30 * 4096 * 4096
    expected = 10 * 2 * 4096 * per_token / (8 * 989e12 * 0.4)
    assert seconds_of(model, plain, Machine()) == pytest.approx(expected)


def test_the_command_says_memory_by_zero_stage_and_time_and_refuses_unknown_gpus(capsys):
    paper = [
        "--estimate",
        "--config",
        str(CONFIGS / "paper/pretrain.toml"),
        "--model",
        str(CONFIGS / "paper/base.toml"),
    ]
    assert main([*paper, "gpus=64", "mfu=0.5"]) == 0
    text = capsys.readouterr().out
    assert "6.91B parameters" in text
    assert "50,000 steps of 10.00M tokens, 499.9B in all; warm-up 2,000 steps, the rate drops after 40,000 and" in text
    assert "ZeRO 1" in text
    assert "<- this config" in text
    assert "days on 64 x H100 at 50% of peak" in text
    assert main([*paper, "gpu=abacus"]) == 2
    assert "gpu is `abacus`; known are" in capsys.readouterr().err
