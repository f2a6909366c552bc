"""Whole runs of Algorithm 1 on a model of 20,000 weights."""

from dataclasses import replace
from itertools import islice

import pytest
import torch

from commons.errors import ConfigError, DataError
from commons.metrics import read_metrics
from commons.shards import read_jsonl, write_jsonl
from commons.stage import Work
from lm.checkpoints import load_model, load_tokenizer
from lm.engine import start
from rl.config import RLConfig
from rl.iterate import Setting, iterate, measured_held_out
from rl.questions import read_questions
from rl.reward_model import RewardModel, save_reward_model
from rl.stage import check, run
from tests.rl.conftest import external, question_rows

TIMES = ("time", "step_time")
SPEEDS = ("time/", "tokens_per_second/")


def config(**changes):
    values = {
        "iterations": 2,
        "steps_per_iteration": 4,
        "questions_per_step": 3,
        "group_size": 8,
        "max_output_tokens": 3,
        "batch_tokens": 40,
        "checkpoint_every": 3,
        "held_out": {"samples": 5, "every": 3},
        "optimizer": {"learning_rate": 3e-3},
    }
    return RLConfig.model_validate(values | changes)


def setting_in(folder, policy, questions):
    model, tokenizer = load_model(policy), load_tokenizer(policy)
    encode = lambda text: tokenizer.encode(text, add_special_tokens=False)  # noqa: E731
    asked, _ = read_questions(questions / "rl.jsonl.zst", encode, max_prompt_tokens=60)
    return Setting(
        engine=start(model, weight_decay=0.0),
        tokenizer=tokenizer,
        questions=asked,
        held_out=asked[:2],
        score=None,
        start=policy,
        rollouts=folder / "rollouts",
        scratch=folder / ".work",
        logs=folder / "logs",
    )


def result(folder, setting):
    weights = {name: value.clone() for name, value in setting.engine.plain_model().state_dict().items()}
    files = {path.name: path.read_bytes() for path in sorted((folder / "rollouts").iterdir())}
    rows = [
        {name: value for name, value in row.items() if name not in TIMES and not name.startswith(SPEEDS)}
        for row in read_metrics(folder / "logs")
    ]
    return weights, files, rows


@pytest.mark.parametrize("updates", [1, 2])
@pytest.mark.parametrize("stops", [(5,), (2, 5)])
def test_a_run_that_is_stopped_and_started_again_ends_with_the_same_bytes(tmp_path, policy, questions, updates, stops):
    settings = config(updates_per_step=updates)
    whole = setting_in(tmp_path / "whole", policy, questions)
    iterate(whole, settings, iter)
    expected = result(tmp_path / "whole", whole)
    for stop in stops:  # step 5 lies inside the second iteration; checkpoints are after steps 3, 4, 6 and 8
        iterate(setting_in(tmp_path / "cut", policy, questions), settings, lambda steps, n=stop: islice(steps, n))
    cut = setting_in(tmp_path / "cut", policy, questions)
    progress = iterate(cut, settings, iter)
    weights, files, rows = result(tmp_path / "cut", cut)
    assert all(torch.equal(weights[name], expected[0][name]) for name in expected[0])
    assert files == expected[1]
    assert rows == expected[2]
    assert progress.totals["outputs"] == 8 * 3 * 8


def test_each_iteration_starts_at_distance_zero_from_its_reference(tmp_path, policy, questions):
    setting = setting_in(tmp_path, policy, questions)
    iterate(setting, config(), iter)
    kl = [row["kl"] for row in read_metrics(tmp_path / "logs") if row["step"]]
    assert (kl[0], kl[4]) == (0, 0)
    assert min(kl[1:4] + kl[5:]) > 0


def test_held_out_questions_are_measured_before_the_first_step_on_the_way_and_after_the_last(
    tmp_path, policy, questions
):
    setting = setting_in(tmp_path, policy, questions)
    iterate(setting, config(), iter)
    measured = {
        row["step"]: row["held_out/pass_at_1"] for row in read_metrics(tmp_path / "logs") if "held_out/pass_at_1" in row
    }
    assert list(measured) == [0, 3, 6, 8]
    again = measured_held_out(setting, config())  # the weights have not moved since
    assert again["held_out/pass_at_1"] == measured[8]
    names = ("pass_at_1", "maj_at_5", "not_answered", "not_judged")
    assert again.keys() == {f"held_out/{name}" for name in names}
    assert again["held_out/not_judged"] == 0
    assert (measured[8] * 10) % 1 == pytest.approx(0, abs=1e-9)  # 2 questions, 5 outputs of each


