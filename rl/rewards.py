"""What an output earns: the rule, the reward model, or a weighted sum of both."""

from commons.verdicts import Grade, Verdict

# a fault of the data set or of the grader says nothing about the output
NOT_JUDGED = frozenset({Verdict.UNGRADABLE_GOLD, Verdict.GRADER_ERROR})


def rule_reward(grade: Grade) -> float | None:
    """Eq. 10's indicator, the rule of section 5.2.1: 1 for a correct answer, 0 for any other.

    None where the gold answer or the grader failed: such an output has no reward, which is not a reward of 0."""
    if grade.verdict in NOT_JUDGED:
        return None
    return 1.0 if grade.correct else 0.0


def weighted_reward(
    rule: float | None, model: float | None, *, rule_weight: float, model_weight: float
) -> float | None:
    """The weighted sum of both rewards; None when one that counts is missing."""
    if (rule is None and rule_weight) or (model is None and model_weight):
        return None
    return rule_weight * (rule or 0.0) + model_weight * (model or 0.0)
