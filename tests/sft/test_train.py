import pytest

from commons.errors import DataError
from commons.prompts import output_block, prompt
from lm.packing import Example
from sft.train import (
    RandomConcatenation,
    Solution,
    counts_by_language_and_form,
    example_of,
    pieces_of,
    solution_of,
)

END = 0
TOOL = f"We run it.\n```python\nprint(2+3)\n```\n{output_block('5')}So \\boxed{{5}}."


def characters(text: str) -> list[int]:
    return [ord(letter) for letter in text]


def text_of(tokens) -> str:
    return "".join(map(chr, tokens))


def learned_text(example: Example) -> str:
    return text_of(token for token, learned in zip(example.tokens, example.learned, strict=True) if learned and token)


def test_only_the_solution_and_the_end_are_learned():
    example = example_of(Solution("What is 2+3?", "2+3=5.", "cot", "en"), characters, END)
    asked = prompt("What is 2+3?", "cot", "en")
    assert text_of(example.tokens[:-1]) == asked + " 2+3=5."
    assert example.tokens[-1] == END
    assert example.learned == (False,) * len(asked) + (True,) * len(" 2+3=5.") + (True,)


def test_what_a_program_prints_is_read_but_not_learned():
    example = example_of(Solution("2+3?", TOOL, "tool", "en"), characters, END)
    assert text_of(example.tokens[:-1]).endswith(TOOL)
    assert learned_text(example) == " We run it.\n```python\nprint(2+3)\n```\nSo \\boxed{5}."


def test_the_loss_can_be_taken_on_everything():
    example = example_of(Solution("2+3?", TOOL, "tool", "en"), characters, END, learn_all=True)
    assert all(example.learned)


def test_the_pieces_of_a_solution_are_the_solution():
    for text in (TOOL, "2+3=5", TOOL + "\n" + TOOL, "```output\n5\n```"):
        assert "".join(piece for piece, _ in pieces_of(text)) == text


@pytest.mark.parametrize("change", [{"solution": None}, {"form": "essay"}, {"language": "fr"}])
def test_a_row_that_cannot_be_learned_from_is_named(change):
    row = {"id": "q7", "question": "2+3?", "solution": "5", "form": "cot", "language": "en"} | change
    with pytest.raises(DataError, match="'q7'"):
        solution_of(row)


def examples_of_lengths(*lengths: int) -> list[Example]:
    return [Example((number,) * length, (True,) * length) for number, length in enumerate(lengths, 1)]


def concatenation(examples: list[Example], rows: int = 2, length: int = 8, seed: int = 0) -> RandomConcatenation:
    return RandomConcatenation(examples, rows_per_step=rows, row_tokens=length, seed=seed, attend_across=True)


def numbers_of(data: RandomConcatenation, steps: range) -> list[int]:
    """The examples of some steps in the order in which they lie in the rows."""
    found = []
    for step in steps:
        rows = data.rows_of_step(step)
        for tokens, documents in zip(rows.tokens_NT.tolist(), rows.documents_NT.tolist(), strict=True):
            found += [tokens[documents.index(number)] for number in range(max(documents) + 1)]
    return found


def test_each_step_has_the_rows_it_should_and_no_example_is_cut():
    examples = examples_of_lengths(3, 5, 4, 2, 7, 1, 6)
    data = concatenation(examples)
    for step in range(20):
        rows = data.rows_of_step(step)
        assert tuple(rows.tokens_NT.shape) == (2, 8)
        for tokens, learned in zip(rows.tokens_NT.tolist(), rows.learned_NT.tolist(), strict=True):
            present = [token for token, is_learned in zip(tokens, learned, strict=True) if is_learned]
            # the last example of an epoch may also be the first of the next, in one row
            assert all(present.count(number) % len(examples[number - 1].tokens) == 0 for number in set(present))


def test_every_example_comes_once_in_each_epoch_in_another_order():
    data = concatenation(examples_of_lengths(3, 5, 4, 2, 7, 1, 6))
    seen = numbers_of(data, range(12))
    first, second = seen[:7], seen[7:14]
    assert sorted(first) == sorted(second) == list(range(1, 8))
    assert first != second
    assert data.epochs(12) == pytest.approx(len(seen) / 7)


def test_the_rows_of_a_step_do_not_depend_on_what_was_asked_before():
    examples = examples_of_lengths(3, 5, 4, 2, 7, 1, 6)
    in_turn = concatenation(examples)
    rows = [in_turn.rows_of_step(step).tokens_NT.tolist() for step in range(9)]
    assert concatenation(examples).rows_of_step(8).tokens_NT.tolist() == rows[8]
    assert in_turn.rows_of_step(2).tokens_NT.tolist() == rows[2]
    assert concatenation(examples, seed=1).rows_of_step(0).tokens_NT.tolist() != rows[0]


def test_an_example_that_fills_a_row_exactly_stands_alone():
    assert concatenation(examples_of_lengths(8)).rows_of_step(3).tokens_NT.tolist() == [[1] * 8] * 2


def test_an_example_longer_than_a_row_is_refused():
    with pytest.raises(ValueError, match="at most 8 tokens"):
        concatenation(examples_of_lengths(9))


def test_counts_have_a_row_for_chinese():
    solutions = [Solution("", "", "cot", "en"), Solution("", "", "pot", "en"), Solution("", "", "cot", "zh")]
    counts = counts_by_language_and_form(solutions, examples_of_lengths(2, 3, 5))
    assert counts == {
        "en": {
            "cot": {"solutions": 1, "learned_tokens": 2},
            "pot": {"solutions": 1, "learned_tokens": 3},
            "all": {"solutions": 2, "learned_tokens": 5},
        },
        "zh": {"cot": {"solutions": 1, "learned_tokens": 5}, "all": {"solutions": 1, "learned_tokens": 5}},
    }


def test_the_share_of_padding_is_what_the_rows_hold_of_it():
    data = concatenation(examples_of_lengths(3, 5, 7, 2, 6, 4))
    rows = [data.rows_of_step(step) for step in range(7)]
    padded = sum(int((one.documents_NT == -1).sum()) for one in rows) / sum(one.tokens_NT.numel() for one in rows)
    assert data.padding_share(7) == pytest.approx(padded)
    assert 0 < padded < 1
