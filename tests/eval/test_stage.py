"""`python -m eval` on a model whose answers are known."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commons.artifacts import open_artifact
from commons.prompts import prompt
from commons.shards import read_jsonl
from commons.stage import main
from eval.config import EvalConfig
from eval.items import held_out
from eval.models import opened
from eval.stage import STAGE, asking_of

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ["samples_per_question=4", "sampled_questions=2", "max_new_tokens=120", "rows_at_once=8"]


def evaluate(checkpoint, questions, out, *settings):
    return main(
        STAGE, ["--model", str(checkpoint), "--questions", str(questions), "--out", str(out), *SETTINGS, *settings]
    )


@pytest.fixture(scope="module")
def evaluation(checkpoint, questions, tmp_path_factory):
    out = tmp_path_factory.mktemp("evaluation") / "instruct"
    assert evaluate(checkpoint, questions, out) == 0
    return open_artifact(out, "evaluation")


def rows_of(evaluation):
    return json.loads((evaluation.path / "results.json").read_text(encoding="utf-8"))


def test_there_is_one_row_for_each_benchmark_and_setting(evaluation):
    rows = rows_of(evaluation)
    assert [(row["split"], row["benchmark"], row["setting"], row["n"]) for row in rows] == [
        ("in_distribution", "heldout", "cot", 2),
        ("out_of_distribution", "other", "cot-zh", 1),
        ("out_of_distribution", "other", "pot", 1),
        ("out_of_distribution", "other", "tool", 1),
    ]
    assert [row["accuracy"] for row in rows] == [0.5, 1.0, 1.0, 1.0]
    assert rows[0]["maj_at_k"].keys() == rows[0]["pass_at_k"].keys() == {"1", "2", "4"}


def test_a_program_is_run_and_a_tool_answer_goes_on_from_what_it_printed(evaluation):
    greedy = {row["id"]: row for row in read_jsonl(evaluation.path / "samples.jsonl.zst") if row["mode"] == "greedy"}
    assert greedy["other-3"]["programs"] == [{"status": "ok", "stdout": "12\n", "error": ""}]
    assert (greedy["other-3"]["answer"], greedy["other-3"]["verdict"]) == ("12", "correct")
    tool = greedy["other-4"]
    assert tool["rounds"] == 2
    assert tool["output"].endswith("```output\n42\n```\nSo \\boxed{42}.")
    assert tool["output"].count("```output") == 1  # the model's own invention of the output was cut


def test_a_wrong_answer_says_why(evaluation):
    wrong = [row for row in read_jsonl(evaluation.path / "samples.jsonl.zst") if row["id"] == "heldout-1"]
    assert {row["reason"] for row in wrong if row["mode"] == "greedy"} == {"5 is not 4"}
    assert evaluation.counts["wrong"] == 1
    assert evaluation.counts["programs"] == 2


def test_the_same_evaluation_has_the_same_digest(evaluation, checkpoint, questions, tmp_path, capsys):
    assert evaluate(checkpoint, questions, tmp_path / "again", "sandbox.workers=1") == 0
    assert open_artifact(tmp_path / "again", "evaluation").digest == evaluation.digest
    line = capsys.readouterr().out
    assert "in distribution 50.0%" in line
    assert "2 programs run (isolation L" in line


@pytest.mark.slow
def test_a_killed_evaluation_goes_on_from_the_chunks_on_disk(evaluation, checkpoint, questions, tmp_path):
    out = tmp_path / "killed"
    chunk = tmp_path / "killed.partial" / ".work" / "greedy" / "00000.jsonl"
    command = [sys.executable, "-m", "eval", "--model", str(checkpoint), "--questions", str(questions)]
    with subprocess.Popen([*command, "--out", str(out), *SETTINGS], cwd=ROOT) as running:
        while running.poll() is None and not chunk.exists():
            time.sleep(0.002)
        running.send_signal(signal.SIGKILL)
    assert chunk.exists()
    written = chunk.stat().st_mtime_ns
    with subprocess.Popen([*command, "--out", str(out), *SETTINGS], cwd=ROOT) as running:
        while running.poll() is None:
            times = {chunk.stat().st_mtime_ns} if chunk.exists() else set()
            assert times <= {written}
            time.sleep(0.01)
    assert open_artifact(out, "evaluation").digest == evaluation.digest


def test_a_base_model_is_asked_with_solved_examples_before_the_question(checkpoint, questions):
    inputs = {"model": open_artifact(checkpoint, "checkpoint"), "questions": open_artifact(questions, "questions")}
    [item] = [item for item in held_out(read_jsonl(questions / "heldout.jsonl.zst")) if item.id == "heldout-1"]

    def asked(config):
        return asking_of(config, inputs, opened(config, inputs["model"])).prompt(item.posed)

    base = asked(EvalConfig(label="base", few_shot_examples=1, max_new_tokens=20))
    assert base.count("Question:") == 2
    example, question = base.split("\n\n")
    assert example.endswith("1+1=2. So \\boxed{2}.")
    assert "2+2" in question
    assert asked(EvalConfig(label="instruct", max_new_tokens=20)) == prompt("2+2", "cot", "en")


@pytest.mark.slow
def test_programs_are_not_run_below_the_isolation_that_is_asked_for(checkpoint, questions, tmp_path):
    argv = ["--model", str(checkpoint), "--questions", str(questions), "--out", str(tmp_path / "out"), *SETTINGS]
    code = f"from commons.stage import main; from eval.stage import STAGE; sys.exit(main(STAGE, {argv}))"
    code = code.replace("]))", ", '--min-isolation', 'L3']))")
    host = [sys.executable, "-m", "tests.commons.sandbox_host", code, "no-namespaces"]
    ended = subprocess.run(host, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.startswith("eval: this machine isolates programs at L1: ")
    assert "namespaces refused" in ended.stderr
    assert ended.stderr.count("\n") == 1
