"""`python -m eval.compare` on two made-up evaluations."""

from eval.compare import main
from tests.eval.made import evaluation


def test_the_paired_gain_is_printed_for_each_split(tmp_path, capsys):
    for name in ("instruct", "rl"):
        evaluation(tmp_path / name, name, in_distribution=200)
    assert main([str(tmp_path / "instruct"), str(tmp_path / "rl")]) == 0
    lines = capsys.readouterr().out.splitlines()[-2:]
    assert lines[0].startswith("in distribution")
    assert lines[1].startswith("out of distribution")
    assert all("95% [" in line and "gained" in line for line in lines)


def test_evaluations_of_other_questions_are_refused(tmp_path, capsys):
    evaluation(tmp_path / "few", "instruct", in_distribution=100)
    evaluation(tmp_path / "many", "rl", in_distribution=120)
    assert main([str(tmp_path / "few"), str(tmp_path / "many")]) == 3
    assert "20 are in one only" in capsys.readouterr().err


def test_one_argument_is_refused(capsys):
    assert main(["runs/tiny/eval/rl"]) == 2
    assert "accepted: python -m eval.compare" in capsys.readouterr().err
