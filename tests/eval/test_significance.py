"""Paired comparisons: a p-value by hand, an interval against the normal one, refusals."""

from math import sqrt

import pytest
from scipy.stats import binomtest

from eval.significance import correct_by_id, mcnemar, paired


def answers(correct, n):
    return {f"q{number}": number < correct for number in range(n)}


def test_mcnemar_by_hand():
    # 1 of 6 changed questions got worse: P(at most 1 of 6) = 7/64, two sides 14/64
    assert mcnemar(5, 1) == pytest.approx(14 / 64)
    assert mcnemar(0, 0) == 1.0
    assert mcnemar(3, 3) == 1.0


@pytest.mark.parametrize(("gained", "lost"), [(1, 0), (12, 3), (135, 77), (21, 18), (40, 40)])
def test_mcnemar_is_the_sign_test_of_scipy(gained, lost):
    assert mcnemar(gained, lost) == pytest.approx(binomtest(gained, gained + lost).pvalue)


def test_mcnemar_of_thousands_of_changes_does_not_overflow():
    assert 0 < mcnemar(3000, 2900) < 1


def test_the_interval_is_about_the_normal_one_and_holds_the_gain():
    found = paired(answers(800, 2000), answers(1000, 2000), seed=0)
    half = 1.96 * sqrt(0.1 * 0.9 / 2000)
    assert found.gain == pytest.approx(0.1)
    assert (found.gained, found.lost, found.n) == (200, 0, 2000)
    assert found.ci95 == pytest.approx((0.1 - half, 0.1 + half), abs=0.002)
    assert found.p < 1e-50


def test_no_change_is_no_gain():
    found = paired(answers(5, 10), answers(5, 10), seed=0)
    assert (found.gain, found.ci95, found.p) == (0.0, (0.0, 0.0), 1.0)


def test_evaluations_of_different_questions_are_not_compared():
    with pytest.raises(ValueError, match="1 are in one only"):
        paired(answers(1, 2), answers(1, 3), seed=0)


def test_only_greedy_answers_of_the_split_are_compared():
    rows = [
        {"id": "a", "mode": "greedy", "split": "in_distribution", "verdict": "correct"},
        {"id": "b", "mode": "greedy", "split": "out_of_distribution", "verdict": "wrong"},
        {"id": "a", "mode": "sampled", "split": "in_distribution", "verdict": "wrong"},
    ]
    assert correct_by_id(rows, "in_distribution") == {"a": True}
