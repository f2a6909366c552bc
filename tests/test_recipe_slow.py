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


def test_an_edited_config_rebuilds_exactly_what_depends_on_it(output, tmp_path):
    configs = shutil.copytree(ROOT / "configs" / "tiny", tmp_path / "configs", copy_function=shutil.copy2)
    os.utime(configs / "rl.toml")
    commands = make("-n", f"C={configs}", f"{RUN.relative_to(ROOT)}/report/manifest.json").stdout
    made = [
        word for line in commands.splitlines() for before, word in itertools.pairwise(line.split()) if before == "--out"
    ]
    assert [Path(out).relative_to(RUN.relative_to(ROOT)).as_posix() for out in made] == ["rl", "eval/rl", "report"]


def test_the_loss_curves_are_the_stored_ones(output):
    """Within 1e-3 of the loss; a change that should not alter numbers keeps them (CONTRIBUTING.md)."""
    rows = {out: read_metrics(RUN / out / "logs") for out in ("base", "pretrain", "sft")}
    curves = {out: [row["loss"] for row in rows[out] if "loss" in row] for out in rows}
    if os.environ.get("UPDATE_CURVES"):
        CURVES.parent.mkdir(parents=True, exist_ok=True)
        CURVES.write_text(json.dumps({k: [round(x, 6) for x in v] for k, v in curves.items()}) + "\n")
    stored = json.loads(CURVES.read_text())
    assert {name: len(curve) for name, curve in curves.items()} == {name: len(curve) for name, curve in stored.items()}
    for name, curve in curves.items():
        assert curve == pytest.approx(stored[name], rel=1e-3), name


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
