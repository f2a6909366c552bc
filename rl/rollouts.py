"""What the policy wrote, what it earned, and the row that goes to disk."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from commons.verdicts import Grade
from rl.advantages import outcome_advantages


@dataclass(frozen=True, slots=True)
class Rollout:
    """One sampled output. Log-probabilities are those of the policy that sampled it (pi_old of Eq. 3)."""

    question_id: str
    group: int
    prompt_tokens: tuple[int, ...]
    output_tokens: tuple[int, ...]
    old_logprobs: tuple[float, ...]  # natural log at the sampling temperature, one per output token
    finished: bool  # ended with an end token, not at the length limit
    policy_version: int  # policy updates done before it was sampled


@dataclass(frozen=True, slots=True)
class Judged:
    """A rollout with what it earned. No reward (None): gold answer or grader failed, it takes no part in the step."""

    rollout: Rollout
    text: str
    grade: Grade
    rule: float | None
    model: float | None
    reward: float | None
    advantage: float | None


def with_advantages(judged: Sequence[Judged]) -> list[Judged]:
    """The same outputs with the advantages of section 4.1.2, taken over those of each group that have a reward."""
    kept = [one for one in judged if one.reward is not None]
    reward_B = torch.tensor([one.reward for one in kept], dtype=torch.float64)
    group_B = torch.tensor([one.rollout.group for one in kept], dtype=torch.long)
    advantages = iter(outcome_advantages(reward_B, group_B).tolist())
    return [
        Judged(one.rollout, one.text, one.grade, one.rule, one.model, one.reward, next(advantages))
        if one.reward is not None
        else one
        for one in judged
    ]


def row(judged: Judged, *, with_logprobs: bool) -> dict[str, Any]:
    """The JSON object of one output in rollouts/step-*.jsonl.zst."""
    rollout = judged.rollout
    values: dict[str, Any] = {
        "question": rollout.question_id,
        "group": rollout.group,
        "policy_version": rollout.policy_version,
        "output": judged.text,
        "tokens": list(rollout.output_tokens),
        "finished": rollout.finished,
        "verdict": judged.grade.verdict.value,
        "reason": judged.grade.reason,
        "answer": judged.grade.answer,
        "rule": judged.rule,
        "model": judged.model,
        "reward": judged.reward,
        "advantage": judged.advantage,
    }
    if with_logprobs:
        values["old_logprobs"] = [round(logprob, 6) for logprob in rollout.old_logprobs]
    return values
