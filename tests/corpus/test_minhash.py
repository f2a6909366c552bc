"""Shingles, signatures and bands; D1 to D5 are items of the notes' list of failures elsewhere."""

import numpy as np
import pytest
from datasketch import MinHash, MinHashLSH
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.minhash import band_keys, bands_and_rows, candidate_share, jaccard, shingles, signature
from corpus.tokens import tokens_of

PROPERTY = settings(max_examples=200, deadline=None, derandomize=True, database=None)
TEXTS = st.lists(st.sampled_from(["a", "b", "7", "+", "\\frac", "体", "積"]), max_size=30).map(" ".join)


def spelled(text: str) -> set[str]:
    """The shingles of a text as strings."""
    tokens = tokens_of(text)
    return {" ".join(tokens[at : at + 5]) for at in range(max(len(tokens) - 4, 1))} if tokens else set()


def pair(changed: int, seed: int) -> tuple[str, str]:
    """Two texts of 300 words, the second with `changed` other words at its start."""
    draw = np.random.default_rng(seed)
    words = [f"w{chr(97 + a)}{chr(97 + b)}{chr(97 + c)}" for a, b, c in draw.integers(0, 26, (300 + changed, 3))]
    return " ".join(words[:300]), " ".join([*words[300:], *words[changed:300]])


def values(text: str) -> np.ndarray:
    return np.frombuffer(signature(text, hashes=128), "<u4")


def test_d1_a_short_text_is_one_shingle_and_an_empty_one_none():
    assert len(shingles("two words")) == 1
    assert len(signature("two words", hashes=128)) == 4 * 128
    assert jaccard(shingles("two words"), shingles("two\n words")) == 1
    assert jaccard(shingles("two words"), shingles("words two")) == 0
    for empty in ("", " \n\t"):
        assert len(shingles(empty)) == 0
        assert signature(empty, hashes=128) == b""
        assert jaccard(shingles(empty), shingles(empty)) == 0


def test_d2_numbers_and_operators_tell_exercises_apart():
    assert jaccard(shingles("what is 2 + 3 ? answer 5"), shingles("what is 7 + 8 ? answer 15")) == 0
    assert jaccard(shingles("x ^ 2 - 5 x + 6"), shingles("x ^ 2 - 9 x + 20")) < 0.8
    assert jaccard(shingles("is a + b more than c"), shingles("is a - b more than c")) < 0.8


@pytest.mark.parametrize("text", ["这个圆柱的体积是多少立方厘米", "ことばのかずをかぞえる", "이것은한국어문장이다"])
def test_d3_text_without_blanks_is_shingled_by_characters(text):
    assert len(shingles(text)) == len(text) - 4
    assert 0 < jaccard(shingles(text), shingles(text[1:])) < 1


def test_d4_texts_that_share_words_but_no_run_of_five_have_nothing_in_common():
    words = ["the", "of", "and", "to", "in", "a", "is", "that", "for", "it"]
    assert jaccard(shingles(" ".join(words)), shingles(" ".join(reversed(words)))) == 0


def test_d5_values_do_not_depend_on_the_machine_or_the_process():
    pinned = [429015281, 1753578527, 1489723107]
    assert np.frombuffer(signature("one two three four five six", hashes=16), "<u4")[:3].tolist() == pinned


@PROPERTY
@given(TEXTS, TEXTS)
def test_the_similarity_of_hashed_shingles_is_that_of_the_shingles(left, right):
    mine, other = spelled(left), spelled(right)
    expected = len(mine & other) / len(mine | other) if mine and other else 0.0
    assert jaccard(shingles(left), shingles(right)) == expected


def test_the_share_of_equal_values_estimates_the_similarity_as_well_as_datasketch_does():
    true, ours, theirs = [], [], []
    for seed in range(150):
        left, right = pair(2 + seed % 60, seed)
        true.append(jaccard(shingles(left), shingles(right)))
        ours.append(float((values(left) == values(right)).mean()))
        sketches = [MinHash(num_perm=128), MinHash(num_perm=128)]
        for sketch, text in zip(sketches, (left, right), strict=True):
            sketch.update_batch([shingle.encode() for shingle in spelled(text)])
        theirs.append(sketches[0].jaccard(sketches[1]))
    expected_error = np.sqrt(np.mean(np.array(true) * (1 - np.array(true))) / 128)
    for estimates in (ours, theirs):
        errors = np.array(estimates) - np.array(true)
        assert abs(errors.mean()) < 4 * expected_error / np.sqrt(len(errors))
        assert errors.std() == pytest.approx(expected_error, rel=0.25)


@pytest.mark.parametrize("hashes", [64, 100, 128])
@pytest.mark.parametrize("similarity", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("missed_weight", [0.5, 0.95])
def test_bands_and_rows_are_those_of_datasketch(hashes, similarity, missed_weight):
    theirs = MinHashLSH(threshold=similarity, num_perm=hashes, weights=(1 - missed_weight, missed_weight))
    assert bands_and_rows(hashes, similarity=similarity, missed_weight=missed_weight) == (theirs.b, theirs.r)


def test_the_band_formula_by_hand():
    assert candidate_share(np.array([0.5]), 2, 3)[0] == pytest.approx(1 - (1 - 1 / 8) ** 2)


def test_two_pages_share_the_key_of_a_band_when_they_share_all_its_values_and_stand_in_the_same_band():
    left = np.arange(24, dtype=np.uint32)[None]
    right = left.copy()
    right[0, [3, 23]] += 1
    shared = band_keys(left, 3, 8)[0] == band_keys(right, 3, 8)[0]
    assert shared.tolist() == [False, True, False]
    assert len(np.unique(band_keys(np.zeros((1, 24), np.uint32), 3, 8))) == 3


def test_pages_share_bands_as_often_as_the_formula_says():
    draw = np.random.default_rng(0)
    left, right = draw.integers(0, 1 << 32, (2, 4000, 128), dtype=np.uint32)
    right = np.where(draw.random(left.shape) < 0.8, left, right)
    shared = np.any(band_keys(left, 16, 8) == band_keys(right, 16, 8), axis=1).mean()
    assert shared == pytest.approx(candidate_share(np.array([0.8]), 16, 8)[0], abs=0.01)
