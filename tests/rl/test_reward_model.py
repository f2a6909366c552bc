"""The reward model: same scores after saving, no random head, learns labels, goes on after a stop."""

import json
from itertools import islice

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.testing import assert_close

from commons.errors import ArtifactError, DataError
from commons.shards import read_jsonl
from commons.stage import Work
from lm.engine import start
from rl.reward import RewardModelConfig, run
from rl.reward_model import HEAD, RewardModel, load_reward_model, outcome_loss, save_reward_model, scores
from rl.verifier import Solution, train_verifier, training_set
from tests.rl.conftest import external, micro_model, micro_tokenizer

PAIRS = [((3, 4, 5), (8, 1)), ((3, 4), (9, 3, 3, 2)), ((6,), (10,)), ((3, 7), (3, 11, 3))]


def scored(model):
    return scores(model, PAIRS, token_budget=8)


def with_random_head():
    model = RewardModel(micro_model(micro_tokenizer()))
    torch.nn.init.normal_(model.head.weight)
    torch.nn.init.normal_(model.head.bias)
    return model


def test_a_saved_and_loaded_model_gives_the_same_scores(tmp_path):
    made = with_random_head()
    save_reward_model(tmp_path / "one", made, micro_tokenizer())
    model = load_reward_model(tmp_path / "one")
    save_reward_model(tmp_path / "two", model, micro_tokenizer())
    assert scored(model) == pytest.approx(scored(made), abs=1e-6)
    assert scored(load_reward_model(tmp_path / "two")) == scored(model)
    assert len(set(scored(model))) == len(PAIRS)


def test_a_head_that_is_missing_or_differs_by_a_key_is_refused(tmp_path):
    save_reward_model(tmp_path, with_random_head(), micro_tokenizer())
    values = load_file(tmp_path / HEAD)
    save_file({"score.weight": values["weight"], "bias": values["bias"]}, tmp_path / HEAD)
    with pytest.raises(RuntimeError, match=r"score\.weight"):
        load_reward_model(tmp_path)
    (tmp_path / HEAD).unlink()
    with pytest.raises(ArtifactError, match="no head"):
        load_reward_model(tmp_path)


def test_padding_and_company_do_not_change_a_score():
    model = with_random_head()
    alone = [scores(model, [pair], token_budget=1)[0] for pair in PAIRS]
    assert scores(model, PAIRS, token_budget=1000) == pytest.approx(alone, abs=1e-6)


def test_the_outcome_loss_by_hand():
    # log-odds 0 -> ln 2 either way;  ln 3 is 3/4 for correct -> -ln 3/4, and -ln 1/4 when it is wrong
    loss_B = outcome_loss(torch.tensor([0.0, 3.0, 3.0]).log1p() * torch.tensor([0.0, 1.0, 1.0]), torch.ones(3))
    assert_close(loss_B[0], torch.tensor(2.0).log())
    log_odds_B = torch.tensor([3.0, 3.0]).log()
    assert_close(outcome_loss(log_odds_B, torch.tensor([1.0, 0.0])), -torch.tensor([0.75, 0.25]).log())


def solution(first, tokens, correct):
    return Solution("q", (first, 3), tokens, "1", correct)


def test_a_solution_written_twice_is_trained_on_once():
    kept, counts = training_set([[solution(4, (8, 1), True)] * 2 + [solution(4, (9, 1), False)]])
    assert [one.tokens for one in kept] == [(8, 1), (9, 1)]
    assert counts == {"distinct solutions": 2, "distinct correct solutions": 1}


def trained(folder, stop=None):
    # correct is whatever ends with token 8, on any question
    data = [solution(first, (last, 1), last == 8) for first in (4, 5, 6, 7) for last in (8, 9, 10, 11)]
    model = RewardModel(micro_model(micro_tokenizer()))
    train_verifier(
        start(model),
        model,
        data,
        steps=30,
        solutions_per_step=8,
        batch_tokens=12,
        learning_rate=lambda _: 3e-3,
        seed=0,
        checkpoints=folder / "steps",
        checkpoint_every=4,
        logs=folder / "logs",
        shown=lambda steps: islice(steps, stop),
    )
    return model, data


def test_it_learns_which_solutions_are_correct_and_a_stopped_run_ends_with_the_same_weights(tmp_path):
    model, data = trained(tmp_path / "whole")
    found = scores(model, [(one.question_tokens, one.tokens) for one in data], token_budget=100)
    assert all((score > 0.5) == one.correct for score, one in zip(found, data, strict=True))
    trained(tmp_path / "cut", stop=10)
    again, _ = trained(tmp_path / "cut")
    assert all(torch.equal(value, again.state_dict()[name]) for name, value in model.state_dict().items())


def test_the_stage_leaves_the_model_the_labelled_solutions_and_a_report(tmp_path, policy, questions):
    work = Work(tmp_path / "out", 0, 1, resumed=False)
    work.folder.mkdir()
    config = RewardModelConfig(
        questions=4, solutions_per_question=50, heldout_questions=4, heldout_solutions=8, max_output_tokens=2
    )
    inputs = {"base": external(policy), "policy": external(policy), "questions": external(questions)}
    outcome = run(work, config, inputs)
    rows = list(read_jsonl(work.folder / "solutions.jsonl.zst"))
    assert len(rows) == outcome.counts["distinct solutions"]
    assert 0 < sum(row["correct"] for row in rows) == outcome.counts["distinct correct solutions"]
    report = json.loads((work.folder / "report.json").read_text())
    assert (report["questions"], report["solutions"]) == (4, 32)
    assert 0 <= scored(load_reward_model(work.folder))[0] <= 1
    with pytest.raises(DataError, match="all of one kind"):
        run(work, config.model_copy(update={"questions": 1, "solutions_per_question": 1}), inputs)
