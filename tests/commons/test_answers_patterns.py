"""Extraction beyond the plain cases: policies, boxes that are one answer, stop words, letters, the paper's rules."""

import pytest

from commons.answers.choices import find_choice
from commons.answers.extraction import cut_at_stops, extract_answer, find_answer
from commons.answers.paper import general_answers, paper_answers, paper_grade, same_ocw, same_single


@pytest.mark.parametrize(
    ("output", "last", "first", "every"),
    [
        (r"\boxed{2}. wait, \boxed{3}", "3", "2", "2, 3"),
        (r"\boxed{840} so \boxed{840}", "840", "840", "840"),
        (r"\boxed{1} and \boxed{2}", "1, 2", "1", "1, 2"),
        (r"\boxed{7} no \boxed{1}, \boxed{2}", "1, 2", "7", "7, 1, 2"),
    ],
)
def test_the_policy_for_several_boxes_is_explicit(output, last, first, every):
    assert extract_answer(output) == last
    assert extract_answer(output, policy="first") == first
    assert extract_answer(output, policy="all") == every


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        (r"each gets \boxed{200}. Final Answer: The final answer is $10,455$. I hope it is correct.", "$10,455$"),
        (r"\boxed{5}. The answer is correct.", "5"),
        (r"\boxed{5}. The final answer is as above.", "5"),
        ("Final Answer: The volume of the box is 120. I hope it is correct.", "120"),
        ("The answer is 5<|im_end|>\nThe answer is 6", "5"),
        ("FAQ: we add. The answer is 4.", "4"),
        ("Identify the Question first. The answer is 4.", "4"),
        ("The answer is 4:30 p.m.", "4:30 p.m."),
        ("答案：每份应该是 3 吨。", "3 吨"),
    ],
)
def test_ranks_and_sentences(output, answer):
    assert extract_answer(output) == answer


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ("so in all there are 3 + 10 = 13 birds", "13"),
        ("just about 1$", "1"),
        ("it costs $29.00", "29.00"),
        ("we wait ... and then 5...", "5"),
        ("it is 1,234.", "1,234"),
        ("c'est 2,74 euros par jour", "2.74"),
        ("nothing here", "nothing here"),
    ],
)
def test_the_last_number_is_read_only_where_a_guess_is_asked_for(output, answer):
    assert extract_answer(output) is None
    assert extract_answer(output, guess=True) == answer


def test_each_answer_says_which_pattern_found_it():
    found = [
        find_answer(text, guess=True) for text in (r"\boxed{1}", "#### 1", "```output\n1\n```", "$x$ is odd", "is 1 !?")
    ]
    assert [one.pattern for one in found if one] == ["box", "phrase", "program", "formula", "number"]


def test_stop_words_count_at_the_start_of_a_line_only():
    assert cut_at_stops("it is 5\nQ: next", ["\nQ:"]) == ("it is 5", "Q:")
    assert cut_at_stops("FAQ: it is 5", ["\nQ:"]) == ("FAQ: it is 5", None)
    assert cut_at_stops("因此\n问题：下一个", ["\n问题："]) == ("因此", "问题：")
    assert cut_at_stops("anything", []) == ("anything", None)


@pytest.mark.parametrize(
    ("output", "letters"),
    [
        ("The answer: D, it doesn't make sense for it to be A or B", "D"),
        ("D. it can't be A or B", "D"),
        ("(D) Alina", "D"),
        ("I think a triangle fits, it must be (C). That is a fact", "C"),
        ("The answer is (b).", "B"),
        ("Antwort:\n\nAntwort: C", "C"),
        ("Answer: Because of this, **Answer: B**", "B"),
        ("final answer is about right", None),
        ("it seems so", None),
        ("the answer is a number", None),
        (r"\boxed{\Delta E}", None),
        (r"\boxed{C}", "C"),
        (r"\boxed{\text{(C)}}", "C"),
        (r"so $(C)$", "C"),
        ("答案是B (因为A错误)", "B"),
        ("故选AD", "AD"),
        ("答案是 A、C、D", "ACD"),
        ("The answer is\n(C) Cecile", "C"),
        ("I", None),
    ],
)
def test_letters_of_a_multiple_choice_answer(output, letters):
    found = find_choice(output)
    assert (None if found is None else found.text) == letters


