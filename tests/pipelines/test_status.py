import pytest

from commons.artifacts import read_manifest
from commons.config import Config
from commons.errors import ArtifactError
from commons.publish import output_lock
from commons.stage import Outcome, Stage, run_stage
from pipelines.__main__ import main
from pipelines.recipe import RECIPE
from pipelines.status import lineage, states


class SeedConfig(Config):
    seed: int = 0
    """Seed. [-; ours]"""


def make(run, out, seed=0):
    """Makes one artifact of the recipe with the real machinery and a one-file stage of its name."""
    step = next(step for step in RECIPE if step.out == out)

    def write(work, config, inputs):
        (work.folder / "seeds.txt").write_text(f"{out} {config.seed}")
        (work.folder / "benchmarks").mkdir()
        (work.folder / "benchmarks" / "q.jsonl").write_text("{}")
        return Outcome({}, out)

    kinds = {name: "file" if path.endswith(".txt") else "made|folder" for name, path in step.inputs.items()}
    stage = Stage(name=step.module, about="", config=SeedConfig, run=write, makes="made", needs=kinds)
    paths = {name: run / path for name, path in step.inputs.items()}
    run_stage(stage, SeedConfig(seed=seed), paths, run / out, replace=True)


def by_out(run, configs):
    return {state.step.out: state.state for state in states(run, configs)}


def test_what_depends_on_a_changed_artifact_is_stale(tmp_path):
    run, configs = tmp_path / "tiny", tmp_path / "configs"
    configs.mkdir()
    for out in ("crawl", "corpus", "base"):
        make(run, out)
    assert [by_out(run, configs)[out] for out in ("crawl", "corpus", "base", "rl")] == ["made"] * 3 + ["missing"]
    make(run, "crawl", seed=1)
    assert [by_out(run, configs)[out] for out in ("crawl", "corpus", "base")] == ["made", "stale", "stale"]
    make(run, "corpus")
    assert [by_out(run, configs)[out] for out in ("corpus", "base")] == ["made", "stale"]


def test_an_edited_config_is_stale_and_says_why(tmp_path):
    run, configs = tmp_path / "tiny", tmp_path / "configs"
    configs.mkdir()
    make(run, "crawl")
    (configs / "crawl.toml").write_text("seed = 3\n")
    state = next(states(run, configs))
    assert (state.state, state.why) == ("stale", f"{configs / 'crawl.toml'} says seed = 3 (made with 0)")


def test_lineage_goes_back_to_the_crawl_by_digests(tmp_path, capsys):
    run = tmp_path / "tiny"
    for out in ("crawl", "corpus", "base", "pretrain", "questions", "sft"):
        make(run, out)
    rows = list(lineage(run, "sft"))
    assert [name for _, name, _ in rows][:3] == ["sft", "pretrain", "base"]
    assert (4, "crawl", read_manifest(run / "crawl").digest) in rows
    assert main(["lineage", str(run / "sft")]) == 0
    assert "crawl" in capsys.readouterr().out
    with pytest.raises(ArtifactError, match="rl is not made"):
        list(lineage(run, "rl"))


def test_clean_deletes_unfinished_work_and_no_artifact(tmp_path, capsys):
    run = tmp_path / "tiny"
    make(run, "crawl")
    (run / "crawl").rename(run / "corpus.partial")  # whole, but killed before it was in its place
    (run / "base.partial").mkdir()
    with output_lock(run / "rl"):
        assert main(["clean", str(tmp_path)]) == 0
    assert "1 unfinished" in capsys.readouterr().out
    assert sorted(path.name for path in run.iterdir() if not path.name.startswith(".")) == ["corpus"]


def test_a_run_that_does_not_exist_is_one_line_and_exit_3(tmp_path, capsys):
    assert main(["status", str(tmp_path / "nowhere")]) == 3
    assert main(["lineage", str(tmp_path / "nowhere")]) == 3
    assert capsys.readouterr().err.count("\n") == 2
