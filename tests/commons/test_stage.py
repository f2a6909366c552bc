import json
import shutil

import pytest

from commons.artifacts import open_artifact, read_manifest
from commons.errors import ArtifactError
from commons.publish import recover, standing_manifest
from commons.stage import main
from tests.commons.toy_stage import STAGE


def run(*arguments):
    return main(STAGE, [str(argument) for argument in arguments])


def digest(out):
    return read_manifest(out).digest


def test_a_second_run_finds_the_artifact_up_to_date_and_touches_its_manifest(tmp_path, capsys):
    out = tmp_path / "toy"
    assert run("--out", out) == 0
    before = (out / "manifest.json").stat().st_mtime_ns
    assert run("--out", out, "pause_ms=1") == 0  # not part of the identity
    assert "up to date" in capsys.readouterr().out
    assert (out / "manifest.json").stat().st_mtime_ns > before


def test_times_paths_and_logs_do_not_change_the_digest_but_config_and_files_do(tmp_path):
    run("--out", tmp_path / "one")
    run("--out", tmp_path / "other", "pause_ms=1")
    run("--out", tmp_path / "third", "seed=1")
    assert digest(tmp_path / "one") == digest(tmp_path / "other") != digest(tmp_path / "third")
    assert open_artifact(tmp_path / "one", "toy").counts == {"pages": 12}


def test_a_finished_artifact_is_replaced_only_when_asked(tmp_path, capsys):
    out = tmp_path / "toy"
    run("--out", out)
    assert run("--out", out, "seed=1") == 2
    message = capsys.readouterr().err
    assert "REPLACE=1" in message
    assert "seed 0 -> 1" in message
    assert run("--out", out, "seed=1", "--replace") == 0
    assert read_manifest(out).plan.config["seed"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [".toy.lock", "toy"]


def test_the_old_artifact_stays_until_the_new_one_is_whole(tmp_path, monkeypatch):
    out = tmp_path / "toy"
    run("--out", out)
    old = digest(out)
    monkeypatch.setattr("time.sleep", lambda _: (_ for _ in ()).throw(RuntimeError("our bug")))
    with pytest.raises(RuntimeError, match="our bug"):
        run("--out", out, "seed=1", "pause_ms=1", "--replace")
    assert digest(out) == old


def test_ranks_that_look_on_see_the_same_artifact_at_every_moment_of_a_swap(tmp_path):
    out, old, partial = tmp_path / "toy", tmp_path / "toy.old", tmp_path / "toy.partial"
    run("--out", out)
    run("--out", tmp_path / "new", "seed=1")
    (tmp_path / "new").rename(partial)
    new = digest(partial)
    assert standing_manifest(out).digest == new  # whole, but not moved yet
    out.rename(old)
    assert standing_manifest(out).digest == new  # between the two renames
    partial.rename(out)
    assert standing_manifest(out).digest == new
    out.rename(partial)
    (partial / "manifest.json").unlink()
    assert standing_manifest(out).digest == digest(old) != new  # a kill before the new one was whole
    recover(out)
    assert standing_manifest(out).digest == digest(out)


def test_an_unfinished_run_of_another_config_is_restarted_only_when_asked(tmp_path, monkeypatch, capsys):
    out = tmp_path / "toy"
    with monkeypatch.context() as broken:
        broken.setattr("time.sleep", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        assert run("--out", out) == 130
    assert (tmp_path / "toy.partial" / "pages" / "0000.txt").exists()
    assert run("--out", out, "limits.budget_tokens=6") == 2
    message = capsys.readouterr().err
    assert "RESTART=1" in message
    assert "limits.budget_tokens 5 -> 6" in message
    assert run("--out", out, "limits.budget_tokens=6", "--restart") == 0


def test_a_damaged_artifact_is_neither_up_to_date_nor_an_input(tmp_path, capsys):
    out = tmp_path / "toy"
    run("--out", out)
    whole = digest(out)
    (out / "pages" / "0003.txt").unlink()
    assert run("--out", tmp_path / "next", "--before", out) == 3
    assert run("--out", out) == 2  # SIZE=paper: even what is damaged goes only with REPLACE=1
    assert "damaged" in capsys.readouterr().err
    assert run("--out", out, "--replace") == 0
    assert (out / "pages" / "0003.txt").exists()
    assert digest(out) == whole


def test_inputs_are_part_of_the_identity(tmp_path, capsys):
    run("--out", tmp_path / "before")
    notes = tmp_path / "notes.txt"
    notes.write_text("one")
    flags = ["--before", tmp_path / "before", "--notes", notes, "--crawl", tmp_path / "before" / "pages"]
    assert run("--out", tmp_path / "after", *flags) == 0
    assert read_manifest(tmp_path / "after").plan.inputs["before"] == digest(tmp_path / "before")
    notes.write_text("two")
    assert run("--out", tmp_path / "after", *flags) == 2
    assert "input notes is another one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["limits.budget_token=3"], 2, "did you mean `limits.budget_tokens`?"),
        (["page=3"], 2, "did you mean `pages`?"),
        (["pages=lots"], 2, "(got 'lots')"),
        (["pages=0"], 2, "greater than 0"),
        (["pages"], 2, "key=value"),
        (["--config", "nowhere.toml"], 2, "nowhere.toml"),
        (["--befor", "x"], 2, "did you mean `--before`?"),
        (["--before", "nowhere"], 3, "does not exist"),
        (["--notes", "nowhere"], 3, "no file at nowhere"),
        (["--notes", "."], 3, "is a folder, but a file is needed"),
    ],
)
def test_a_mistake_is_one_clear_line_with_its_exit_code(tmp_path, capsys, arguments, code, message):
    assert run("--out", tmp_path / "toy", *arguments) == code
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_an_artifact_of_another_kind_is_refused(tmp_path):
    run("--out", tmp_path / "toy")
    with pytest.raises(ArtifactError, match="holds a toy, but a corpus is needed"):
        open_artifact(tmp_path / "toy", "corpus")


