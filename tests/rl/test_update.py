"""The loss over micro-batches: invariant to how they are cut, to outputs without a reward, and frozen pi_old."""

import pytest
import torch
from torch.testing import assert_close

from lm.logprobs import to_batches, token_logprobs
from rl.shared import to_shared_batches
from rl.update import OldLogprobs, losses, micro_batches, update_measures
from tests.rl.conftest import micro_model, micro_tokenizer

PAIRS = [
    ((3, 4, 5), (8, 1)),
    ((3, 4), (9, 3, 3, 3, 2)),
    ((6,), (10,)),
    ((3, 7, 7, 7), (3, 11, 3)),
    ((5, 5), (8, 8, 8, 1)),
]
ADVANTAGES = [1.0, -1.0, 0.5, 2.0, -0.25]
SETTINGS = {"temperature": 1.0, "clip": 0.2, "kl_weight": 0.04, "max_log_ratio": 20.0}


@pytest.fixture(scope="module")
def model():
    return micro_model(micro_tokenizer(), seed=1)


@pytest.fixture(scope="module")
def reference():
    return micro_model(micro_tokenizer(), seed=2)


def sampled(model, pairs):
    rows = [[] for _ in pairs]
    for batch in to_batches(pairs, token_budget=100):
        logp_BO = token_logprobs(model, batch).detach()
        for row, place in enumerate(batch.places):
            rows[place] = logp_BO[row, : len(pairs[place][1])].tolist()
    return rows


def parts_of(model, reference, pairs, advantages, token_budget):
    kept = sum(advantage is not None for advantage in advantages)
    return micro_batches(
        to_shared_batches(pairs, token_budget=token_budget),
        reference,
        sampled=sampled(model, pairs),
        advantages=advantages,
        outputs_of_step=max(kept, 1),
        temperature=1.0,
    )


def gradient(model, parts, old=None):
    model.zero_grad()
    measured = {}
    for loss in losses(model, parts, old or OldLogprobs(), measured, **SETTINGS):
        loss().backward()
    flat = torch.cat([parameter.grad.flatten() for parameter in model.parameters()])
    return flat, update_measures(list(measured.values()), updates=1)


def test_the_gradient_does_not_depend_on_the_cut_into_micro_batches(model, reference):
    whole, whole_values = gradient(model, parts_of(model, reference, PAIRS, ADVANTAGES, 1000))
    for token_budget in (1, 8, 14):
        parts = parts_of(model, reference, PAIRS, ADVANTAGES, token_budget)
        assert len(parts) > 3
        cut, values = gradient(model, parts)
        assert_close(cut, whole, atol=1e-6, rtol=1e-4)
        for name in ("policy_loss", "kl_loss", "kl", "entropy"):
            assert values[name] == pytest.approx(whole_values[name], abs=1e-6)


def test_an_output_without_a_reward_changes_nothing(model, reference):
    plain, plain_values = gradient(model, parts_of(model, reference, PAIRS, ADVANTAGES, 1000))
    more = parts_of(model, reference, [*PAIRS, ((3, 3), (3,) * 9)], [*ADVANTAGES, None], 1000)
    with_it, values = gradient(model, more)
    assert_close(with_it, plain, atol=1e-6, rtol=1e-4)
    assert values["kl"] == pytest.approx(plain_values["kl"])
    assert values["entropy"] == pytest.approx(plain_values["entropy"])


def test_outputs_without_any_reward_give_a_zero_loss_and_a_zero_gradient(model, reference):
    parts = parts_of(model, reference, PAIRS, [None] * len(PAIRS), 1000)
    flat, values = gradient(model, parts)
    assert flat.abs().max() == 0
    assert values["policy_loss"] == 0


def test_the_loss_is_minus_the_mean_over_outputs_of_the_mean_over_tokens(model, reference):
    # at pi_old = pi: minus the mean advantage, plus 0.04 times the mean per-output KL
    _, values = gradient(model, parts_of(model, reference, PAIRS, ADVANTAGES, 1000))
    assert values["policy_loss"] == pytest.approx(-sum(ADVANTAGES) / 5, abs=1e-6)
    per_output = []
    for batch in to_batches(PAIRS, token_budget=1):
        log_ratio_1O = token_logprobs(reference, batch).detach() - token_logprobs(model, batch).detach()
        per_output.append(float((log_ratio_1O.exp() - log_ratio_1O - 1).mean()))
    assert values["kl_loss"] == pytest.approx(0.04 * sum(per_output) / 5, rel=1e-4)


def test_a_reference_equal_to_the_policy_gives_exactly_zero_kl(model):
    _, values = gradient(model, parts_of(model, model, PAIRS, ADVANTAGES, 14))
    assert values["kl"] == 0
    assert values["ratio_max"] == 1
    assert values["sampling/sampling_logp_difference/max"] < 1e-5


def test_the_second_update_sees_the_policy_of_the_first_as_old():
    model, reference = micro_model(micro_tokenizer(), seed=1), micro_model(micro_tokenizer(), seed=2)
    parts, old = parts_of(model, reference, PAIRS, ADVANTAGES, 14), OldLogprobs()
    _, first = gradient(model, parts, old)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 3.0 * parameter.grad
    _, second = gradient(model, parts, old)
    assert (first["ratio_max"], first["clip_ratio/region_mean"]) == (1, 0)
    assert second["ratio_max"] > 1.2
    assert second["clip_ratio/region_mean"] > 0
