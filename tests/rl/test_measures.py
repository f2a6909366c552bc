"""The numbers of a step by hand, and the runs that are stopped because they cannot learn."""

import pytest

from commons.errors import DataError
from commons.verdicts import Grade, Verdict
from rl.measures import Streaks, rollout_measures, stop_a_run_that_cannot_learn
from rl.rollouts import Judged, Rollout, row, with_advantages


def output(group, verdict, tokens=3, finished=True):
    rollout = Rollout(f"q{group}", group, (5, 6), tuple(range(tokens)), (-0.5,) * tokens, finished, 7)
    reward = None if verdict is Verdict.UNGRADABLE_GOLD else float(verdict is Verdict.CORRECT)
    return Judged(rollout, "text", Grade(verdict, "reason", "1"), reward, None, reward, None)


STEP = with_advantages(
    [
        output(0, Verdict.CORRECT),
        output(0, Verdict.WRONG, tokens=5, finished=False),
        output(1, Verdict.CORRECT),
        output(1, Verdict.CORRECT),
        output(2, Verdict.WRONG),
        output(2, Verdict.NO_ANSWER, tokens=1),
        output(3, Verdict.UNGRADABLE_GOLD),
        output(3, Verdict.UNGRADABLE_GOLD),
    ]
)


def test_outputs_without_a_reward_stay_out_of_the_figures_and_are_counted():
    assert [one.advantage for one in STEP] == [1.0, -1.0, 0.0, 0.0, 0.0, 0.0, None, None]
    values = rollout_measures(STEP)
    assert values["reward"] == 0.5
    assert values["reward_std"] == pytest.approx(0.5 / 3)
    assert values["frac_reward_zero_std"] == pytest.approx(2 / 3)
    assert values["frac_all_correct"] == pytest.approx(1 / 3)
    assert values["frac_all_wrong"] == pytest.approx(1 / 3)
    assert values["not_judged"] == 2
    assert values["parse_failure_rate"] == 1 / 8
    assert (values["advantage_min"], values["advantage_max"]) == (-1, 1)


def test_lengths_count_all_outputs_and_those_that_ended():
    values = rollout_measures(STEP)
    assert values["completions/mean_length"] == pytest.approx(24 / 8)
    assert values["completions/max_length"] == 5
    assert values["completions/max_terminated_length"] == 3
    assert values["completions/clipped_ratio"] == 1 / 8


def test_a_run_whose_outputs_are_all_cut_off_is_stopped_after_the_patience_with_the_reason():
    streaks = Streaks()
    for _ in range(3):
        stop_a_run_that_cannot_learn(streaks, patience=3)
        streaks = streaks.after(rollout_measures([output(0, Verdict.CORRECT, finished=False)] * 2))
    with pytest.raises(DataError, match="raise `max_output_tokens`"):
        stop_a_run_that_cannot_learn(streaks, patience=3)


def test_a_run_whose_groups_all_agree_is_stopped_and_one_good_step_starts_the_count_again():
    bad, good = rollout_measures(STEP[2:6]), rollout_measures(STEP)
    assert Streaks().after(bad).after(bad).equal == 2
    assert Streaks().after(bad).after(good).equal == 0
    with pytest.raises(DataError, match="same reward"):
        stop_a_run_that_cannot_learn(Streaks(equal=2), patience=2)


def test_a_row_tells_where_an_output_came_from_and_what_it_earned():
    written = row(STEP[0], with_logprobs=True)
    assert written["question"] == "q0"
    assert (written["group"], written["policy_version"]) == (0, 7)
    assert written["tokens"] == [0, 1, 2]
    assert (written["verdict"], written["reward"], written["advantage"]) == ("correct", 1.0, 1.0)
    assert written["old_logprobs"] == [-0.5, -0.5, -0.5]
    assert "old_logprobs" not in row(STEP[0], with_logprobs=False)
