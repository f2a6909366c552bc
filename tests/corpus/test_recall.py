import pytest

from corpus.recall import Cutoff, budget_of_round, cut_bin, cut_inside, score_bin, seed_threshold


def test_the_budget_ends_in_the_bin_that_no_longer_fits():
    assert cut_bin({5: 100, 4: 50, 3: 80}, 160) == (3, 10)
    assert cut_bin({5: 100}, 100) is None


def test_inside_the_bin_pages_are_cut_by_score_then_id():
    pages = [(0.5, "b", 10), (0.5, "a", 10), (0.6, "z", 10)]
    assert cut_inside(pages, 20) == Cutoff(0.5, "a")
    assert cut_inside(pages, 29) == Cutoff(0.5, "a")
    assert cut_inside(pages, 9) is None


def test_equal_scores_fill_the_budget_to_within_one_page():
    cutoff = cut_inside([(1.0, f"{number:03d}", 7) for number in range(100)], 350)
    assert sum(cutoff.keeps(1.0, f"{number:03d}") for number in range(100)) == 50


def test_a_page_without_a_score_is_never_kept():
    assert not Cutoff(-1e30, "~").keeps(None, "a")


def test_the_threshold_is_the_score_that_nine_of_ten_seed_pages_reach():
    assert seed_threshold([float(number) for number in range(1, 11)], 0.9) == 2.0
    with pytest.raises(ValueError, match="no seed page"):
        seed_threshold([], 0.9)


def test_the_last_budget_repeats_and_bins_are_ordered():
    assert [budget_of_round((40, 89), number) for number in (1, 2, 3)] == [40, 89, 89]
    assert score_bin(-0.001) < score_bin(0.0) < score_bin(1.0)