def test_toml_files_come_before_overrides(tmp_path):
    config = tmp_path / "a.toml"
    config.write_text("pages = 3\n[limits]\nbudget_tokens = 7\n")
    run("--out", tmp_path / "toy", "--config", config, "pages=4")
    assert read_manifest(tmp_path / "toy").plan.config == {"seed": 0, "pages": 4, "limits": {"budget_tokens": 7}}


def test_help_shows_inputs_output_and_each_field_with_unit_and_source(capsys):
    assert main(STAGE, ["--help"]) == 0
    text = capsys.readouterr().out
    for part in ("--before PATH", "makes    toy", "limits.budget_tokens = 5", "[tokens; ours]"):
        assert part in text


def test_a_manifest_that_cannot_be_read_is_named(tmp_path):
    run("--out", tmp_path / "toy")
    (tmp_path / "toy" / "manifest.json").write_text(json.dumps({"kind": "toy"}))
    with pytest.raises(ArtifactError, match="cannot be read"):
        open_artifact(tmp_path / "toy", "toy")
    assert run("--out", tmp_path / "toy", "--replace") == 0


def test_a_folder_that_is_no_artifact_is_never_touched(tmp_path, capsys):
    mine = tmp_path / "toy"
    mine.mkdir()
    (mine / "thesis.tex").write_text("years of work")
    old = tmp_path / "toy.old"
    old.mkdir()
    assert run("--out", mine, "--replace") == 2
    assert "is no artifact" in capsys.readouterr().err
    assert (mine / "thesis.tex").exists()
    assert old.exists()


def test_a_stage_of_one_process_refuses_a_launcher(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert run("--out", tmp_path / "toy") == 2
    assert "runs as one" in capsys.readouterr().err


def test_a_copied_run_folder_is_still_up_to_date(tmp_path, capsys):
    run("--out", tmp_path / "toy")
    shutil.copytree(tmp_path / "toy", tmp_path / "clone" / "toy")
    capsys.readouterr()
    assert run("--out", tmp_path / "clone" / "toy") == 0
    assert "up to date" in capsys.readouterr().out
