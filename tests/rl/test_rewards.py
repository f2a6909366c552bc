"""A failure of the grader or of the data is no reward of 0."""

import pytest

from commons.verdicts import Grade, Verdict
from rl.rewards import rule_reward, weighted_reward


@pytest.mark.parametrize(
    ("verdict", "reward"),
    [
        (Verdict.CORRECT, 1.0),
        (Verdict.WRONG, 0.0),
        (Verdict.UNPARSED, 0.0),
        (Verdict.NO_ANSWER, 0.0),
        (Verdict.TIMED_OUT, 0.0),
        (Verdict.UNGRADABLE_GOLD, None),
        (Verdict.GRADER_ERROR, None),
    ],
)
def test_the_rule_pays_one_for_a_correct_answer_and_nothing_where_it_could_not_judge(verdict, reward):
    assert rule_reward(Grade(verdict, "", None)) == reward


def test_rewards_are_weighed_and_a_missing_one_counts_only_where_it_has_weight():
    assert weighted_reward(1.0, 0.25, rule_weight=1.0, model_weight=2.0) == 1.5
    assert weighted_reward(None, 0.25, rule_weight=0.0, model_weight=1.0) == 0.25
    assert weighted_reward(1.0, None, rule_weight=1.0, model_weight=0.0) == 1.0
    assert weighted_reward(None, 0.25, rule_weight=1.0, model_weight=1.0) is None
