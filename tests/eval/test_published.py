"""`python -m eval --benchmarks`: all ten benchmarks in all settings on a small random model."""

import json
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commons.artifacts import open_artifact
from commons.prompts import prompt
from commons.shards import read_jsonl
from commons.stage import main
from eval.config import TEN
from eval.stage import STAGE
from tests.eval.rows import ROWS, benchmark_folder, shots_folder
from tests.eval.served import choice, random_model, serving

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ["max_new_tokens=8", "rows_at_once=8", "samples_per_question=2", "label=other"]
FEW = 'benchmarks.settings=["few_shot_cot","few_shot_pot"]'
ZERO = 'benchmarks.settings=["zero_shot_cot","zero_shot_tool"]'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("published")
    benchmark_folder(found / "benchmarks")
    shots_folder(found / "shots")
    random_model(found / "model")
    return found


def argv(folder, out, *settings):
    given = ["--model", str(folder / "model")] if not any("model." in setting for setting in settings) else []
    named = ["--benchmarks", str(folder / "benchmarks"), "--shots", str(folder / "shots"), "--out", str(out)]
    return [*given, *named, *SETTINGS, *settings]


def samples(out):
    return list(read_jsonl(out / "samples.jsonl.zst"))


@pytest.fixture(scope="module")
def few(folder):
    assert main(STAGE, argv(folder, folder / "few", FEW, "benchmarks.sampled_questions=1")) == 0
    return open_artifact(folder / "few", "evaluation")


def test_a_base_model_is_asked_all_ten_behind_examples_and_programs_where_there_are_such_examples(few):
    rows = json.loads((few.path / "results.json").read_text(encoding="utf-8"))
    assert [(row["benchmark"], row["setting"]) for row in rows] == [
        *((name, "cot-zh" if ROWS[name] and name in CHINESE else "cot") for name in TEN),
        ("gsm8k", "pot"),
    ]
    by_name = {(row["benchmark"], row["setting"]): row for row in rows}
    assert by_name["minif2f", "cot"]["accuracy"] is None
    assert by_name["minif2f", "cot"]["health"]["not_graded"] == 1
    assert by_name["math", "cot"]["sampled_n"] == 1
    assert {row["protocol_hash"] for row in rows} == {few.counts["protocol"]}
    assert rows[0]["protocol"] == "strict"


CHINESE = ("cmath", "mgsm_zh", "gaokao_mathcloze", "gaokao_mathqa")


def test_each_step_is_a_file_and_the_samples_are_their_sum(few):
    steps = {path.name for path in (few.path / "steps").iterdir()}
    assert steps == {"1-prompts.jsonl.zst", "2-generations.jsonl.zst", "3-runs.jsonl.zst", "4-verdicts.jsonl.zst"}
    prompts = {row["id"]: row for row in read_jsonl(few.path / "steps" / "1-prompts.jsonl.zst")}
    assert all(row.keys() == {"id", "prompt", "stops"} for row in prompts.values())
    rows = samples(few.path)
    assert all(row["prompt"] == prompts[row["id"]]["prompt"] for row in rows)
    assert prompts["math/cot/00000"]["prompt"] == "Q: one?\nA: The answer is 1.\n\nQ: What is $1+3$?\nA:"
    assert {row["level"] for row in rows if row["benchmark"] == "math"} == {"Level 1", "Level 5"}
    assert {row["finish"] for row in rows} <= {"end", "stop", "length"}
    generated = list(read_jsonl(few.path / "steps" / "2-generations.jsonl.zst"))
    assert len(generated) == len(rows)


def test_a_proof_is_exported_and_not_graded_without_a_checker(few):
    theory = (few.path / "sketches" / "minif2f" / "made_1.thy").read_text(encoding="utf-8")
    assert theory.startswith('theory made_1 imports Main\nbegin\n\ntheorem made_1:\n  shows "(1::nat) + 1 = 2"\n')
    assert theory.endswith("\n\nend\n")
    [row] = [row for row in samples(few.path) if row["benchmark"] == "minif2f"]
    assert (row["verdict"], row["paper_verdict"]) == ("not graded", "not graded")
    assert row["reason"] == "a proof is checked by Isabelle alone"


