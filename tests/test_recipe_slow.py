"""`make all` at SIZE=tiny from nothing: everything is made, a second call does nothing, the curves are the stored ones.

UPDATE_CURVES=1 stores the curves of this run instead of comparing with them.
"""

import itertools
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from commons.artifacts import read_manifest
from commons.metrics import read_metrics
from pipelines.recipe import RECIPE

ROOT = Path(__file__).resolve().parent.parent
CURVES = ROOT / "tests" / "data" / "curves" / "tiny.json"
RUN = ROOT / "runs" / "test-slow"
CURVES_OF = {
    "base": ("loss",),
    "pretrain": ("loss",),
    "sft": ("loss",),
    "reward": ("loss",),
    "rl": ("reward", "kl", "loss"),
}
# another kind of CPU may, after many thousand drawn tokens, draw one that differs; from there the rewards part
SAMPLED_STEPS = 20

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]


def make(*arguments, check=True):
    # the thread count of the recipe, not that of the tests: float sums depend on it
    command = ["make", "--no-print-directory", "OMP_NUM_THREADS=2", f"RUN={RUN.name}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=check)


@pytest.fixture(scope="module")
def output():
    """Standard output of `make all` into an empty run folder."""
    shutil.rmtree(RUN, ignore_errors=True)
    result = make("all", check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_each_stage_makes_its_artifact_and_prints_one_line(output):
    assert {step.out for step in RECIPE if read_manifest(RUN / step.out)} == {step.out for step in RECIPE}
    for step in RECIPE:
        assert sum(line.startswith(f"{step.module} ") for line in output.splitlines()) == max(
            1, sum(other.module == step.module for other in RECIPE)
        )


def test_a_second_call_does_nothing_and_says_so(output):
    assert make("all").stdout == f"nothing to do: runs/{RUN.name} is up to date\n"


def test_after_a_clone_that_lost_file_times_the_commands_find_everything_up_to_date(output):
    for step in RECIPE:
        os.utime(RUN / step.out / "manifest.json", (0, 0))
    digests = {step.out: read_manifest(RUN / step.out).digest for step in RECIPE}
    assert make("all").stdout.count("up to date") == len(RECIPE)
    assert {step.out: read_manifest(RUN / step.out).digest for step in RECIPE} == digests


def test_the_curves_are_the_stored_ones(output):
    """Within 1e-3; a change that should not alter numbers keeps them (CONTRIBUTING.md)."""
    curves = {
        f"{stage} {name}": [round(row[name], 6) for row in read_metrics(RUN / stage / "logs") if name in row]
        for stage, names in CURVES_OF.items()
        for name in names
    }
    curves |= {name: curve[:SAMPLED_STEPS] for name, curve in curves.items() if name.startswith("rl ")}
    if os.environ.get("UPDATE_CURVES"):
        CURVES.parent.mkdir(parents=True, exist_ok=True)
        CURVES.write_text(json.dumps(curves) + "\n")
    stored = json.loads(CURVES.read_text())
    assert {name: len(curve) for name, curve in curves.items()} == {name: len(curve) for name, curve in stored.items()}
    for name, curve in curves.items():
        assert curve == pytest.approx(stored[name], rel=1e-3, abs=1e-6), name


def test_the_report_has_one_greedy_row_per_model_benchmark_and_setting(output):
    results = json.loads((RUN / "report" / "report.json").read_text())["results"]
    keys = [(row["model"], row["benchmark"], row["setting"], row["seed"]) for row in results]
    assert len(keys) == len(set(keys))
    assert {row["model"] for row in results} == {"base", "instruct", "rl"}
    assert {row["split"] for row in results} == {"in_distribution", "out_of_distribution"}
    for row in results:
        assert 0 <= row["ci95"][0] <= row["accuracy"] <= row["ci95"][1] <= 1
        assert row["n"] > 0
    page = (RUN / "report" / "index.html").read_text()
    assert "<svg" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "https://" not in page.replace("https://arxiv.org", "")


def test_lineage_leads_from_the_rl_weights_to_the_crawl(output):
    command = [".venv/bin/python", "-m", "pipelines", "lineage", str(RUN / "rl")]
    text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert read_manifest(RUN / "crawl").digest[:16] in text
    status = subprocess.run(
        [".venv/bin/python", "-m", "pipelines", "status", str(RUN), "--size", "tiny"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert [line.split()[1] for line in status.splitlines()] == ["made"] * len(RECIPE), status


def test_the_trained_model_answers_a_question(output):
    command = [".venv/bin/python", "-m", "lm.ask", str(RUN / "rl"), "17+25"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


def test_an_edited_config_rebuilds_exactly_what_depends_on_it(output, tmp_path):
    """Last, since it makes things again: eval.toml is read by three evaluations, and the report reads those."""
    configs = shutil.copytree(ROOT / "configs" / "tiny", tmp_path / "configs", copy_function=shutil.copy2)
    digests = {step.out: read_manifest(RUN / step.out).digest for step in RECIPE}
    lines = (configs / "eval.toml").read_text().splitlines()
    edited = [line for line in lines if not line.startswith("greedy_questions =")]
    (configs / "eval.toml").write_text("\n".join(["greedy_questions = 40", *edited]) + "\n")
    printed = make(f"C={configs}", f"{RUN.relative_to(ROOT)}/report/manifest.json").stdout
    made = {step.out for step in RECIPE if read_manifest(RUN / step.out).digest != digests[step.out]}
    assert made == {"eval/base", "eval/instruct", "eval/rl", "report"}
    assert len(printed.splitlines()) == len(made)
    commands = make("-n", f"C={configs}", "-W", f"{configs}/rl.toml", f"{RUN.relative_to(ROOT)}/report/manifest.json")
    words = [itertools.pairwise(line.split()) for line in commands.stdout.splitlines()]
    asked = [
        Path(out).relative_to(RUN.relative_to(ROOT)).as_posix()
        for line in words
        for flag, out in line
        if flag == "--out"
    ]
    assert asked == ["rl", "eval/rl", "report"]
