import re
from pathlib import Path

import pytest

from commons.artifacts import Manifest, read_manifest
from commons.metrics import read_metrics
from commons.stage import main
from sft.stage import STAGE, Optimiser, SftConfig, learning_rate
from tests.sft.micro import SFT, make_model, make_questions


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> list[str]:
    folder = tmp_path_factory.mktemp("inputs")
    model, questions = make_model(folder / "model"), make_questions(folder / "questions")
    return ["--base", str(model), "--questions", str(questions)]


@pytest.fixture(scope="module")
def trained(inputs, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "sft"
    assert main(STAGE, [*inputs, "--out", str(out), *SFT]) == 0
    return out


def manifest(folder: Path) -> Manifest:
    found = read_manifest(folder)
    assert found
    return found


def test_the_loss_goes_down_at_a_constant_learning_rate(trained):
    rows = [row for row in read_metrics(trained / "logs") if row["step"] > 0]
    assert rows[-1]["loss"] < rows[0]["loss"] - 0.3
    assert {row["learning_rate"] for row in rows} == {3e-3}


def test_held_out_accuracy_stands_in_the_metrics_before_while_and_after_training(trained):
    measured = [row["step"] for row in read_metrics(trained / "logs") if "held_out/correct" in row]
    assert measured == [0, 4, 8]


def test_counts_are_by_language_and_form_and_agree_with_the_metrics(trained):
    counts = manifest(trained).counts
    assert counts["solutions"]["zh"]["all"]["solutions"] == 10
    assert counts["solutions"]["en"]["all"]["solutions"] == 30
    assert counts["solutions"]["en"]["pot"]["solutions"] + counts["solutions"]["zh"]["pot"]["solutions"] == 14
    last = read_metrics(trained / "logs")[-1]
    assert counts["learned_tokens"] == last["tokens"]
    assert counts["held_out"]["correct"] / 6 == last["held_out/correct"]
    assert counts["held_out"]["cut_off"] / 6 == last["held_out/cut_off"]


def test_training_goes_on_from_a_finished_run_as_the_control_does(inputs, trained, tmp_path):
    arguments = ["--base", str(trained), *inputs[2:], "--out", str(tmp_path / "control"), *SFT, "max_seconds=1e-6"]
    assert main(STAGE, arguments) == 0
    counts = manifest(tmp_path / "control").counts
    assert counts["steps"] == 1  # the time was up after the first step
    first = read_metrics(tmp_path / "control" / "logs")[1]["loss"]
    assert first < read_metrics(trained / "logs")[1]["loss"] - 0.3


def test_a_second_run_makes_the_same_bytes(inputs, trained, tmp_path):
    assert main(STAGE, [*inputs, "--out", str(tmp_path / "sft"), *SFT]) == 0
    assert manifest(tmp_path / "sft").digest == manifest(trained).digest


def test_solutions_that_do_not_fit_are_counted_and_left_out(inputs, tmp_path):
    assert main(STAGE, [*inputs, "--out", str(tmp_path / "sft"), *SFT, "batch.row_tokens=128", "steps=1"]) == 0
    counts = manifest(tmp_path / "sft").counts
    kept = sum(rows["all"]["solutions"] for rows in counts["solutions"].values())
    assert 0 < counts["too_long"] < 40
    assert kept + counts["too_long"] == 40


def test_when_no_solution_fits_the_message_names_the_field(inputs, tmp_path, capsys):
    assert main(STAGE, [*inputs, "--out", str(tmp_path / "sft"), *SFT, "batch.row_tokens=10"]) == 4
    assert "raise `batch.row_tokens`" in capsys.readouterr().err


def test_rows_longer_than_the_models_context_are_refused(inputs, tmp_path, capsys):
    assert main(STAGE, [*inputs, "--out", str(tmp_path / "sft"), *SFT, "batch.row_tokens=257"]) == 2
    assert "`batch.row_tokens` is 257, but the model has 256 positions" in capsys.readouterr().err


def test_the_learning_rate_is_constant_unless_the_schedule_of_pre_training_is_asked_for():
    constant = Optimiser(learning_rate=0.1, warmup_steps=2)
    assert [learning_rate(step, constant, 10) for step in range(10)] == [0.05] + [0.1] * 9
    decayed = Optimiser(learning_rate=0.1, schedule="multi_step")
    assert [learning_rate(step, decayed, 10) for step in (7, 8, 9)] == pytest.approx([0.1, 0.0316, 0.01])


@pytest.mark.parametrize("drops", [[0.9, 0.8], [0.0, 0.5], [0.5, 1.5]])
def test_drops_of_the_rate_that_do_not_rise_are_an_error_that_names_them(drops):
    with pytest.raises(ValueError, match=re.escape(f"optimiser.drops is {drops}: give two rising fractions")):
        SftConfig.model_validate({"optimiser": {"drops": drops}})
