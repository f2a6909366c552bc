import gzip
import json

import pytest

from commons.prompts import programs
from commons.quotations import benchmark_grams
from commons.sandbox import ProgramRun
from commons.sandbox_config import SandboxConfig
from commons.shards import read_jsonl, write_jsonl
from sft.checking import checked_one, quoting, runs_of
from sft.questions import command
from sft.train import solution_of
from sft.worked import Worked, read_worked, worked_of

GSM8K = {"question": "Tom has 3 apples and 4 pears. How many?", "answer": "He has 3+4=<<3+4=7>>7.\n#### 7"}
MATH = {"problem": "What is $\\frac{1}{2}$ of 3?", "level": "Level 1", "solution": "It is $\\boxed{\\frac{3}{2}}$."}
INSTRUCT_COT = {"source": "data/CoT/gsm.json", "instruction": "What is 2+3?", "output": "2+3=5. The answer is 5."}
INSTRUCT_POT = {
    "source": "data/PoT/gsm.json",
    "instruction": "What is 6*7? Let's write a Python program.",
    "output": "answer = 6*7\nprint(answer)",
}
LILA = {"Input": "What is 8-5?", "Output Program": ["print(8-5)"], "Output Answer": ["3"]}
CHINESE = {"problem": "3+4等于多少？", "solution": "3+4=7，答案是\\boxed{7}。"}
TOOL = {
    "gt": "12",
    "messages": [
        {"role": "user", "content": "What is 3*4?"},
        {
            "role": "assistant",
            "content": "```python\nprint(3*4)\n```\n```output\n12\n```\nThe answer is $\\boxed{12}$.",
        },
    ],
}
TWO_BLOCKS = "First:\n```python\nx = 6\nprint(x)\n```\n```output\n6\n```\nThen:\n```python\nprint(x*2)\n```\n```output\n12\n```\nSo \\boxed{12}."  # noqa: E501


def ran(printed: str, status: str = "ok") -> list[ProgramRun]:
    return [ProgramRun(status, printed, "", 0.0)]


def test_every_known_form_becomes_one_schema():
    assert worked_of(GSM8K, "gsm8k") == Worked(
        GSM8K["question"], "He has 3+4=7.\nSo \\boxed{7}.", "cot", "en", "gsm8k", "7"
    )
    math = worked_of(MATH, "math")
    assert (math.solution, math.answer, math.level) == (MATH["solution"], "\\frac{3}{2}", "Level 1")
    told = worked_of(INSTRUCT_COT, "file")
    assert (told.solution, told.source, told.form) == ("2+3=5.\nSo \\boxed{5}.", "data/CoT/gsm.json", "cot")
    program = worked_of(INSTRUCT_POT, "file")
    assert (program.question, program.form) == ("What is 6*7?", "pot")
    assert programs(program.solution) == [INSTRUCT_POT["output"] + "\n"]
    assert worked_of(LILA, "lila").answer == "3"
    assert worked_of(CHINESE, "zh").language == "zh"
    tool = worked_of(TOOL, "tora")
    assert (tool.form, tool.answer) == ("tool", "12")
    assert tool.solution.startswith("Program:\n```python\n")  # a fence may not stand on the line of `Assistant:`


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"text": "nothing to ask"}, "no known fields"),
        ({"question": "What?", "answer": "7"}, "no solution"),
        (LILA | {"Output Program": ["NULL"]}, "no solution"),
        ({"question": "a", "solution": "b", "form": "poem", "language": "en"}, "unknown form or language"),
        ({"messages": [{"role": "user", "content": "a"}]}, "no single question with its answer"),
    ],
)
def test_a_row_that_cannot_be_taught_says_why(fields, reason):
    assert worked_of(fields, "file") == reason


@pytest.mark.parametrize(
    ("example", "runs", "reason"),
    [
        (Worked("q", "So \\boxed{8}.", "cot", "en", "s", "7"), [], "answer: wrong"),
        (Worked("q", "I do not know.", "cot", "en", "s", "7"), [], "answer: no answer"),
        (Worked("q", "I do not know.", "cot", "en", "s", None), [], "answer: no answer"),
        (Worked("q", "P:\n```python\nprint(7", "pot", "en", "s", "7"), [], "no complete program"),
        (Worked("q", "P:\n```python\n1/0\n```", "pot", "en", "s", "7"), ran("", "error"), "program: error"),
        (Worked("q", "P:\n```python\nprint(8)\n```", "pot", "en", "s", "7"), ran("8"), "answer: wrong"),
        (worked_of(TOOL, "t"), ran("13"), "program: prints something else than the transcript says"),
    ],
)
def test_what_does_not_lead_to_its_answer_is_dropped_with_the_reason(example, runs, reason):
    assert checked_one(example, runs) == reason


