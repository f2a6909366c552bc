from random import Random

import pytest

from commons.equivalence import grade
from commons.errors import ConfigError
from commons.prompts import programs
from commons.verdicts import Verdict
from sft.families import TAUGHT, signed_chain
from sft.other_families import UNTAUGHT
from sft.problems import Problem, Sizes, solution
from sft.questions import QuestionsConfig, check, splits

SMALL = QuestionsConfig(sft_cot=70, sft_pot=7, sft_tool=7, sft_chinese=7, rl=35, heldout=35, out_of_family=8)
SEVEN = Problem("What is 3+4?", "3+4等于多少？", ("3+4=7",), "print(3+4)", 7)


@pytest.fixture(scope="module")
def named():
    return splits(SMALL)


def test_the_three_forms_of_one_solution():
    assert solution(SEVEN, "cot", "en") == r"3+4=7. So \boxed{7}."
    assert solution(SEVEN, "cot", "zh") == r"3+4=7. 答案是\boxed{7}。"
    assert solution(SEVEN, "pot", "en") == "Program:\n```python\nprint(3+4)\n```"
    assert solution(SEVEN, "tool", "en").endswith("```output\n7\n```\nSo \\boxed{7}.")


def test_a_brief_solution_writes_no_step():
    problem = Problem("", "", ("3+4=7", "2*7=14"), "print(2*(3+4))", 14)
    assert solution(problem, "cot", "en") == r"3+4=7, 2*7=14. So \boxed{14}."
    assert solution(problem, "cot", "en", brief=True) == r"So \boxed{14}."


def test_only_the_sft_set_mixes_the_two_manners():
    named = splits(SMALL.model_copy(update={"sft_brief": 1.0, "brief_families": ("change", "perimeter")}))
    for row in named["train"]:
        if row["form"] == "cot" and row["family"] in ("change", "comparison"):
            assert row["solution"].count("=") == (0 if row["family"] == "change" else 2)
    assert any(row["solution"].count("=") == 2 for row in named["heldout"])


def test_a_program_is_found_in_what_the_model_is_taught_to_write_after_one_space():
    assert programs(" " + solution(SEVEN, "pot", "en")) == ["print(3+4)\n"]


@pytest.mark.parametrize("name", [*TAUGHT, *UNTAUGHT])
def test_the_equations_of_every_family_hold_and_lead_to_its_answer(name):
    family = (TAUGHT | UNTAUGHT)[name]
    for seed in range(50):
        problem = family(Random(seed), Sizes(terms=20, factors=9))
        for step in problem.steps:
            left, right = step.split("=")
            assert eval(left) == int(right), step
        produced = [int(step.split("=")[1]) for step in problem.steps]
        assert problem.answer == produced[-1]


@pytest.mark.parametrize("name", [*TAUGHT, *UNTAUGHT])
def test_all_numbers_of_a_question_stand_in_both_languages(name):
    family = (TAUGHT | UNTAUGHT)[name]
    problem = family(Random(3), Sizes(terms=20, factors=9))
    numbers = [sorted(_numbers(text)) for text in (problem.english, problem.chinese)]
    assert numbers[0] == numbers[1]


def _numbers(text):
    return [int(run) for run in "".join(c if c in "0123456789" else " " for c in text).split()]


def test_partial_sums_stay_positive():
    for seed in range(200):
        _, steps, _ = signed_chain(Random(seed), Sizes(terms=5, factors=4), 6)
        assert all(int(step.split("=")[1]) > 0 for step in steps)


def test_no_question_stands_twice_in_whatever_split(named):
    texts = [row["question"] for rows in named.values() for row in rows]
    assert len(texts) == len(set(texts)) == 91 + 35 + 35 + 4 * 8


def test_identifiers_are_unique_and_every_family_has_its_share(named):
    identifiers = [row["id"] for rows in named.values() for row in rows]
    assert len(identifiers) == len(set(identifiers))
    for family in TAUGHT:
        assert sum(row["family"] == family for row in named["heldout"]) == 5


def test_the_held_out_questions_do_not_move_when_the_sft_set_grows(named):
    larger = splits(SMALL.model_copy(update={"sft_cot": 140, "rl": 70}))
    assert larger["heldout"] == named["heldout"]
    assert larger["out_of_family"] == named["out_of_family"]


def test_another_seed_gives_other_questions(named):
    other = splits(SMALL.model_copy(update={"seed": 1}))
    assert [row["question"] for row in other["train"]] != [row["question"] for row in named["train"]]


def test_every_program_runs_and_every_answer_agrees(named):
    assert check([row for rows in named.values() for row in rows], workers=2) == 14 + 16


def test_a_wrong_box_and_a_wrong_program_are_found(named):
    row = next(row for row in named["train"] if row["form"] == "cot")
    wrong = row | {"answer": str(int(row["answer"]) + 1)}
    assert grade(wrong["solution"], wrong["answer"]).verdict is Verdict.WRONG
    with pytest.raises(ValueError, match="does not end in the answer"):
        check([wrong], workers=1)
    row = next(row for row in named["train"] if row["form"] == "pot")
    with pytest.raises(ValueError, match="program ends ok"):
        check([row | {"answer": "-1"}], workers=1)


def test_more_questions_than_the_sizes_allow_is_a_clear_error():
    with pytest.raises(ConfigError, match="allow larger numbers"):
        splits(SMALL.model_copy(update={"heldout": 200_000, "terms": 5, "factors": 4}))
