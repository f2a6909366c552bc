"""What counts as a token of a gram: the same for every way of writing the same text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commons.ngrams import ngrams, tokens


def test_tokens_are_words_numbers_and_single_chinese_characters():
    assert tokens("He's 3.5 m, \\frac{1}{2}!") == ["he", "s", "3", "5", "m", "frac", "1", "2"]
    assert tokens("小明有12个apple") == ["小", "明", "有", "12", "个", "apple"]
    assert tokens("ＡＢ　１２") == ["ab", "12"]
    assert tokens("naïve ÉCOLE") == ["naïve", "école"]


def test_there_are_no_grams_longer_than_the_text():
    assert list(ngrams(["a", "b", "c"], 2)) == ["a b", "b c"]
    assert list(ngrams(["a"], 2)) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"$\dfrac{x^2}{9}$", r"\(\frac {x^{2}} 9\)"),
        (r"\frac{1}{2}x", r"\dfrac12x"),
        (r"\frac65 + \sqrt2", r"\frac{6}{5}+\sqrt{2}"),
        (r"\left( a \times b \right) \le \mathbb{R}", "(a × b) ≤ ℝ"),
        (r"2\pi\alpha", "2πα"),
        (r"\varphi\varepsilon", "φε"),
        ("x^2 + y_1", "x² + y₁"),
        (r"\sqrt{3}", "√3"),
        (r"\begin{array}{cl} ax+3, & x>2 \\ x-5 \end{array}", "ax + 3, x > 2, x - 5"),
        (r"a\\in b", "a in b"),
        ("½", "1/2"),
    ],
)
def test_two_ways_of_setting_a_formula_give_the_same_tokens(one, other):
    assert tokens(one) == tokens(other)


def test_words_keep_what_only_looks_like_a_sign_command():
    assert tokens("the left times the right") == ["the", "left", "times", "the", "right"]
    assert tokens(r"\leftarrow \rightfoo") == ["rightfoo"]


LINES = st.lists(st.text(st.sampled_from("aB3 é中π²\\$%{}_frac,。"), max_size=12), max_size=5)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(LINES)
def test_the_tokens_of_a_text_are_those_of_its_lines(lines):
    assert tokens("\n".join(lines)) == [token for line in lines for token in tokens(line)]
