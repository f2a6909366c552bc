import torch

from lm.logprobs import hidden_states
from lm.packing import Example, concatenate, examples_of_step, rows_of_parts, shuffled, stream
from lm.training import summed_loss
from tests.lm.models import llama


def solved(question, solution):
    return Example((*question, *solution), (False,) * len(question) + (True,) * len(solution))


EXAMPLES = [solved([1, 2], [3]), solved([4], [5, 6]), solved([7, 8, 9], [10, 11])]


def test_examples_stay_whole_and_rows_are_filled_up_with_nothing_to_learn():
    rows = concatenate(EXAMPLES, 7)
    assert rows.tokens_NT.tolist() == [[1, 2, 3, 4, 5, 6, 0], [7, 8, 9, 10, 11, 0, 0]]
    assert rows.documents_NT.tolist() == [[0, 0, 0, 1, 1, 1, -1], [0, 0, 0, 0, 0, -1, -1]]
    assert rows.tokens_NT[rows.targets_NT].tolist() == [3, 5, 6, 10, 11]
    assert rows.positions_NT[0].tolist() == list(range(7))
    assert rows.mask_N1TT is None


def test_without_attention_across_positions_start_again_and_examples_see_only_themselves():
    rows = concatenate(EXAMPLES, 7, attend_across=False)
    assert rows.positions_NT[0].tolist() == [0, 1, 2, 0, 1, 2, 0]
    seen = rows.mask_N1TT[0, 0].int().tolist()
    assert seen[3] == [0, 0, 0, 1, 0, 0, 0]
    assert seen[5] == [0, 0, 0, 1, 1, 1, 0]
    assert all(row[i] for i, row in enumerate(seen))  # a row that sees nothing would be 0/0


def test_the_first_token_of_an_example_is_learned_only_from_what_stands_before_it():
    told = [Example((1, 2), (True, True)), Example((3, 4), (True, True))]
    across, apart = concatenate(told, 4), concatenate(told, 4, attend_across=False)
    assert across.targets_NT.tolist() == [[False, True, True, True]]
    assert apart.targets_NT.tolist() == [[False, True, False, True]]


def test_an_example_learns_in_a_row_what_it_learns_alone():
    model = llama()
    together = summed_loss(model, concatenate(EXAMPLES, 12, attend_across=False))
    alone = sum(summed_loss(model, concatenate([one], 5, attend_across=False)) for one in EXAMPLES)
    torch.testing.assert_close(together, alone, atol=1e-4, rtol=1e-5)
    hidden = hidden_states(model, torch.tensor([[7, 8, 9, 10, 11]]))
    expected = model.lm_head(hidden)[0, 2:4].log_softmax(-1)[[0, 1], [10, 11]].sum()
    torch.testing.assert_close(-summed_loss(model, concatenate(EXAMPLES[2:], 9)), expected, atol=1e-4, rtol=1e-5)


def test_an_example_longer_than_a_row_keeps_its_beginning():
    assert concatenate([solved([1], [2, 3, 4])], 3).tokens_NT.tolist() == [[1, 2, 3]]


def test_rows_are_cut_by_slices():
    rows = concatenate(EXAMPLES, 5)
    assert len(rows) == 3
    assert rows[1::2].tokens_NT.tolist() == [[4, 5, 6, 0, 0]]


def test_a_stream_fills_its_rows_across_documents():
    rows = list(stream([[1, 2, 3], [4], [5, 6, 7, 8]], 3))
    assert rows == [(1, 2, 3), (4, 5, 6)]
    assert rows_of_parts([[row] for row in rows], attend_across=True).targets_NT.tolist() == [[False, True, True]] * 2


def test_every_example_comes_once_in_an_epoch_and_steps_run_over_its_end():
    steps = [examples_of_step(step, per_step=4, count=10, seed=3) for step in range(5)]
    visited = [i for step in steps for i in step]
    assert sorted(visited[:10]) == sorted(visited[10:]) == list(range(10))
    assert visited[:10] == shuffled(10, seed=3, epoch=0)
    assert visited[10:] == shuffled(10, seed=3, epoch=1) != visited[:10]
    assert len(examples_of_step(0, per_step=25, count=10, seed=3)) == 25
