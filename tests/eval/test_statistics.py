from math import comb

import numpy as np
import pytest

from eval.statistics import average_over_n, cluster_interval, holm, smallest_detectable


def test_the_average_over_n_weighs_each_question_alike():
    assert average_over_n({"a": [True, False], "b": [True, True]}) == 0.75
    with pytest.raises(ValueError, match="same number"):
        average_over_n({"a": [True], "b": [True, False]})
    with pytest.raises(ValueError, match="same number"):
        average_over_n({})


def test_samples_of_one_question_are_no_independent_evidence():
    alike = {str(number): [number % 2 == 0] * 8 for number in range(100)}
    low, high = cluster_interval(alike, seed=0)
    assert (high - low) / 2 == pytest.approx(1.96 * np.sqrt(0.25 / 100), rel=0.1)  # not / 800
    mixed = {str(number): [True, False] * 4 for number in range(100)}
    assert cluster_interval(mixed, seed=0) == (0.5, 0.5)  # questions do not differ at all


def test_holm_is_that_of_the_textbook_and_keeps_the_order():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_what_can_be_seen_shrinks_with_the_root_of_n_and_is_seen_four_times_in_five():
    assert smallest_detectable(400, 0.5) == pytest.approx(2 * smallest_detectable(1600, 0.5))
    assert smallest_detectable(32, 0.84) > 0.2  # SAT has 32 questions
    n, gap = 500, smallest_detectable(500, 0.5)
    draws = np.random.default_rng(0).binomial(n, [[0.5 - gap / 2], [0.5 + gap / 2]], size=(2, 4000)) / n
    z = (draws[1] - draws[0]) / np.sqrt((draws * (1 - draws)).sum(axis=0) / n)
    assert np.mean(z > 1.96) == pytest.approx(0.8, abs=0.03)


def test_a_paired_comparison_sees_more_where_runs_seldom_differ():
    assert smallest_detectable(1000, 0.5, discordant=0.1) < smallest_detectable(1000, 0.5)
    n, discordant = 1000, 0.1
    gap = smallest_detectable(n, 0.5, discordant=discordant)
    draws = np.random.default_rng(0)
    changed = draws.binomial(n, discordant, size=2000)
    gained = draws.binomial(changed, 0.5 + gap / (2 * discordant))
    seen = [exact(int(min(one, total - one)), int(total)) < 0.05 for one, total in zip(gained, changed, strict=True)]
    assert np.mean(seen) == pytest.approx(0.8, abs=0.08)


def exact(smaller, total):
    return min(1.0, 2 * sum(comb(total, k) for k in range(smaller + 1)) / 2**total)