@pytest.mark.parametrize(("code", "verdict"), [(0, "correct"), (1, "wrong"), (7, "not graded")])
def test_a_checker_of_the_user_decides_about_proofs(folder, tmp_path, code, verdict):
    checker = tmp_path / "checker"
    checker.write_text(f'#!/bin/sh\ngrep -q "theorem made_1" "$1" && exit {code}\nexit 9\n')
    checker.chmod(checker.stat().st_mode | stat.S_IXUSR)
    settings = [f'benchmarks.checker=["{checker}"]', 'benchmarks.names=["minif2f"]']
    assert main(STAGE, argv(folder, tmp_path / "out", FEW, *settings)) == 0
    assert samples(tmp_path / "out")[0]["verdict"] == verdict


def test_an_instruct_model_is_asked_in_the_papers_form_with_tools_where_the_paper_has_them(folder, tmp_path):
    assert main(STAGE, argv(folder, tmp_path / "out", ZERO)) == 0
    rows = samples(tmp_path / "out")
    tools = {row["benchmark"] for row in rows if row["setting"].startswith("tool")}
    assert tools == {"gsm8k", "math", "mgsm_zh", "cmath"}
    assert "minif2f" not in {row["benchmark"] for row in rows}
    [row] = [row for row in rows if row["id"] == "gsm8k/tool/00000"]
    assert row["prompt"] == prompt("Ann has 1 pear and gets 2. How many?", "tool", "en")


def test_a_chat_template_is_used_where_it_is_asked_for(folder, tmp_path):
    settings = ["model.chat_template=true", 'benchmarks.names=["math"]', 'benchmarks.settings=["zero_shot_cot"]']
    given = ["--model", str(folder / "model"), *argv(folder, tmp_path / "out", *settings)]
    assert main(STAGE, given) == 0
    assert samples(tmp_path / "out")[0]["prompt"].startswith("<user>What is $1+3$?\nPlease reason")
    assert samples(tmp_path / "out")[0]["prompt"].endswith("</user><assistant>")


def test_generations_are_shared_by_a_cache_and_the_grader_is_no_part_of_it(folder, tmp_path):
    shared = f"model.cache={tmp_path / 'cache'}"
    base = ["--model", str(folder / "model")]
    assert main(STAGE, [*base, *argv(folder, tmp_path / "one", FEW, shared)]) == 0
    [kept] = (tmp_path / "cache").glob("*.jsonl")
    before = kept.read_bytes()
    assert main(STAGE, [*base, *argv(folder, tmp_path / "two", FEW, shared, "label=again")]) == 0
    assert [path.read_bytes() for path in (tmp_path / "cache").glob("*.jsonl")] == [before]
    assert [row["output"] for row in samples(tmp_path / "one")] == [row["output"] for row in samples(tmp_path / "two")]


def test_the_paper_protocol_counts_the_papers_verdict_and_keeps_ours(folder, tmp_path):
    def answer(body, count):
        return 200, {}, choice("It is 1,200 or so. The answer is 1,003.\nQ: next?")

    names = 'benchmarks.names=["gsm8k"]'
    with serving(answer) as server:
        settings = [
            f"model.url={server.url}",
            "model.served=m",
            "protocol=paper",
            'benchmarks.settings=["few_shot_cot"]',
        ]
        limits = ["max_new_tokens=1024", 'tool.state="replayed"', 'tool.errors="traceback"']
        assert main(STAGE, argv(folder, tmp_path / "out", *settings, *limits, names)) == 0
    row = samples(tmp_path / "out")[0]
    assert (row["paper_answer"], row["strict_answer"]) == ("003", "1,003")
    assert (row["verdict"], row["paper_verdict"], row["strict_verdict"]) == ("correct", "correct", "wrong")
    assert row["finish"] == "stop"
    assert row["output"] == "It is 1,200 or so. The answer is 1,003."
    [result] = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert (result["accuracy"], result["accuracy_strict"], result["accuracy_paper"]) == (1.0, 0.0, 1.0)
    assert json.loads((tmp_path / "out" / "protocol.json").read_text(encoding="utf-8"))["name"] == "paper"


