from corpus.heldout import HeldOut, agreement, curve, edges, is_held_out, point
from corpus.recall import Cutoff, Sums

PAGES = HeldOut(maths=(("a", 3.0), ("b", 1.0), ("c", None), ("d", 2.0)), other=(("e", 2.5), ("f", -1.0)))


def test_a_point_counts_held_out_pages_at_equal_numbers_of_both_kinds():
    found = point(Cutoff(2.0, "~"), Sums(7, 700, 2.0), PAGES)
    assert (found.maths_kept, found.other_kept) == (2, 1)
    assert found.recall == 0.5  # 2 of 4; the page without a score is not kept
    assert found.precision == 0.5  # 0.5 / (0.5 + 0.5)
    assert (found.tokens, found.threshold) == (700, 2.0)


def test_nothing_kept_has_no_precision_and_no_page_gives_no_figure():
    assert point(Cutoff(9.0, "~"), Sums(0, 0, 0.0), PAGES).precision is None
    empty = point(Cutoff(0.0, "~"), Sums(1, 1, 0.0), HeldOut((), ()))
    assert (empty.precision, empty.recall) == (None, None)


def test_edges_are_spread_over_the_tokens_and_end_with_everything():
    sums = {9: Sums(1, 10, 9.5), 5: Sums(1, 50, 5.5), 4: Sums(2, 20, 4.5), 1: Sums(1, 20, 1.5)}
    found = edges(sums, points=4)
    assert [(score, kept.tokens) for score, kept in found] == [(5.5, 60), (4.5, 80), (1.5, 100)]
    assert [one.recall for one in curve(found, PAGES)] == [0.0, 0.0, 0.5]
    assert edges({}, points=4) == []


def test_a_fixed_share_is_held_out_whatever_else_there_is():
    ids = [f"{number:032x}" for number in range(4000)]
    held = [name for name in ids if is_held_out(name, seed=1, share=0.1)]
    assert 320 < len(held) < 480
    assert held == [name for name in ids if is_held_out(name, seed=1, share=0.1)]
    assert not any(is_held_out(name, seed=1, share=0.0) for name in ids)


def test_agreement_is_the_share_on_the_same_side_of_the_cut():
    full = [("a", 1.0), ("b", -1.0), ("c", None), ("d", 0.2)]
    small = [("a", 0.9), ("b", -0.5), ("c", None), ("d", -0.1)]
    assert agreement(full, small, 0.0) == 0.75
    assert agreement([], [], 0.0) is None
