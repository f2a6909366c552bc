import pytest

from corpus.language import language_of
from corpus.tokens import count_tokens, tokens_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We show that the sum of the angles is equal to two right angles in the plane, as is known to all.", "en"),
        ("设函数 $f(x)=\\sin x$ 在区间上连续，求它的最大值。", "zh"),
        ("Die Summe der Winkel ist in der Ebene nicht von der Form des Dreiecks abhängig und immer gleich.", "other"),
        ("これは日本語の文章です。漢字も使います。", "other"),
        ("Сумма углов треугольника равна двум прямым углам.", "other"),
        ("Lemma: $\\forall \\epsilon > 0$", "en"),
    ],
)
def test_the_language_is_told_from_the_prose_without_the_formulas(text, language):
    assert language_of(text) == language


def test_tokens_are_commands_words_characters_digits_and_symbols():
    found = tokens_of("\\frac{12}{x_1} 求和Ab")
    assert found == ["\\frac", "{", "1", "2", "}", "{", "x", "_", "1", "}", "求", "和", "ab"]
    assert count_tokens("") == 0