def test_held_out_outputs_that_cannot_be_judged_are_counted_and_no_wrong_answers(tmp_path, policy, questions):
    setting = setting_in(tmp_path, policy, questions)
    first, second = setting.held_out
    one = measured_held_out(replace(setting, held_out=[first, replace(second, gold="?!")]), config())
    assert one["held_out/not_judged"] == 5  # the outputs of the second question
    assert (
        one["held_out/pass_at_1"]
        == measured_held_out(replace(setting, held_out=[first]), config())["held_out/pass_at_1"]
    )
    none = measured_held_out(replace(setting, held_out=[replace(first, gold="?!")]), config())
    assert none.keys() == {"held_out/not_judged", "held_out/not_answered"}


def test_every_output_is_on_disk_with_group_verdict_and_policy_version(tmp_path, policy, questions):
    iterate(setting_in(tmp_path, policy, questions), config(updates_per_step=2, keep_logprobs=True), iter)
    rows = list(read_jsonl(tmp_path / "rollouts"))
    assert len(rows) == 8 * 3 * 8
    assert [row["group"] for row in rows] == [group for group in range(24) for _ in range(8)]
    assert [row["policy_version"] for row in rows[::24]] == [0, 2, 4, 6, 8, 10, 12, 14]
    assert all(len(row["old_logprobs"]) == len(row["tokens"]) for row in rows)
    assert all(max(row["old_logprobs"]) <= 0 for row in rows)
    assert {row["verdict"] for row in rows} <= {"correct", "wrong", "no answer", "unparsed answer"}


def test_questions_whose_gold_answer_cannot_be_read_teach_nothing_and_stop_the_run(tmp_path, policy, capsys):
    write_jsonl(tmp_path / "questions" / "rl.jsonl.zst", question_rows(gold=lambda _: "?!"))
    setting = setting_in(tmp_path, policy, tmp_path / "questions")
    before = {name: value.clone() for name, value in setting.engine.plain_model().state_dict().items()}
    with pytest.raises(DataError, match="check the gold answers"):
        iterate(setting, config(patience=2), iter)
    after = setting.engine.plain_model().state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert read_metrics(tmp_path / "logs")[-1]["verdict/ungradable_gold"] == 1
    assert "hit the length limit" in capsys.readouterr().err


def test_the_number_of_questions_has_to_divide_by_the_number_of_processes():
    check(config(questions_per_step=6), 2, has_reward_model=False)
    with pytest.raises(ConfigError, match=r"take one of \[2, 4, 6"):
        check(config(questions_per_step=3), 2, has_reward_model=False)


def test_a_weight_on_the_reward_model_needs_one():
    with pytest.raises(ConfigError, match="--reward-model"):
        check(config(reward={"model_weight": 0.5}), 1, has_reward_model=False)


@pytest.mark.slow
def test_the_reward_of_a_toy_task_rises_and_the_stage_says_so(tmp_path, policy, questions):
    work = Work(tmp_path / "out", 0, 1, resumed=False)
    work.folder.mkdir()
    settings = config(iterations=1, steps_per_iteration=60, questions_per_step=4, group_size=32, max_output_tokens=2)
    outcome = run(work, settings, {"policy": external(policy), "questions": external(questions)})
    rewards = [row["reward"] for row in read_metrics(work.logs) if row["step"]]
    assert sum(rewards[:5]) / 5 < 0.4
    assert sum(rewards[-5:]) / 5 > 0.8
    assert outcome.counts["outputs"] == 60 * 4 * 32
    assert outcome.summary.startswith("60 steps, 60.00 epochs, reward 0.")


def test_a_reward_model_is_weighed_in_and_reported_apart(tmp_path, policy, questions):
    model = RewardModel(load_model(policy))
    torch.nn.init.normal_(model.head.weight)
    save_reward_model(tmp_path / "reward", model, load_tokenizer(policy))
    work = Work(tmp_path / "out", 0, 1, resumed=False)
    work.folder.mkdir()
    settings = config(iterations=1, steps_per_iteration=2, reward={"rule_weight": 0.5, "model_weight": 2.0})
    inputs = {
        "policy": external(policy),
        "questions": external(questions),
        "reward-model": external(tmp_path / "reward"),
    }
    outcome = run(work, settings, inputs)
    rows = list(read_jsonl(work.folder / "rollouts"))
    assert all(row["reward"] == 0.5 * row["rule"] + 2.0 * row["model"] for row in rows)
    assert 0 < read_metrics(work.logs)[0]["rewards/model/std"] < 1
    assert outcome.counts["questions asked"] == 6
    assert load_model(work.folder).config.vocab_size == load_model(policy).config.vocab_size
    card = (work.folder / "README.md").read_text()
    assert "Checkpoint of `rl`" in card
    assert all(artifact.digest in card for artifact in inputs.values())
    assert str(tmp_path) not in card
