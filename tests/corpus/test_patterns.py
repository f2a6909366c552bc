import pytest

from corpus.patterns import Candidate, accepted_by_rule, letting_in, proposed, verdicts


@pytest.mark.parametrize(
    ("key", "patterns"),
    [
        ("a.org/book/PA_groups.html", ["a.org", "a.org/book", "a.org/book/PA_*"]),
        ("www.a.org/q/1/2/x", ["a.org", "a.org/q", "a.org/q/1"]),
        ("a.org/view.php?topic=3&page=2", ["a.org", "a.org/view.php?topic=*"]),
        ("a.org/q/?topic=3", ["a.org", "a.org/q", "a.org/q/?topic=*"]),
        ("a.org/2f1-3.html", ["a.org"]),
        ("a.org/", ["a.org"]),
    ],
)
def test_an_address_suggests_its_host_folders_and_kind_of_file(key, patterns):
    assert proposed(key, depth=2) == patterns
    assert all(letting_in(key, verdicts([one], [])) == one for one in patterns)


def test_broad_patterns_are_accepted_only_where_the_pages_below_agree():
    rows = [
        ("a.org", 100, 60),  # enough in all, but a.org/chat is poor
        ("a.org/maths", 40, 39),
        ("a.org/maths/algebra", 20, 20),
        ("a.org/chat", 40, 1),
        ("b.org", 50, 40),  # agrees: accepted whole
        ("b.org/x", 20, 15),
        ("c.org", 50, 10),  # too few in all, one good kind of file
        ("c.org/Theorem_*", 8, 8),
        ("d.org", 4, 4),  # too small
    ]
    candidates = [Candidate(name, name.split("/")[0], pages, collected) for name, pages, collected in rows]
    accepted = accepted_by_rule(candidates, share=0.5, pages=5, poor_share=0.3)
    assert accepted == {"a.org/maths", "b.org", "c.org/Theorem_*"}


@pytest.mark.parametrize(
    ("key", "pattern", "inside"),
    [
        ("a.org/maths/7", "a.org/maths", True),
        ("www.a.org/maths", "a.org/maths", True),
        ("a.org/maths?x=1", "a.org/maths", True),
        ("a.org/mathsy/7", "a.org/maths", False),
        ("b.a.org/maths", "a.org", False),
        ("a.org:8080/maths", "a.org", False),
        ("a.org/wiki/Theorem_x/y", "a.org/wiki/Theorem_*", True),
        ("a.org/wiki/Lemma", "a.org/wiki/Theorem_*", False),
        ("a.org/wiki/a/Theorem_1", "a.org/*/Theorem_*", False),
        ("a.org/c++/1", "a.org/c++", True),
    ],
)
def test_a_page_lies_under_a_pattern_by_whole_segments(key, pattern, inside):
    assert (letting_in(key, verdicts([pattern], [])) is not None) is inside


def test_the_narrowest_decided_pattern_decides():
    decided = verdicts(["a.org/maths", "a.org/maths/chat/proofs"], ["a.org/maths/chat"])
    assert letting_in("a.org/maths/1", decided) == "a.org/maths"
    assert letting_in("a.org/maths/chat/1", decided) is None
    assert letting_in("a.org/maths/chat/proofs/1", decided) == "a.org/maths/chat/proofs"