def test_a_served_model_goes_through_the_tool_loop_and_pal_programs_run(folder, tmp_path):
    def answer(body, count):
        if "# Python:" in body["prompt"]:
            return 200, {}, choice("def solution():\n    return 1 + 2")
        if "```output\n3\n```" in body["prompt"]:
            return 200, {}, choice("So \\boxed{3}.")
        return 200, {}, choice("```python\nprint(1 + 2)\n```\n```output\n99\n```\n\\boxed{99}")

    with serving(answer) as server:
        served = [f"model.url={server.url}", "model.served=m", 'benchmarks.names=["gsm8k"]']
        both = 'benchmarks.settings=["few_shot_pot","zero_shot_tool"]'
        assert main(STAGE, argv(folder, tmp_path / "out", *served, both)) == 0
    rows = {row["setting"]: row for row in samples(tmp_path / "out")}
    assert (rows["pot"]["verdict"], rows["pot"]["paper_verdict"]) == ("correct", "correct")
    assert rows["pot"]["programs"] == [{"status": "ok", "stdout": "3\n", "error": ""}]
    assert rows["tool"]["rounds"] == 2
    assert rows["tool"]["verdict"] == "correct"
    assert "99" not in rows["tool"]["output"]


@pytest.mark.parametrize(
    ("settings", "code", "message"),
    [
        (["model.url=http://127.0.0.1:1/v1"], 2, "model.served is missing"),
        (["model.hub=nobody/nothing"], 3, "nobody/nothing"),
        (['benchmarks.names=["gsm9k"]'], 2, "no benchmark is called 'gsm9k'"),
        (['benchmarks.settings=["few_shot_cot","zero_shot_cot"]'], 2, "asks one form twice"),
        (["protocol=paper"], 2, "protocol paper has max_new_tokens = 1024, not 8"),
    ],
)
def test_a_mistake_is_said_in_one_line(folder, tmp_path, capsys, settings, code, message):
    assert main(STAGE, argv(folder, tmp_path / "out", *settings)) == code
    assert message in capsys.readouterr().err


def test_two_models_or_none_are_refused(folder, tmp_path, capsys):
    given = ["--model", str(folder / "model"), *argv(folder, tmp_path / "out", "model.hub=a/b")]
    assert main(STAGE, given) == 2
    assert "2 models are named" in capsys.readouterr().err


@pytest.mark.slow
def test_a_killed_evaluation_of_a_served_model_ends_with_the_same_digest(folder, tmp_path):
    def answer(body, count):
        time.sleep(0.02)
        return 200, {}, choice(f"The answer is {len(body['prompt']) % 7}.")

    with serving(answer) as server:
        settings = [f"model.url={server.url}", "model.served=m", "model.concurrency=2", FEW]
        assert main(STAGE, argv(folder, tmp_path / "whole", *settings)) == 0
        asked = len(server.bodies)
        command = [sys.executable, "-m", "eval", *argv(folder, tmp_path / "killed", *settings)]
        with subprocess.Popen(command, cwd=ROOT) as running:
            while running.poll() is None and len(server.bodies) < asked + 4:
                time.sleep(0.002)
            running.send_signal(signal.SIGKILL)
        assert subprocess.run(command, cwd=ROOT).returncode == 0
        assert len(server.bodies) < 3 * asked
    digests = [open_artifact(tmp_path / name, "evaluation").digest for name in ("whole", "killed")]
    assert digests[0] == digests[1]
