"""Saved outputs are graded without a model, and a finished evaluation again."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commons.artifacts import open_artifact
from commons.files import write_json
from commons.shards import read_jsonl, write_jsonl
from commons.stage import main
from eval.grading import graded, sample_row
from eval.items import Item
from eval.outputs import Answer
from eval.regrade import changes
from eval.stage import STAGE
from tests.eval.conftest import publish

ROOT = Path(__file__).resolve().parents[2]
ROW = {"id": "a", "question": "2+2?", "gold": "4", "output": "It is \\boxed{4}."}


def saved(path, rows, out, *settings):
    write_jsonl(path, rows)
    return main(STAGE, ["--generations", str(path), "--out", str(out), *settings])


def results(out):
    return json.loads((out / "results.json").read_text(encoding="utf-8"))


def test_rows_of_four_fields_are_enough(tmp_path):
    rows = [ROW, {**ROW, "id": "b", "output": "It is \\boxed{5}."}]
    assert saved(tmp_path / "rows.jsonl", rows, tmp_path / "out") == 0
    [row] = results(tmp_path / "out")
    assert (row["accuracy"], row["n"], row["benchmark"]) == (0.5, 2, "saved")
    modes = {row["mode"] for row in read_jsonl(tmp_path / "out" / "samples.jsonl.zst")}
    assert modes == {"greedy"}


def test_several_outputs_of_a_question_give_votes_and_pass_rates_and_labels_are_compared(tmp_path):
    texts = ["\\boxed{4}", "\\boxed{4.0}", "\\boxed{5}", "no"]
    rows = [{**ROW, "output": text, "recorded": text == "\\boxed{4}"} for text in texts]
    assert saved(tmp_path / "rows.jsonl", rows, tmp_path / "out") == 0
    [row] = results(tmp_path / "out")
    assert (row["accuracy"], row["maj_at_k"]["4"], row["pass_at_k"]["4"]) == (0.5, 1.0, 1.0)
    [other] = json.loads((tmp_path / "out" / "disagreements.json").read_text(encoding="utf-8"))
    assert (other["sample"], other["recorded"], other["verdict"], other["reason"]) == (1, False, "correct", "4.0 is 4")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "holds no outputs"),
        ([{"id": "a", "output": ""}], "rows.jsonl:1 has no question, gold"),
        ([ROW, ROW, {**ROW, "id": "b"}], "questions have 1 to 2 outputs"),
    ],
)
def test_a_file_that_cannot_be_scored_says_why(rows, message, tmp_path, capsys):
    assert saved(tmp_path / "rows.jsonl", rows, tmp_path / "out") == 4
    assert message in capsys.readouterr().err


def test_the_outputs_that_qwen_published_are_read_as_they_are(shared, tmp_path):
    path = shared / "sft" / "qwen_math_cot_100x8_samples.jsonl"
    assert main(STAGE, ["--generations", str(path), "--out", str(tmp_path / "out")]) == 0
    [row] = results(tmp_path / "out")
    assert (row["accuracy"], row["maj_at_k"]["8"], row["pass_at_k"]["8"], row["n"]) == (0.91125, 0.925, 0.97, 100)
    [other] = json.loads((tmp_path / "out" / "disagreements.json").read_text(encoding="utf-8"))
    assert other["reason"] == "10000 is 10{,}000"
    assert open_artifact(tmp_path / "out", "evaluation").counts["recorded"] == 800


def finished(out):
    """An evaluation with three graded outputs."""
    item = Item("a", "out_of_distribution", "sat", "cot", "en", "Which?", "B", options=(("A", "1"), ("B", "2")))
    texts = ["The answer is (B).", "The answer is (A).", "So it is 2: \\boxed{2}"]
    rows = [sample_row("sampled", graded(item, Answer("a", n, text, True, 1, ()))) for n, text in enumerate(texts)]

    def write(work):
        write_jsonl(work.folder / "samples.jsonl.zst", rows)
        write_json(work.folder / "results.json", [])

    return publish(out, "evaluation", write)


def test_an_option_that_is_answered_by_its_text_counts_and_says_so(tmp_path):
    rows = list(read_jsonl(finished(tmp_path / "out") / "samples.jsonl.zst"))
    assert [row["verdict"] for row in rows] == ["correct", "wrong", "correct"]
    assert rows[2]["reason"] == "B is B (by its option text)"


def test_grading_again_changes_nothing_where_the_grader_is_the_same(tmp_path):
    assert list(changes(read_jsonl(finished(tmp_path / "out") / "samples.jsonl.zst"))) == []


def test_grading_again_prints_what_changed_and_loads_no_model(tmp_path):
    out = finished(tmp_path / "out")
    rows = list(read_jsonl(out / "samples.jsonl.zst"))
    rows[0] |= {"strict_verdict": "wrong", "verdict": "wrong"}  # as an older grader had it
    edited = publish(
        tmp_path / "edited", "evaluation", lambda work: write_jsonl(work.folder / "samples.jsonl.zst", rows)
    )
    code = (
        "import sys; from eval.regrade import main; code = main(sys.argv[1:]); "
        "assert not {'torch', 'transformers'} & sys.modules.keys(); sys.exit(code)"
    )
    command = [sys.executable, "-c", code, str(edited), str(tmp_path / "diff.jsonl")]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    first, strict, paper = ended.stdout.splitlines()
    assert first == "a sampled 0 strict: wrong (B) -> correct (B); B is B (by its phrase)"
    assert strict == "strict  3 outputs, 1 verdicts changed; correct 1 -> 2 (1 gained, 0 lost)"
    assert paper.startswith("paper   3 outputs, 0 verdicts changed")
    [change] = read_jsonl(tmp_path / "diff.jsonl")
    assert change["grader"] == "strict"
    shutil.rmtree(edited)
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 3


def test_samples_of_an_evaluation_are_saved_outputs_too(tmp_path):
    samples = finished(tmp_path / "out") / "samples.jsonl.zst"
    assert main(STAGE, ["--generations", str(samples), "--out", str(tmp_path / "again")]) == 0
    again = [row["verdict"] for row in read_jsonl(tmp_path / "again" / "samples.jsonl.zst")]
    assert again == ["correct", "wrong", "correct"]
