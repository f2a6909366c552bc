from importlib.metadata import packages_distributions

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.language import _has_enough_letters, group_of, language_of
from corpus.tokens import TOKEN, UNSTABLE, count_tokens, tokens_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We show that the sum of the angles is equal to two right angles in the plane, as is known to all.", "en"),
        ("设函数 $f(x)=\\sin x$ 在区间上连续，求它的最大值。", "zh"),
        ("Die Summe der Winkel ist in der Ebene nicht von der Form des Dreiecks abhängig und immer gleich.", "de"),
        ("これは日本語の文章です。漢字も使います。", "ja"),
        ("Сумма углов треугольника равна двум прямым углам.", "ru"),
        ("Lemma: $\\forall \\epsilon > 0$", "und"),
        ("$$\\begin{align} a &= b \\end{align}$$\n$x^2 + y^2 = z^2$", "und"),
        ("", "und"),
        ("这个数列的极限是什么？", "zh"),
        ("Satz:\nJede beschränkte Folge\nhat eine konvergente Teilfolge $a_{n_k}$.", "de"),
    ],
)
def test_the_language_is_told_from_the_prose_without_the_formulas(text, language):
    assert language_of(text) == language


def test_tokens_are_commands_words_characters_digits_and_symbols():
    found = tokens_of("\\frac{12}{x_1} 求和Ab")
    assert found == ("\\frac", "{", "1", "2", "}", "{", "x", "_", "1", "}", "求", "和", "ab")
    assert count_tokens("") == 0


@given(st.text(st.sampled_from("aZé9٣_\\{$. \n\x1c\x1f\x00\u0130\u212a中ß\u0307") | st.characters(max_codepoint=127)))
@settings(max_examples=300, deadline=None, derandomize=True, database=None)
def test_short_ways_to_tokens_and_to_their_number_give_those_of_the_rule(text):
    assert list(tokens_of(text)) == TOKEN.findall(text.lower())
    assert count_tokens(text) == len(TOKEN.findall(text))


def test_no_letter_but_those_named_becomes_another_kind_of_token_in_lower_case():
    other = [c for c in map(chr, range(0x110000)) if c != c.lower() and kinds(c) != kinds(c.lower())]
    assert tuple(other) == UNSTABLE


def kinds(letters):
    """What follows a backslash as one token with it, and what is a token alone."""
    return len(TOKEN.findall("\\" + letters)), len(TOKEN.findall(letters + letters))


def test_reports_count_every_language_but_english_and_chinese_together():
    assert [group_of(code) for code in ("en", "zh", "de", "und")] == ["en", "zh", "other", "other"]


def test_only_one_distribution_provides_the_fasttext_module():
    assert len(packages_distributions()["fasttext"]) == 1


@pytest.mark.parametrize("enough", ["abcdefghijkl", "abc 数列极", "数列极限", "a b c d e f g h i j k l"])
def test_a_page_needs_twelve_letters_of_which_a_wide_one_counts_as_three(enough):
    assert _has_enough_letters(f"1 2 3 {enough} 4")
    assert not _has_enough_letters(f"1 2 3 {enough[1:]} 4")
