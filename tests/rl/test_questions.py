"""Which question is asked when: a pure function of step and seed."""

from collections import Counter

import pytest

from commons.errors import DataError
from commons.shards import write_jsonl
from rl.questions import Question, draws_of_step, read_questions
from tests.rl.conftest import CHOICES, question_rows

QUESTIONS = [Question(f"q{i}", (i,), str(i)) for i in range(5)]


def asked(steps, per_step, seed=0):
    return [d.question.id for step in steps for d in draws_of_step(QUESTIONS, step, per_step=per_step, seed=seed)]


def test_each_epoch_asks_every_question_once_in_a_new_order_and_steps_cross_its_end():
    order = asked(range(5), per_step=3)
    epochs = [order[:5], order[5:10], order[10:]]
    assert [sorted(epoch) for epoch in epochs] == [["q0", "q1", "q2", "q3", "q4"]] * 3
    assert len(set(map(tuple, epochs))) > 1


def test_the_order_is_the_same_however_it_is_cut_into_steps_and_another_for_another_seed():
    assert asked(range(3), per_step=5) == asked(range(5), per_step=3)
    assert asked(range(3), per_step=5) != asked(range(3), per_step=5, seed=1)


def test_more_questions_than_there_are_give_two_groups_of_one_question():
    draws = draws_of_step(QUESTIONS, 1, per_step=10, seed=0)
    assert [draw.group for draw in draws] == list(range(10, 20))
    assert Counter(draw.question.id for draw in draws) == dict.fromkeys(["q0", "q1", "q2", "q3", "q4"], 2)


def test_other_forms_and_long_questions_are_left_out_and_counted(tmp_path):
    rows = question_rows()
    rows[0]["form"] = "tool"
    rows[1]["question"] = "long " * 50
    write_jsonl(tmp_path / "rl.jsonl", rows)
    questions, counts = read_questions(
        tmp_path / "rl.jsonl", lambda text: [1] * len(text.split()), max_prompt_tokens=40
    )
    assert [question.id for question in questions] == ["q2", "q3"]
    assert counts == {"questions read": CHOICES, "questions of another form": 1, "questions too long": 1}
    with pytest.raises(DataError, match="no question to ask"):
        read_questions(tmp_path / "rl.jsonl", lambda _: [1] * 99, max_prompt_tokens=40)
