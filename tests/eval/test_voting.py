"""maj@K and pass@K by hand and by brute force; Wilson's interval against a published value."""

import random
from itertools import combinations

import pytest
from scipy.stats import binomtest

from eval.voting import Vote, ks_up_to, maj_at_k, majority, pass_at_k, wilson


def votes(*answers, gold="7"):
    return [Vote(answer, answer == gold) for answer in answers]


@pytest.mark.parametrize("k", [1, 2, 3, 5, 6])
def test_pass_at_k_is_the_share_of_all_choices_of_k_outputs(k):
    correct = [True, False, False, True, False, False]
    choices = list(combinations(correct, k))
    assert pass_at_k(correct, k) == pytest.approx(sum(map(any, choices)) / len(choices))


def test_pass_at_1_is_the_mean():
    assert pass_at_k([True, False, False, False], 1) == 0.25


def test_more_outputs_than_were_drawn_are_refused():
    with pytest.raises(ValueError, match="pass@3 needs 3"):
        pass_at_k([True], 3)
    with pytest.raises(ValueError, match="maj@3 needs 3"):
        maj_at_k(votes("7"), 3)


def test_the_most_frequent_answer_wins_in_whatever_spelling():
    assert majority(votes("7", "8", "8.0", "16/2")) == 0.0
    assert majority([Vote("7", True), Vote("7.0", True), Vote("8", False)]) == 1.0


def test_a_tie_counts_by_expectation():
    assert majority(votes("7", "8")) == 0.5
    assert majority(votes("7", "8", "9")) == pytest.approx(1 / 3)


def test_outputs_without_an_answer_do_not_vote():
    assert majority(votes(None, None, None, "7")) == 1.0
    assert majority(votes(None, None)) == 0.0


def test_answers_that_cannot_be_read_vote_for_their_text():
    assert majority(votes("a+b", "a+b", "7")) == 0.0


@pytest.mark.parametrize(
    "drawn",
    [
        votes("7", "7", "8", "9"),
        votes("7", "8", "7", "8", None, "9", "7", "10"),
        votes("8", "8", "8", "7", "7", None, None),
        votes("8", "9"),
        votes(None, None, "7"),
        [Vote("7", True), Vote("8", True), Vote("9", False), Vote("9", False), Vote("8", True)],
        votes(*"7778889", None, "5"),
    ],
)
def test_maj_at_k_is_the_mean_over_all_choices_of_k_outputs(drawn):
    for k in range(1, len(drawn) + 1):
        choices = list(combinations(drawn, k))
        assert maj_at_k(drawn, k) == pytest.approx(sum(map(majority, choices)) / len(choices))


def test_maj_at_1_is_pass_at_1_and_maj_of_all_is_the_majority():
    drawn = votes("7", "7", "8", None, "9")
    assert maj_at_k(drawn, 1) == pytest.approx(pass_at_k([vote.correct for vote in drawn], 1))
    assert maj_at_k(drawn, 5) == majority(drawn) == 1.0


def test_maj_at_k_of_many_outputs_is_what_drawing_them_gives():
    drawn = votes(*["7"] * 20, *["8"] * 18, *["9"] * 10, *map(str, range(100, 110)), *[None] * 6)
    draws = random.Random(0)
    drawn_majorities = [majority(draws.sample(drawn, 16)) for _ in range(2000)]
    assert maj_at_k(drawn, 16) == pytest.approx(sum(drawn_majorities) / 2000, abs=0.04)


def test_ks_are_powers_of_two():
    assert ks_up_to(16) == [1, 2, 4, 8, 16]
    assert ks_up_to(12) == [1, 2, 4, 8]


def test_wilson_interval_of_a_published_case():
    # SAT of DeepSeekMath: 84.375% of 32 questions; notes say 68.3 to 93.2
    low, high = wilson(27, 32)
    assert (low, high) == pytest.approx((0.683, 0.932), abs=0.001)
    assert wilson(0, 10)[0] == 0.0
    assert wilson(10, 10)[1] == pytest.approx(1.0)


@pytest.mark.parametrize(("correct", "n"), [(0, 10), (1, 7), (27, 32), (24, 118), (5, 5), (2586, 5000)])
def test_wilson_interval_is_that_of_scipy(correct, n):
    theirs = binomtest(correct, n).proportion_ci(confidence_level=0.95, method="wilson")
    assert wilson(correct, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
