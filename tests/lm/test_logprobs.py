import pytest
import torch

from lm.logprobs import Batch, logprobs_of, to_batches, token_logprobs, token_mean
from tests.lm.models import FAMILIES, VOCABULARY, llama


def pairs_of_mixed_length(seed=3, count=9):
    generator = torch.Generator().manual_seed(seed)

    def tokens(low, high):
        length = int(torch.randint(low, high, (), generator=generator))
        return torch.randint(VOCABULARY, (length,), generator=generator).tolist()

    return [(tokens(1, 9), tokens(1, 12)) for _ in range(count)]


def plain_logprobs(model, question, output, temperature=1.0):
    """The same without any batching: one row, the whole table of logits."""
    logits = model(input_ids=torch.tensor([question + output])).logits[0]
    table = (logits / temperature).log_softmax(-1)
    return torch.stack([table[len(question) + t - 1, token] for t, token in enumerate(output)])


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("token_budget", [1, 40, 10_000])
def test_logprobs_do_not_depend_on_padding_or_batching(family, token_budget):
    model, pairs = FAMILIES[family](), pairs_of_mixed_length()
    batches = to_batches(pairs, token_budget=token_budget)
    assert sorted(place for batch in batches for place in batch.places) == list(range(len(pairs)))
    with torch.no_grad():
        for batch in batches:
            logp = token_logprobs(model, batch, temperature=0.6)
            assert (logp <= 0).all()
            for row, place in enumerate(batch.places):
                expected = plain_logprobs(model, *pairs[place], temperature=0.6)
                torch.testing.assert_close(logp[row, : len(expected)], expected, atol=2e-5, rtol=0)
                assert (logp[row, len(expected) :] == 0).all()


def test_ids_equal_to_a_padding_or_end_token_count_like_any_other():
    model = llama(eos=0)  # 0 is also what rows are filled up with
    pairs = [([5, 0, 7], [0, 0, 4, 0]), ([9], [0])]
    [batch] = to_batches(pairs, token_budget=1000)
    assert batch.mask_BO.tolist() == [[True] * 4, [True, False, False, False]]
    logp = token_logprobs(model, batch)
    torch.testing.assert_close(logp[1, :1], plain_logprobs(model, *pairs[1]), atol=2e-5, rtol=0)
    assert (logp[0] < 0).all()


def test_slices_of_the_vocabulary_head_give_the_same_values_and_gradients():
    model = llama()
    hidden = torch.randn(10, 32, requires_grad=True)
    target = torch.randint(VOCABULARY, (10,))
    results = []
    for at_once in (1 << 24, 3 * VOCABULARY, 1):
        model.zero_grad()
        hidden.grad = None
        logp = logprobs_of(model, hidden, target, temperature=0.7, logits_at_once=at_once)
        (logp * torch.arange(10)).sum().backward()
        results.append((logp.detach(), hidden.grad.clone(), model.lm_head.weight.grad.clone()))
    for other in results[1:]:
        torch.testing.assert_close(other, results[0], atol=1e-4, rtol=1e-4)


def test_batches_keep_within_the_budget_unless_one_pair_is_longer():
    pairs = [([1] * 3, [2] * n) for n in (1, 2, 3, 4, 5, 20)]
    batches = to_batches(pairs, token_budget=16)
    assert [batch.tokens_BT.shape for batch in batches] == [(1, 23), (2, 8), (2, 6), (1, 4)]


def test_numbers_per_token_of_the_whole_list_line_up_with_the_rows():
    pairs = [([1], [2, 3]), ([1, 1], [2, 3, 4])]
    [batch] = to_batches(pairs, token_budget=100)
    assert batch.places == (1, 0)
    assert batch.align([[-1.0, -2.0], [-3.0, -4.0, -5.0]]).tolist() == [[-3.0, -4.0, -5.0], [-1.0, -2.0, 0.0]]


def test_a_pair_without_output_is_refused():
    with pytest.raises(ValueError, match="output of at least one token"):
        to_batches([([1, 2], [])], token_budget=10)


def test_the_token_mean_leaves_out_masked_tokens_even_when_they_are_not_numbers():
    x = torch.tensor([[1.0, 3.0, float("nan")], [float("inf"), 1.0, 1.0]])
    mask = torch.tensor([[True, True, False], [False, False, False]])
    assert token_mean(x, mask).tolist() == [2.0, 0.0]


def test_a_batch_moves_whole():
    [batch] = to_batches([([1], [2])], token_budget=9)
    moved = batch.to(torch.device("cpu"))
    assert isinstance(moved, Batch)
    assert moved.places == batch.places
