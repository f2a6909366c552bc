"""Exact comparison, verdicts in their order, and golds that must equal themselves."""

import json
import time

import pytest

from commons.equivalence import equivalent, grade
from commons.verdicts import Verdict

SAME = [
    ("1234", "1,234"),
    ("1234", r"1{,}234"),
    ("1234567", "1 234 567"),
    ("10000", r"10,\!000"),
    ("4", "004"),
    ("0.5", r"\frac{1}{2}"),
    ("1/2", r"\dfrac12"),
    ("-3/4", r"-\frac{3}{4}"),
    ("-3/4", r"\frac{-3}{4}"),
    ("3/2", r"1\frac{1}{2}"),
    ("1.5", "1 1/2"),
    ("50%", r"50\%"),
    ("50%", "0.5"),
    ("-5", "−5"),
    ("12", "１２"),
    ("$18", "18.00"),
    ("18", r"$18$"),
    ("12", r"12\text{ cm}"),
    ("12 cm", "12cm"),
    ("5", "x = 5"),
    ("13", r"\text{13}"),
    ("十二", "12"),
    ("一百零五个", "105"),
    ("三分之一", "1/3"),
    ("百分之二十", "20%"),
    ("两万三千", "23000"),
    ("3e8", r"3\times10^{8}"),
    ("1, 2", "2 and 1"),
    ("(1, 2)", r"\left(1,2\right)"),
    (r"\{1,2\}", r"\{2,1\}"),
    ("C", "(C)"),
    ("AD", "A, D"),
]
DIFFERENT = [
    ("0.5", "50"),
    ("50", "50%"),
    ("0.0001", "0.0009"),
    ("1000.05", "1000"),
    ("[0,1)", "(0,1]"),
    ("(1,2)", "[1,2]"),
    ("(1,2)", "(2,1)"),
    ("1331 and 1728", "1728"),
    ("0,123", "123"),
    ("12 cm", "12 m"),
    ("1/3", "0.33"),
    ("B", "8"),
    ("3", "-3"),
]
UNREAD = [
    "1,23,4.5.6",
    "1/0",
    r"\frac{1}{0}",
    "9" * 1000,
    "1e99999",
    "",
    "--5",
    "__import__('os')",
    "1..2",
    "1,,2",
    "(((1",
    "5 foobars",
    "x = ",
    r"\frac{1}{",
    "(" * 500,
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_same_answers_in_either_order(one, other):
    assert equivalent(one, other)
    assert equivalent(other, one)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_answers_in_either_order(one, other):
    assert not equivalent(one, other)
    assert not equivalent(other, one)


@pytest.mark.parametrize("text", UNREAD)
def test_what_is_not_read_whole_equals_nothing_not_even_itself(text):
    assert not equivalent(text, text)


def test_verdicts_come_in_their_order():
    assert grade(r"\boxed{5}", "5 of {", timed_out=True).verdict is Verdict.UNGRADABLE_GOLD
    assert grade(r"\boxed{5}", "5", timed_out=True).verdict is Verdict.TIMED_OUT
    assert grade("5", "5").verdict is Verdict.NO_ANSWER
    assert grade(r"\boxed{2+}", "5").verdict is Verdict.UNPARSED
    assert grade(r"\boxed{6}", "5").verdict is Verdict.WRONG
    assert grade(r"\boxed{5}", "5").correct


def test_the_reason_names_both_answers():
    assert grade(r"\boxed{6}", "5").reason == "6 is not 5"


def test_a_gold_in_percent_accepts_its_bare_number_and_no_other_gold_does():
    assert grade(r"\boxed{50}", "50%").correct
    assert not grade(r"\boxed{50\%}", "50").correct


def test_bare_and_percent_meet_only_where_the_question_asks_for_percent():
    assert grade(r"\boxed{50\%}", "50", question="What percent of them?").correct
    assert not grade(r"\boxed{0.5}", "50", question="What percent of them?").correct


def test_a_sum_left_to_the_reader_is_not_the_number_asked_for():
    graded = grade(r"\boxed{2+3}", "5")
    assert graded.verdict is Verdict.WRONG
    assert graded.reason == "2+3 was not worked out to 5"
    assert grade(r"\boxed{2 + 3 = 5}", "5").correct
    assert grade(r"\boxed{\frac{10}{2}}", "5").correct
    assert grade(r"\boxed{2+\sqrt{3}}", r"\sqrt{3}+2").correct


def test_a_decimal_gold_accepts_what_rounds_to_it_and_an_exact_gold_a_long_decimal():
    assert grade(r"\boxed{13.1799}", "13.18").correct
    assert not grade(r"\boxed{13.2}", "13.18").correct
    assert not grade(r"\boxed{0.51}", "0.5").correct  # too few digits to be a rounded value
    assert not grade(r"\boxed{0.0009}", "0.0001").correct
    assert grade(r"\boxed{0.333333}", "1/3").correct
    assert not grade(r"\boxed{0.33}", "1/3").correct
    assert grade(r"\boxed{2.9999999999999996}", "3").correct  # a float as it is printed
    assert not grade(r"\boxed{1000.05}", "1000").correct


def test_a_truncated_output_with_a_complete_answer_is_graded():
    assert grade(r"so \boxed{5}. To check this, we", "5").correct


def test_a_program_prints_lists_and_its_imaginary_unit():
    assert grade("```output\n[1, 2]\n```\n", "2, 1").correct
    assert grade("```output\n3 + 2*I\n```\n", "3+2i").correct
    assert not grade(r"\boxed{[1, 2]}", "2, 1").correct


def test_a_multiple_choice_gold_takes_the_letter_of_a_sentence():
    assert grade("The answer is (C), since (A) is too small.", "C").correct
    assert not grade("The answer is about 5.", "A").correct
    assert grade(r"\boxed{AD}", "A D").correct
    assert not grade(r"\boxed{A}", "A D").correct


def test_a_gold_may_stand_in_a_box_or_after_hashes():
    assert grade(r"\boxed{72}", r"it is \boxed{72}").correct
    assert grade(r"\boxed{72}", "48/2 = 24\n#### 72").correct


def test_grading_is_quick_enough_for_every_output_of_a_step():
    output = "We add 12 and 5 and get 17.\n" * 12 + r"The answer is \boxed{"
    started = time.process_time()
    for number in range(2_000):
        grade(f"{output}{number}}}", "17")
    assert time.process_time() - started < 2_000 * 500e-6  # measured 20 us; ten times slower would still be noticed


@pytest.mark.parametrize(
    ("name", "field"),
    [("gsm8k.test", "answer"), ("cmath.test", "golden"), ("mgsm_zh.test", "answer"), ("gaokao_mathqa.test", "label")],
)
def test_every_gold_of_a_benchmark_equals_itself(shared, name, field):
    lines = (shared / "benchmarks" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    golds = [str(json.loads(line)[field]) for line in lines]
    failed = [gold for gold in golds if not grade(f"\\boxed{{{gold.rpartition('####')[2].strip()}}}", gold).correct]
    assert failed == []
