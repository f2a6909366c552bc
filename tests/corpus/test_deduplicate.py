import random

from corpus.deduplicate import Candidate, band_keys, components, jaccard, near_duplicates, shingles, signature

WORDS = [f"word{number}" for number in range(400)]


def candidate(name: str, key: str, text: str) -> Candidate:
    return Candidate(name, key, signature(text, hashes=128), text)


def long_text(seed: int) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=300))


def test_numbers_and_operators_tell_exercises_apart():
    assert jaccard(shingles("what is 2 + 3 ? answer 5"), shingles("what is 7 + 8 ? answer 15")) == 0
    assert jaccard(shingles("x ^ 2 - 5 x + 6"), shingles("x ^ 2 - 9 x + 20")) < 0.8


def test_a_short_text_is_one_shingle_and_an_empty_one_none():
    assert len(shingles("two words")) == 1
    assert shingles("") == frozenset()
    assert jaccard(shingles(""), shingles("")) == 0
    assert signature("", hashes=128) == b""
    assert band_keys(b"") == []


def test_chinese_is_shingled_by_characters():
    assert "体 积 是 多 少" in shingles("这个圆柱的体积是多少立方厘米")


def test_the_page_with_the_shorter_address_is_kept_whatever_the_order():
    text = long_text(1)
    pages = [candidate("b", "a.org/print/x", f"header {text}"), candidate("a", "a.org/x", text)]
    for order in (pages, pages[::-1]):
        assert [(one.id, one.kept_key) for one in near_duplicates(order, threshold=0.8)] == [("b", "a.org/x")]


def test_a_chain_of_small_steps_does_not_join_its_ends():
    words = long_text(2).split()
    changed = [" ".join(["other"] * cut + words[cut:]) for cut in (0, 30, 60)]
    pages = [candidate(str(cut), f"a.org/{cut}", text) for cut, text in enumerate(changed)]
    assert jaccard(shingles(changed[0]), shingles(changed[2])) < 0.82
    gone = {one.id: one.kept_key for one in near_duplicates(pages, threshold=0.82)}
    assert gone == {"1": "a.org/0"}


def test_components_do_not_depend_on_the_order_of_the_edges():
    edges = [("c", "d"), ("a", "b"), ("b", "c"), ("x", "y")]
    assert components(edges) == components(edges[::-1]) == [["a", "b", "c", "d"], ["x", "y"]]
