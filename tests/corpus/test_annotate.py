import pytest

from corpus.annotate import main
from corpus.patterns import ACCEPT, OPEN, REJECT, Pattern
from corpus.review import patterns_toml, read_patterns

PATTERNS = (
    Pattern('a.org/"x"', "a.org", 9, 8, 1, ACCEPT, "rule", ("https://a.org/1",), ("https://a.org/ü\x7f",)),
    Pattern("b.org/maths", "b.org", 20, 12, 1, OPEN, ""),
    Pattern("b.org/maths/chat", "b.org", 6, 0, 2, OPEN, ""),
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(patterns_toml(PATTERNS), encoding="utf-8")
    return path


def decisions(path):
    return {one.pattern: (one.decision, one.decided_by) for one in read_patterns(path.read_text(encoding="utf-8"))}


def test_the_file_can_be_read_back(file):
    assert set(read_patterns(file.read_text(encoding="utf-8"))) == set(PATTERNS)


def test_list_shows_one_line_for_each_pattern_that_is_asked_for(file, capsys):
    assert main([str(file), "list", "--decision", "open", "--domain", "b.org"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in lines[1:]] == ["b.org/maths", "b.org/maths/chat"]
    assert "0.60" in lines[1]


def test_show_prints_counts_and_sample_pages(file, capsys):
    assert main([str(file), "show", 'a.org/"x"']) == 0
    shown = capsys.readouterr().out
    assert "8 of 9 pages" in shown
    assert "collected  https://a.org/1" in shown


def test_accept_and_reject_are_a_persons_decisions_and_add_patterns(file):
    assert main([str(file), "reject", 'a.org/"x"']) == 0
    assert main([str(file), "accept", "https://www.C.org/Theory/", "b.org/maths"]) == 0
    found = decisions(file)
    assert found['a.org/"x"'] == (REJECT, "person")
    assert found["c.org/Theory"] == (ACCEPT, "person")
    assert found["b.org/maths"] == (ACCEPT, "person")


def test_unattended_decides_what_is_open_by_the_stated_rule_and_leaves_a_persons_word(file):
    main([str(file), "reject", "b.org/maths/chat"])
    assert main([str(file), "unattended", "--poor-share", "0"]) == 0
    assert decisions(file)["b.org/maths"] == (ACCEPT, "rule")
    assert decisions(file)["b.org/maths/chat"] == (REJECT, "person")


def test_a_finished_artifact_is_not_edited(file, capsys):
    (file.parent / "manifest.json").write_text("{}")
    assert main([str(file), "accept", "b.org/maths"]) == 2
    assert "copy it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[pattern]]\nurl = "a.org"\n', "needs `pattern`"),
        ('[[pattern]]\npattern = "a.org"\ndecision = "yes"\n', "decision is 'yes'"),
        (
            '[[pattern]]\npattern = "a.org"\ndecision = "open"\n[[pattern]]\npattern = "A.org/"\ndecision = "open"\n',
            "twice",
        ),
        ("[[pattern]\n", "not valid TOML"),
        ("pattern = 3\n", "list of tables"),
        ('[[pattern]]\npattern = "a.org"\ndecision = "open"\npages = "many"\n', "are numbers"),
    ],
)
def test_what_is_no_patterns_file_is_said_in_one_line(file, capsys, text, message):
    file.write_text(text)
    assert main([str(file), "list"]) == 4
    assert message in capsys.readouterr().err


def test_a_missing_file_and_an_unknown_pattern_are_errors(file, tmp_path, capsys):
    assert main([str(tmp_path / "no.toml"), "list"]) == 3
    assert main([str(file), "show", "z.org"]) == 2
    assert "no pattern z.org" in capsys.readouterr().err
