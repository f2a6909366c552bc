"""Grams of English, Chinese and mixed text, and the two rules of section 2.1."""

import time

import pytest

from commons.ngrams import benchmark_grams, ngrams, quotations, quoted_gram, tokens

ENGLISH = "Natalia sold clips to 48 of her friends in April, and then she sold half as many in May."
CHINESE = "小明有12个苹果，吃了5个，还剩几个？"


def test_tokens_are_words_numbers_and_single_chinese_characters():
    assert tokens("He's 3.5 m, \\frac{1}{2}!") == ["he", "s", "3", "5", "m", "frac", "1", "2"]
    assert tokens("小明有12个apple") == ["小", "明", "有", "12", "个", "apple"]
    assert tokens("ＡＢ　１２") == ["ab", "12"]


def test_there_are_no_grams_longer_than_the_text():
    assert list(ngrams(["a", "b", "c"], 2)) == ["a b", "b c"]
    assert list(ngrams(["a"], 2)) == []


def test_ten_words_of_a_benchmark_are_found_whatever_the_punctuation():
    grams = benchmark_grams(["nothing here", ENGLISH])
    page = "Home | Shop -- natalia SOLD clips to 48 of her friends in april!!! More."
    found = quoted_gram(page, grams)
    assert (found.item, found.gram, found.start) == (1, "natalia sold clips to 48 of her friends in april", 2)


def test_nine_words_of_a_long_benchmark_text_are_no_quotation():
    grams = benchmark_grams([ENGLISH])
    assert quoted_gram("Natalia sold clips to 48 of her friends in June", grams) is None


def test_chinese_is_counted_in_characters():
    grams = benchmark_grams([CHINESE])
    assert quoted_gram("题目：小明有12个苹果，吃了5根香蕉", grams).gram == "小 明 有 12 个 苹 果 吃 了 5"
    assert quoted_gram("小明有12个苹果，吃完", grams) is None


def test_a_short_benchmark_text_counts_only_whole_and_a_very_short_one_never():
    grams = benchmark_grams(["What is 7 times 8?", "Solve x"])
    assert quoted_gram("We ask: what is 7 times 8, my dear", grams).gram == "what is 7 times 8"
    assert quoted_gram("what is 7 times 9; solve x", grams) is None


def test_all_quotations_are_listed():
    grams = benchmark_grams([ENGLISH, "one two three"])
    found = list(quotations(f"{ENGLISH} One two three.", grams))
    assert [quotation.item for quotation in found] == [0] * 10 + [1]  # nineteen words hold ten grams


def test_grams_must_be_longer_than_the_shortest_text():
    with pytest.raises(ValueError, match="grams of 3 tokens"):
        benchmark_grams(["a b c d"], n=3)


def test_scanning_is_quick():
    grams = benchmark_grams([f"{ENGLISH} {number}" for number in range(1000)] + ["a b c d", "e f g h i"])
    page = " ".join(f"word{number % 97}" for number in range(100_000))
    started = time.process_time()
    assert quoted_gram(page, grams) is None
    assert time.process_time() - started < 2
