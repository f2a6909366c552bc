"""Ranking figures of a reward model, worked by hand."""

import pytest

from rl.ranking import Candidate, area_under_curve, best_of, calibration, calibration_error, majority, ranking_report


def candidates(*rows):
    return [Candidate(*row) for row in rows]


def test_the_area_under_the_curve_counts_ties_half():
    # pairs (correct, wrong): .9>.5, .9>.2, .5=.5, .5>.2 -> 3.5 of 4
    found = candidates((0.9, "1", True), (0.5, "1", True), (0.5, "2", False), (0.2, "3", False))
    assert area_under_curve(found) == pytest.approx(3.5 / 4)
    assert area_under_curve(found[:2]) is None


def test_calibration_compares_the_mean_score_of_a_bin_with_its_share_of_correct_solutions():
    found = candidates((0.05, "1", False), (0.95, "1", True), (1.0, "2", False))
    assert calibration(found) == [
        {"from": 0.0, "solutions": 1, "score": pytest.approx(0.05), "correct": 0.0},
        {"from": 0.9, "solutions": 2, "score": pytest.approx(0.975), "correct": 0.5},
    ]
    assert calibration_error(found) == pytest.approx((0.05 + 2 * 0.475) / 3)


def test_votes_for_equal_answers_written_differently_are_counted_together():
    found = candidates((0.1, "1/2", True), (0.2, "0.5", True), (0.9, "3", False))
    assert majority(found, weighted=False)
    assert not majority(found, weighted=True)
    assert not best_of(found)


def test_solutions_without_an_answer_do_not_vote():
    assert majority(candidates((0.9, None, False), (0.8, None, False), (0.1, "4", True)), weighted=False)
    assert not majority(candidates((0.9, None, False)), weighted=False)


def test_the_report_holds_all_figures():
    right, wrong = candidates((0.9, "1", True), (0.2, "2", False)), candidates((0.3, "1", True), (0.6, "2", False))
    report = ranking_report([right, wrong])
    assert report["accuracy"] == 0.5
    assert report["pass_at_1"] == 0.5
    assert report["best_of_n"] == 0.5
    assert report["pass_at_n"] == 1.0