def test_the_text_of_an_option_is_the_last_resort_and_says_so():
    found = find_choice(r"we get \boxed{12}", {"A": "10", "B": "12.0"})
    assert found is not None
    assert (found.text, found.pattern) == ("B", "option text")


def test_the_papers_extraction_keeps_its_faults():
    assert paper_answers("The answer is 1,234.", benchmark="gsm8k", few_shot=True) == ["234"]
    assert paper_answers("FAQ: 5 is it", benchmark="gsm8k", few_shot=True) == ["[invalid]"]
    assert paper_answers("所以答案是：1,200元。", benchmark="cmath", few_shot=True) == ["200"]
    assert paper_answers("所以答案是：3/4。", benchmark="cmath", few_shot=True) == ["4"]
    assert paper_answers("final answer is about 5", benchmark="sat", few_shot=True) == ["A"]
    assert paper_answers(r"\boxed{C}", benchmark="sat", few_shot=True) == []
    assert paper_answers("答案是B (因为A错误)", benchmark="gaokao_mathqa", few_shot=True) == ["A"]
    assert paper_answers("we get 5", benchmark="ocw", few_shot=True) == ["[invalid]"]


def test_the_papers_general_extraction_has_five_ranks():
    assert general_answers(r"\boxed{1} The final answer is $2$. I hope") == ["2"]
    assert general_answers(r"\boxed{1}, \boxed{2} he answer is 3") == ["1", "2"]
    assert general_answers("The answer is 3.\nNext") == ["3"]
    assert general_answers("```output\n4\n```") == ["4"]
    assert general_answers("so 1,234 in all") == ["1234"]


def test_the_papers_equality_keeps_its_faults():
    assert same_single("50", "0.5")  # any factor of 100
    assert same_single("0.0001", "0.0009")
    assert same_single("[0,1)", "(0,1]")
    assert same_single(r"\frac{1}{2}", "0.5")
    assert not same_single("2", "3")
    assert not same_ocw("0", "0")
    assert not same_ocw("-7", "-7")
    assert same_ocw("4.5e33", "4.5e33")


def test_the_papers_grader_of_math_takes_the_last_guesses():
    assert paper_grade(r"\boxed{1} or \boxed{2}", "2", benchmark="math", few_shot=False).correct
    assert not paper_grade(r"\boxed{2} or \boxed{1}", "2", benchmark="math", few_shot=False).correct
    assert paper_grade(r"\boxed{1, 2}", "2,1", benchmark="math", few_shot=False, question="separated by commas").correct
    assert paper_grade("答案是$5$;$10$", "$5$;$10$", benchmark="gaokao_mathcloze", few_shot=True).correct
    with pytest.raises(ValueError, match="no rule of the paper"):
        paper_grade("5", "5", benchmark="minif2f", few_shot=True)


def test_of_two_phrases_in_one_line_the_last_is_the_answer():
    assert extract_answer("The answer is 4. No, wait. So the answer is 5.") == "5"
    assert extract_answer("The final answer is 7.") == "7"
    assert extract_answer("#### 12") == "12"
    assert extract_answer("答案是：12") == "12"
    assert extract_answer("The answer is 5. Now the answer is ") == "5"


@pytest.mark.parametrize(("policy", "answer"), [("last", "5"), ("first", "4"), ("all", "4, 5")])
def test_the_policy_decides_between_phrases_too(policy, answer):
    assert extract_answer("The final answer is 4. No: wait.\nSo the answer is 5.", policy=policy) == answer
    assert extract_answer("The answer is 4. But 4 + 1 is meant, so the answer is 5.", policy=policy) == answer
