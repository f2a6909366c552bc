import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus import ranking
from corpus.frames import from_rows
from corpus.recall import BINS, EVERYTHING, NOTHING, Cutoff, bins_between, cut_bin, cut_inside, of_round, seed_threshold
from corpus.round_frames import with_rank

PAGES = st.lists(
    st.tuples(st.integers(-500, 500).map(lambda number: number * 1e-7), st.integers(1, 500)), min_size=1, max_size=60
)


def frame_of(pages):
    ids = [f"{number:032x}" for number in range(len(pages))]
    scores, tokens = [list(column) for column in zip(*pages, strict=True)]
    return with_rank(from_rows({"id": ids, "score": scores, "tokens": tokens}), [])


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


def fills(pages, cut, budget):
    """Whether a cut keeps the best pages, no more than the budget, and the next page would be too much."""
    order = sorted((-score, f"{number:032x}", size) for number, (score, size) in enumerate(pages))
    taken = [size for score, name, size in order if cut.keeps(-score, name)]
    left_out = [size for score, name, size in order if not cut.keeps(-score, name)]
    best_first = taken == [size for _, _, size in order][: len(taken)]
    return best_first and sum(taken) <= budget and (not left_out or sum(taken) + left_out[0] > budget)


def cut_without_an_engine(pages, budget):
    bins = bins_between(min(score for score, _ in pages), max(score for score, _ in pages))
    tokens: dict[int, int] = {}
    for score, size in pages:
        tokens[bins.number(score)] = tokens.get(bins.number(score), 0) + size
    found = cut_bin(tokens, budget)
    if found is None:
        return EVERYTHING
    inside = [
        (score, f"{number:032x}", size) for number, (score, size) in enumerate(pages) if bins.number(score) == found[0]
    ]
    above = [score for score, _ in pages if bins.number(score) > found[0]]
    return cut_inside(inside, found[1]) or (Cutoff(min(above), "~") if above else NOTHING)


@settings(max_examples=200, deadline=None)
@given(PAGES, st.floats(0.0, 1.2))
def test_scores_within_a_ten_thousandth_fill_the_budget_to_within_one_page(pages, share):
    budget = int(share * sum(tokens for _, tokens in pages))
    assert fills(pages, cut_without_an_engine(pages, budget), budget)


@settings(max_examples=3, deadline=None)
@given(PAGES, st.floats(0.01, 1.0), st.sampled_from([1, 5, 1_000_000]))
def test_the_frame_is_cut_like_the_list_also_when_bins_are_cut_again(pages, share, exact_pages):
    budget = int(share * sum(tokens for _, tokens in pages))
    assert fills(pages, ranking.cutoff(ranking.ranking(frame_of(pages)), budget, exact_pages=exact_pages), budget)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-(10**9), 10**9).map(lambda number: number / 977), min_size=2, max_size=50))
def test_a_higher_score_never_has_a_lower_bin(scores):
    bins = bins_between(min(scores), max(scores))
    numbers = [bins.number(score) for score in sorted(scores)]
    assert numbers == sorted(numbers)
    assert 0 <= numbers[0] <= numbers[-1] < BINS


def test_sums_of_two_shards_are_those_of_the_whole():
    pages = [(number / 7, 10 + number) for number in range(50)]
    whole = ranking.ranking(frame_of(pages))
    parts = [
        ranking.frames.sums_by_bin(whole.scores.where(ranking.frames.col("tokens") % 2 == rest), whole.bins)
        for rest in (0, 1)
    ]
    for number, sums in whole.sums.items():
        found = [part[number] for part in parts if number in part]
        assert sums.pages == sum(one.pages for one in found)
        assert sums.tokens == sum(one.tokens for one in found)
        assert sums.lowest == min(one.lowest for one in found)


def test_a_page_without_a_score_is_never_kept():
    assert not EVERYTHING.keeps(None, "a")
    assert not NOTHING.keeps(1e9, "a")
    scores = from_rows({"id": ["a", "b"], "score": [None, 1.0], "tokens": [5, 5]})
    ranked = ranking.ranking(with_rank(scores, []))
    assert ranking.kept_by(ranked, ranking.cutoff(ranked, 100)).pages == 1


def test_seed_pages_rank_above_all_others_even_without_a_score():
    scores = from_rows({"id": ["a", "b", "c", "d"], "score": [None, 1.0, -1.0, 0.5], "tokens": [5, 5, 5, 5]})
    ranked = ranking.ranking(with_rank(scores, ["a", "c"]))
    order = sorted(ranking.frames.scored_pages(ranked.scores), reverse=True)
    assert {name for _, name, _ in order[:2]} == {"a", "c"}
    assert [name for _, name, _ in order[2:]] == ["b", "d"]


def test_the_threshold_is_the_score_that_nine_of_ten_seed_pages_reach():
    assert seed_threshold([float(number) for number in range(1, 11)], 0.9) == 2.0
    with pytest.raises(ValueError, match="no seed page"):
        seed_threshold([], 0.9)


def test_the_last_budget_repeats():
    assert [of_round((40, 89), number) for number in (1, 2, 3)] == [40, 89, 89]
    assert math.isinf(NOTHING.score)
