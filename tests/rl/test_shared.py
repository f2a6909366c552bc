"""Outputs that share one reading of their question get the log-probabilities and gradients that they get alone."""

import pytest
import torch
from torch.testing import assert_close

from lm.logprobs import to_batches, token_logprobs
from rl.shared import shared_token_logprobs, to_shared_batches
from tests.rl.conftest import micro_model, micro_tokenizer

QUESTIONS = [(3, 4, 5), (6, 7)]
OUTPUTS = [(8, 1), (9, 3, 3, 3, 2), (10,), (3, 11, 3), (8, 8, 8, 1), (9,), (10, 10)]
PAIRS = [(QUESTIONS[place % 2], output) for place, output in enumerate(OUTPUTS)]


@pytest.fixture(scope="module")
def model():
    return micro_model(micro_tokenizer(), seed=1)


def alone(model, temperature):
    rows = {}
    for batch in to_batches(PAIRS, token_budget=1):
        rows[batch.places[0]] = token_logprobs(model, batch, temperature=temperature)[0]
    return rows


@pytest.mark.parametrize("token_budget", [1, 9, 1000])
def test_the_logprobs_are_those_of_each_output_alone(model, token_budget):
    expected, seen = alone(model, 0.7), []
    for batch in to_shared_batches(PAIRS, token_budget=token_budget):
        logp_BO = shared_token_logprobs(model, batch, temperature=0.7)
        for row, place in enumerate(batch.places):
            length = len(OUTPUTS[place])
            assert_close(logp_BO[row, :length], expected[place], atol=1e-5, rtol=1e-5)
            assert not logp_BO[row, length:].any()
            seen.append(place)
    assert sorted(seen) == list(range(len(PAIRS)))


def test_the_gradient_is_the_same_too(model):
    model.zero_grad()
    sum(logp.sum() for logp in alone(model, 1.0).values()).backward()
    expected = [parameter.grad.clone() for parameter in model.parameters()]
    model.zero_grad()
    for batch in to_shared_batches(PAIRS, token_budget=1000):
        shared_token_logprobs(model, batch, temperature=1.0).sum().backward()
    assert_close([parameter.grad for parameter in model.parameters()], expected, atol=1e-5, rtol=1e-4)


def test_numbers_are_aligned_with_the_outputs_of_a_batch():
    batch = to_shared_batches(PAIRS, token_budget=1000)[1]
    assert batch.places == (1, 3, 5)
    aligned_BO = batch.align([list(map(float, output)) for output in OUTPUTS])
    assert [
        tuple(row[: len(OUTPUTS[place])]) for place, row in zip(batch.places, aligned_BO.tolist(), strict=True)
    ] == [OUTPUTS[place] for place in batch.places]
    assert torch.equal(aligned_BO != 0, batch.mask_BO)
