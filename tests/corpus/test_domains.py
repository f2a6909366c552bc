import pytest

from corpus.domains import Pattern, Tally, accepted_prefixes, lies_under, maths_domains, patterns_toml, read_patterns


def test_a_domain_is_about_mathematics_above_a_tenth_of_its_pages():
    tallies = [Tally("a.org", 100, 10), Tally("b.org", 100, 11)]
    assert maths_domains(tallies, maths_share=0.1) == {"b.org"}


def test_the_shallowest_prefix_with_enough_pages_is_accepted():
    tallies = [
        Tally("a.org", 100, 30),
        Tally("a.org/maths", 40, 30),
        Tally("a.org/maths/algebra", 20, 20),
        Tally("a.org/chat", 60, 0),
        Tally("a.org/tiny", 2, 2),
    ]
    assert accepted_prefixes(tallies, share=0.5, pages=5) == {"a.org/maths"}


def test_a_page_lies_under_a_pattern_by_whole_folders():
    assert lies_under("a.org/maths/7", frozenset({"a.org/maths"}), 2)
    assert not lies_under("a.org/mathsy/7", frozenset({"a.org/maths"}), 2)


def test_the_patterns_file_can_be_read_back_and_edited():
    text = patterns_toml([Pattern('a.org/"x"', 9, 8, 1, "rule"), Pattern("b.org", 9, 1, 1, "")])
    assert read_patterns(text) == {'a.org/"x"'}
    assert read_patterns(text.replace("accepted = false", "accepted = true")) == {'a.org/"x"', "b.org"}
    with pytest.raises(ValueError, match="prefix"):
        read_patterns('[[pattern]]\nurl = "a.org"\n')
