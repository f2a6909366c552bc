"""The index of benchmark grams: the two rules of section 2.1 against a plain search, its files, its bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commons import quotations as module
from commons.ngrams import ngrams, tokens
from commons.quotations import benchmark_grams, load_grams, quotations, runs, save_grams

ENGLISH = "Natalia sold clips to 48 of her friends in April, and then she sold half as many in May."
CHINESE = "小明有12个苹果，吃了5个，还剩几个？"


def found(text, *texts, n=10):
    """(first token, gram) of every hit of one text."""
    grams = benchmark_grams(texts, n)
    return [(hit.start, " ".join(grams.tokens_of(hit.gram))) for hit in quotations([text], grams)[0]]


def plain(text, texts, n):
    """The same by sets of strings, as slow and simple as can be."""
    words = tokens(text)
    known = {gram for one in texts for gram in ngrams(tokens(one), n)}
    short = {" ".join(tokens(one)) for one in texts if 3 <= len(tokens(one)) < n}
    places = [(start, gram) for start, gram in enumerate(ngrams(words, n)) if gram in known]
    for length in range(3, n):
        places += [(start, gram) for start, gram in enumerate(ngrams(words, length)) if gram in short]
    return sorted(places)


def test_ten_words_of_a_benchmark_are_found_whatever_the_punctuation():
    page = "Home | Shop -- natalia SOLD clips to 48 of her friends in april!!! More."
    assert found(page, "nothing here", ENGLISH) == [(2, "natalia sold clips to 48 of her friends in april")]


def test_nine_words_of_a_long_benchmark_text_are_no_quotation():
    assert found("Natalia sold clips to 48 of her friends in June", ENGLISH) == []


def test_chinese_is_counted_in_characters():
    assert found("题目：小明有12个苹果，吃了5根香蕉", CHINESE) == [(2, "小 明 有 12 个 苹 果 吃 了 5")]
    assert found("小明有12个苹果，吃完", CHINESE) == []


def test_a_short_benchmark_text_counts_only_whole_and_a_very_short_one_never():
    texts = ["What is 7 times 8?", "Solve x"]
    assert found("We ask: what is 7 times 8, my dear", *texts) == [(2, "what is 7 times 8")]
    assert found("what is 7 times 9; solve x", *texts) == []


def test_grams_must_be_longer_than_the_shortest_text():
    with pytest.raises(ValueError, match="grams of 3 tokens"):
        benchmark_grams(["a b c d"], n=3)


def test_a_gram_knows_every_text_that_holds_it_and_equal_texts_are_one():
    grams = benchmark_grams([ENGLISH, "x " + ENGLISH, ENGLISH.upper()])
    hits = quotations([ENGLISH], grams)[0]
    assert len(hits) == 10  # nineteen words
    assert all(grams.texts_with(hit.gram).tolist() == [0, 1, 2] for hit in hits)
    assert grams.same_as.tolist() == [0, 1, 0]


def test_no_gram_crosses_from_one_page_to_the_next():
    grams = benchmark_grams(["one two three four five six seven eight nine ten", "red green blue"])
    assert quotations(["one two three four five red green", "blue six seven eight nine ten"], grams) == [[], []]
    assert quotations([], grams) == []
    assert quotations(["", "a"], benchmark_grams([])) == [[], []]


def test_texts_with_one_hash_are_told_apart_by_their_tokens(monkeypatch):
    texts = [f"{word} b c d" for word in "pqrs"]
    good = module.BASES[0]
    monkeypatch.setattr(module, "BASES", (0, good))  # at base 0 the hash is the last token alone
    assert benchmark_grams(texts, 4).base == good
    monkeypatch.setattr(module, "BASES", (0,))
    with pytest.raises(ValueError, match="collide"):
        benchmark_grams(texts, 4)
    grams = benchmark_grams(["a b c d"], 4)  # alone it does not collide; a page with the same hash is no quotation
    assert quotations(["x b c d, a b c d"], grams) == [[module.Hit(0, 4, 4)]]


def test_an_index_survives_its_files_and_equal_texts_give_equal_bytes(tmp_path):
    texts = [ENGLISH, CHINESE, "what is 7 times 8"]
    for name in ("a", "b"):
        save_grams(benchmark_grams(texts), tmp_path / name)
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert all((tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes() for name in files)
    page = f"{CHINESE} {ENGLISH} what is 7 times 8"
    assert quotations([page], load_grams(tmp_path / "a")) == quotations([page], benchmark_grams(texts))


def test_runs_are_cut_where_a_number_is_missing():
    assert list(runs([9, 2, 3, 4])) == [[2, 3, 4], [9]]
    assert list(runs([])) == []


WORDS = st.lists(st.sampled_from(["a", "b", "中", "7"]), max_size=14).map(" ".join)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(WORDS, st.lists(WORDS, max_size=4), st.sampled_from([4, 6]))
def test_the_index_finds_what_a_plain_search_finds(text, texts, n):
    assert found(text, *texts, n=n) == plain(text, texts, n)


@given(st.lists(st.integers(0, 6), max_size=60), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None, derandomize=True, database=None)
def test_grams_are_ordered_by_hash_and_then_by_place(numbers, draw):
    hashes = np.array(numbers, np.uint64)
    places = np.array(draw.sample(range(len(numbers)), len(numbers)), np.int64)
    order, arranged = module._order(hashes, places)
    assert order.tolist() == np.lexsort((places, hashes)).tolist()
    assert arranged.tolist() == sorted(numbers)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=200))
@settings(max_examples=50, deadline=None, derandomize=True, database=None)
def test_a_slot_is_marked_for_each_hash_and_for_no_more(numbers):
    hashes = np.array(numbers, np.uint64)
    marks, shift = module._slots_of(hashes)
    assert module._set_in(hashes, (marks, shift)).all()
    assert np.unpackbits(marks).sum() == len({number >> shift for number in numbers})


def test_words_read_in_several_parts_give_the_same_index(monkeypatch):
    texts = [ENGLISH, CHINESE, "", ENGLISH + CHINESE]
    whole = benchmark_grams(texts)
    monkeypatch.setattr(module, "WORDS_AT_ONCE", 5)
    parts = benchmark_grams(texts)
    assert list(parts.vocabulary) == list(whole.vocabulary)
    assert all((getattr(parts, name) == getattr(whole, name)).all() for name in module.ARRAYS)
