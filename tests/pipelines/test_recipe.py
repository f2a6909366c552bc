import re
import subprocess
from pathlib import Path

import pytest

from pipelines.recipe import RECIPE
from pipelines.stages import DECLARED_IN, stage_of

ROOT = Path(__file__).resolve().parents[2]


def make(*arguments):
    """The commands that Make would run with everything out of date."""
    command = ["make", "--no-print-directory", "-n", "-B", "-o", ".venv/.installed-cpu", "TORCH=cpu", *arguments]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [line.split() for line in output.splitlines() if " -m " in line and "--out" in line]


def parsed(words, run):
    """(module, out, inputs by flag, settings) of a command line."""
    flags = {words[n][2:]: words[n + 1] for n in range(len(words) - 1) if re.match(r"--[a-z-]+$", words[n])}
    flags.pop("replace", None)
    out, _ = flags.pop("out"), flags.pop("config", None)
    settings = {word for word in words if re.fullmatch(r"\w+=\S+", word)}
    return words[2], out.removeprefix(run), {name: path.removeprefix(run) for name, path in flags.items()}, settings


# for many runs, or of what is no part of the recipe
MADE_ONCE = {"corpus.index", "lm.import_model", "pretrain.tokenise"}


@pytest.mark.parametrize("size", ["tiny", "small", "paper"])
def test_make_runs_exactly_the_recipe(size):
    commands = [parsed(words, f"runs/{size}/") for words in make(f"SIZE={size}", f"runs/{size}/report/manifest.json")]
    expected = [(s.module, s.out, dict(s.inputs), {"seed=0", *s.settings}) for s in RECIPE]
    assert sorted(commands, key=str) == sorted(expected, key=str)


def test_each_target_of_the_recipe_is_a_make_target_with_help():
    helped = set(re.findall(r"^  ([a-z-]+) ", subprocess.check_output(["make"], cwd=ROOT, text=True), re.MULTILINE))
    assert {step.target for step in RECIPE} <= helped
    assert {"install", "all", "bench", "check", "test", "test-slow", "clean"} <= helped


def test_inputs_of_the_recipe_are_those_that_the_stages_declare():
    assert {step.module for step in RECIPE} == set(DECLARED_IN) - MADE_ONCE
    made = {}
    for step in RECIPE:
        stage = stage_of(step.module)
        kinds = {**stage.needs, **stage.takes}
        assert set(stage.needs) <= set(step.inputs) <= set(kinds)
        for name, path in step.inputs.items():
            wanted = set(kinds[name].split("|"))
            assert made[path] in wanted if path in made else wanted & {"file", "folder"}
        made[step.out] = stage.makes


def test_the_paper_size_replaces_only_when_told():
    assert not any("--replace" in words for words in make("SIZE=paper", "runs/paper/report/manifest.json"))
    assert all("--replace" in words for words in make("SIZE=paper", "REPLACE=1", "runs/paper/report/manifest.json"))
    assert all("--restart" in words for words in make("SIZE=tiny", "RESTART=1", "runs/tiny/report/manifest.json"))


def test_a_crawl_of_the_users_own_goes_straight_to_the_corpus():
    mine = ["CRAWL=../web", "SEED_PAGES=../web/seeds.txt", "BENCHMARKS=../bench", "RUN=web", "corpus"]
    ((module, out, inputs, _),) = [parsed(words, "runs/web/") for words in make(*mine)]
    assert (module, out) == ("corpus", "corpus")
    assert inputs == {"crawl": "../web", "seed-pages": "../web/seeds.txt", "benchmarks": "../bench"}
