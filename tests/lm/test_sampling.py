import pytest
import torch

from commons.errors import DataError
from lm.logprobs import to_batches, token_logprobs
from lm.sampling import sample
from tests.lm.models import FAMILIES, VOCABULARY, llama

ENDS = frozenset({1, 2, 3, 4, 5, 6})
PROMPTS = [[7, 8, 9], [10], [11, 12, 13, 14, 15, 16, 17], [7, 8, 9], [20, 21], [30] * 5]


def draw(model, prompts=PROMPTS, **changes):
    arguments = {"outputs_per_prompt": 6, "max_new_tokens": 14, "temperature": 0.6, "seed": 5, "end_ids": ENDS}
    return sample(model, prompts, **(arguments | changes))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_logprobs_of_sampled_tokens_are_those_of_the_trainer_at_that_temperature(family):
    model = FAMILIES[family]()
    samples = [(prompt, one) for prompt, outputs in zip(PROMPTS, draw(model), strict=True) for one in outputs]
    assert len({len(one.tokens) for _, one in samples}) > 3  # rows did leave the batch at different times
    for batch in to_batches([(prompt, one.tokens) for prompt, one in samples], token_budget=300):
        with torch.no_grad():
            expected = token_logprobs(model, batch, temperature=0.6)
        torch.testing.assert_close(batch.align([one.logprobs for _, one in samples]), expected, atol=3e-5, rtol=0)


@pytest.mark.parametrize("family", FAMILIES)
def test_samples_do_not_depend_on_what_is_sampled_beside_them(family):
    model = FAMILIES[family]()
    together = [[one.tokens for one in outputs] for outputs in draw(model)]
    for rows_at_once in (6, 13, 24):
        assert [[one.tokens for one in outputs] for outputs in draw(model, rows_at_once=rows_at_once)] == together
    backwards = draw(model, PROMPTS[::-1], keys=range(len(PROMPTS))[::-1])
    assert [[one.tokens for one in outputs] for outputs in backwards[::-1]] == together
    alone = draw(model, PROMPTS[2:3], keys=[2])
    assert [one.tokens for one in alone[0]] == together[2]
    assert [one.tokens for one in draw(model, PROMPTS[2:3], keys=[2], outputs_per_prompt=2)[0]] == together[2][:2]


def test_equal_prompts_with_different_keys_get_different_outputs_and_another_seed_changes_all():
    first, again, other = draw(llama()), draw(llama()), draw(llama(), seed=6)
    assert first == again
    assert first[0] != first[3]
    assert all(a != b for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_outputs_equal_those_of_generate(family):
    model = FAMILIES[family]()
    for prompt, [one] in zip(PROMPTS, draw(model, temperature=0, outputs_per_prompt=1), strict=True):
        expected = model.generate(
            torch.tensor([prompt]), do_sample=False, max_new_tokens=14, eos_token_id=sorted(ENDS), pad_token_id=0
        )
        assert list(one.tokens) == expected[0, len(prompt) :].tolist()


def test_an_output_ends_with_its_only_end_token_or_at_the_limit():
    for outputs in draw(llama()):
        for one in outputs:
            ends = [token in ENDS for token in one.tokens]
            assert len(one.tokens) == len(one.logprobs)
            if one.finished:
                assert ends == [False] * (len(ends) - 1) + [True]
            else:
                assert not any(ends)
                assert len(ends) == 14


def test_an_end_token_at_the_last_allowed_place_is_a_finished_output():
    model = llama()
    [[free]] = draw(model, PROMPTS[:1], outputs_per_prompt=1, temperature=0, end_ids=frozenset({VOCABULARY}))
    assert not free.finished
    place = next(i for i in range(2, 14) if free.tokens[i] not in free.tokens[:i])
    ends = frozenset({free.tokens[place]})
    [[exact]] = draw(model, PROMPTS[:1], outputs_per_prompt=1, temperature=0, end_ids=ends, max_new_tokens=place + 1)
    [[short]] = draw(model, PROMPTS[:1], outputs_per_prompt=1, temperature=0, end_ids=ends, max_new_tokens=place)
    assert exact.finished
    assert exact.tokens == free.tokens[: place + 1]
    assert not short.finished
    assert short.tokens == free.tokens[:place]


def test_frequencies_follow_the_tempered_distribution():
    model = llama(seed=2)
    [outputs] = draw(model, [[9, 8]], outputs_per_prompt=4000, max_new_tokens=1, temperature=1.3)
    counts = torch.bincount(torch.tensor([one.tokens[0] for one in outputs]), minlength=VOCABULARY)
    with torch.no_grad():
        expected = (model(torch.tensor([[9, 8]])).logits[0, -1] / 1.3).softmax(-1)
    # chi-square over 61 cells: 60 expected, standard deviation 11
    assert float(((counts - 4000 * expected) ** 2 / (4000 * expected)).sum()) < 60 + 4 * 11


def test_outputs_stop_where_the_models_positions_end():
    [[one]] = draw(
        llama(), [[9] * 60], outputs_per_prompt=1, max_new_tokens=50, temperature=0, end_ids=frozenset({VOCABULARY})
    )
    assert len(one.tokens) == 4
    assert not one.finished
    with pytest.raises(DataError, match="64 positions"):
        draw(llama(), [[9] * 64])


def test_no_prompts_give_no_outputs():
    assert draw(llama(), []) == []
