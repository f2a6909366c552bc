from fractions import Fraction

import pytest

from pretrain.mixture import draw, drawn_before, one_period

PAPER = {"corpus": 56, "algebra": 4, "papers": 10, "code": 20, "general": 10}


@pytest.mark.parametrize("shares", [PAPER, {"a": 1}, {"a": 1, "b": 1, "c": 97, "d": 1}, {"a": 50, "b": 30, "c": 20}])
def test_every_prefix_holds_each_share_to_less_than_one_sequence(shares):
    order = one_period(shares)
    for position in range(3 * len(order) + 1):
        counts = drawn_before(order, position)
        for name, share in shares.items():
            assert abs(counts[name] - Fraction(share * position, sum(shares.values()))) < 1


def test_the_papers_shares_are_met_to_the_sequence_after_each_fifty():
    counts = drawn_before(one_period(PAPER), 50)
    assert counts == {"corpus": 28, "algebra": 2, "papers": 5, "code": 10, "general": 5}


def test_the_sequences_of_one_source_are_drawn_in_turn_and_none_is_left_out():
    order = one_period(PAPER)
    seen: dict[str, list[int]] = {}
    for position in range(175):
        source, index = draw(order, position)
        seen.setdefault(source, []).append(index)
    assert all(indices == list(range(len(indices))) for indices in seen.values())


def test_two_sources_alternate():
    assert one_period({"a": 1, "b": 1}) in (("a", "b"), ("b", "a"))


def test_a_source_with_share_zero_is_never_drawn():
    assert set(one_period({"a": 3, "b": 0})) == {"a"}


def test_no_shares_at_all_is_refused():
    with pytest.raises(ValueError, match="positive whole numbers"):
        one_period({"a": 0})
