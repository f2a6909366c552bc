"""Which page of a group stays; D4 is an item of the notes' list of failures elsewhere."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.deduplicate import Candidate, claim, near_duplicates, text_digest
from corpus.minhash import jaccard, shingles

PROPERTY = settings(max_examples=100, deadline=None, derandomize=True, database=None)
WORDS = [f"word{letter}{other}" for letter in "abcdefghijklmnopqrst" for other in "abcdefghijklmnopqrst"]


def candidate(name: str, text: str, date: str = "2024-01-01T00:00:00Z") -> Candidate:
    return Candidate(name, f"a.org/{name}", claim(len(text.split()), date, name), shingles(text))


def long_text(seed: int, words: int = 300) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def test_the_longest_text_is_kept_then_the_newest_then_the_smallest_id():
    assert claim(10, "2020", "f") > claim(9, "2024", "0")
    assert claim(10, "2024", "f") > claim(10, "2020", "0")
    assert claim(10, "2024", "0a") > claim(10, "2024", "0b") > claim(10, "2024", "10")
    assert claim(10, "2024", "a", "http://a.org/x") > claim(10, "2024", "a", "http://a.org/x?utm_source=y")


def test_a_removed_page_names_its_survivor_and_the_true_similarity_whatever_the_order():
    text = long_text(1)
    pages = [candidate("a", text), candidate("b", f"a short header {text}"), candidate("c", long_text(2))]
    for order in (pages, pages[::-1]):
        (gone,) = near_duplicates(order, threshold=0.8)
        assert (gone.id, gone.kept_id, gone.kept_key) == ("a", "b", "a.org/b")
        assert gone.similarity == jaccard(pages[0].shingles, pages[1].shingles) == pytest.approx(296 / 299)


def test_d4_a_chain_of_small_steps_does_not_join_its_ends():
    words = long_text(2).split()
    pages = [candidate(f"{cut:02x}", " ".join(words[: 300 - cut])) for cut in (0, 40, 80)]
    assert jaccard(pages[0].shingles, pages[1].shingles) > 0.8
    assert jaccard(pages[1].shingles, pages[2].shingles) > 0.8
    assert jaccard(pages[0].shingles, pages[2].shingles) < 0.8
    assert {one.id: one.kept_id for one in near_duplicates(pages, threshold=0.8)} == {"28": "00"}


def test_d1_short_pages_are_alike_only_when_they_are_equal():
    pages = [candidate("a", "two words"), candidate("b", "two words"), candidate("c", "two more")]
    assert [(one.id, one.kept_id) for one in near_duplicates(pages, threshold=0.8)] == [("b", "a")]


def test_pages_with_a_common_frame_only_are_never_compared(monkeypatch):
    frame = long_text(3, 600)
    pages = [candidate(f"{number:04x}", f"{frame} {long_text(number, 200)}") for number in range(100, 300)]
    assert 0.5 < jaccard(pages[0].shingles, pages[1].shingles) < 0.8
    compared = []
    monkeypatch.setattr("corpus.deduplicate.jaccard", lambda left, right: compared.append(1) or jaccard(left, right))
    assert not list(near_duplicates(pages, threshold=0.8))
    assert len(compared) < len(pages)  # of 19,900 pairs


@PROPERTY
@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=14), min_size=1, max_size=14),
    st.sampled_from([0.3, 0.5, 0.8, 1.0]),
)
def test_no_alike_pair_is_missed_and_nothing_else_is_dropped(texts, threshold):
    pages = [candidate(f"{number:02x}", " ".join(words)) for number, words in enumerate(texts)]
    by_id = {page.id: page for page in pages}
    gone = {one.id: one for one in near_duplicates(pages, threshold=threshold)}
    kept = [page for page in pages if page.id not in gone]
    for one in gone.values():
        page, survivor = by_id[one.id], by_id[one.kept_id]
        assert one.kept_id not in gone
        assert survivor.claim > page.claim
        assert one.similarity == jaccard(page.shingles, survivor.shingles) >= threshold
    assert all(jaccard(a.shingles, b.shingles) < threshold for a in kept for b in kept if a.id < b.id)


def test_texts_that_differ_in_white_space_only_are_equal():
    assert text_digest("a  b\nc ") == text_digest("a b c") != text_digest("a bc")
    assert text_digest("what is 2 + 3") != text_digest("what is 7 + 8")
