"""Sets of equal answers."""

from commons.clusters import clusters


def test_equal_answers_are_one_set_in_whatever_spelling():
    assert clusters(["1/2", "3", "0.5", "\\frac{1}{2}", "3.0"]) == [[0, 2, 3], [1, 4]]


def test_no_answer_is_in_no_set_and_unread_ones_go_by_their_text():
    assert clusters([None, "a+", "a+", "+a", None]) == [[1, 2], [3]]
    assert clusters([None, None]) == clusters([]) == []