def test_without_a_gold_answer_the_solution_gives_it():
    assert checked_one(worked_of(INSTRUCT_COT, "f"), []).answer == "5"
    assert checked_one(worked_of(INSTRUCT_POT, "f"), ran("42")).answer == "42"
    assert checked_one(worked_of(LILA, "f"), ran("3.0")).answer == "3"


def test_the_programs_of_a_transcript_keep_their_names():
    with SandboxConfig(min_isolation="L0").sandbox() as sandbox:
        [runs] = runs_of([programs(TWO_BLOCKS)], sandbox)
    assert [run.stdout.strip() for run in runs] == ["6", "12"]
    example = Worked("q", TWO_BLOCKS, "tool", "en", "s", "12")
    assert checked_one(example, runs) == example


def test_ten_words_of_a_benchmark_are_found_in_question_and_solution():
    text = "one two three four five six seven eight nine ten"
    examples = [Worked(text, "s", "cot", "en", "s", "1"), Worked("q", f"so {text}", "cot", "en", "s", "1")]
    clean = Worked(text.replace("five", "5"), "s", "cot", "en", "s", "1")
    assert quoting([*examples, clean], benchmark_grams([text])) == [True, True, False]


def test_files_of_every_kind_make_one_artifact(tmp_path, capsys):
    write_jsonl(tmp_path / "gsm8k.jsonl.zst", [GSM8K, GSM8K, {"question": "What?", "answer": "7"}])
    (tmp_path / "instruct.json").write_text(json.dumps([INSTRUCT_COT, INSTRUCT_POT]))
    (tmp_path / "lila.json").write_text(json.dumps({"Instances": [LILA, LILA | {"Output Answer": ["4"]}]}))
    lines = [json.dumps(row, ensure_ascii=False) for row in (MATH, CHINESE, TOOL)]
    (tmp_path / "other.jsonl.gz").write_bytes(gzip.compress("\n".join([*lines, "{broken"]).encode()))
    names = ("gsm8k.jsonl.zst", "instruct.json", "lila.json")
    files = [word for name in names for word in ("--from", str(tmp_path / name))]
    last = ["--from", str(tmp_path / "other.jsonl.gz"), "--out", str(tmp_path / "out"), "sandbox.min_isolation=L0"]
    assert command([*files, *last]) == 0
    assert "3 programs run" not in capsys.readouterr().out
    counts = json.loads((tmp_path / "out" / "manifest.json").read_text())["counts"]
    reasons = {name: row["reasons"] for name, row in counts["sources"].items() if row["reasons"]}
    assert reasons == {
        "gsm8k": {"seen before": 1, "no solution": 1},
        "lila": {"answer: wrong": 1},
        "other": {"not valid JSON": 1},
    }
    rows = {name: list(read_jsonl(tmp_path / "out" / f"{name}.jsonl.zst")) for name in ("train", "heldout", "rl")}
    assert len(rows["heldout"]) == 1
    assert len(rows["train"]) == 6
    assert not {row["question"] for row in rows["train"]} & {row["question"] for row in rows["heldout"]}
    assert all(row["solution"] is None and row["form"] == "cot" for row in rows["rl"])
    for row in (*rows["train"], *rows["heldout"]):
        solution_of(row)
    languages = counts["taught"]
    assert sum(languages[name].get("all", 0) for name in ("en", "zh")) == 6
    # what was made can be a source of the next one
    again = ["--from", str(tmp_path / "out"), "--out", str(tmp_path / "again"), "sandbox.min_isolation=L0"]
    assert command(again) == 0
    assert len(list(read_worked(tmp_path / "out"))) == 6


def test_from_without_a_file_and_a_file_that_is_not_there_are_said_in_one_line(tmp_path, capsys):
    assert command(["--from", "--out", str(tmp_path)]) == 2
    assert command(["--from", str(tmp_path / "none.jsonl"), "--out", str(tmp_path / "out")]) == 3
    assert capsys.readouterr().err.count("\n") == 2


def test_the_examples_of_tora_are_read_as_tool_integrated(shared):
    found = list(read_worked(shared / "sft" / "tora_examples.jsonl"))
    assert len(found) == 30
    assert sum(one.form == "tool" for one in found) == 25
    assert all(one.answer for one in found)
