"""pass@1 and maj@K on fixed held-out questions while the policy learns."""

import statistics
from collections.abc import Sequence

from pydantic import Field
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from commons.config import Config
from rl.explore import judged_by_rule
from rl.questions import Question
from rl.ranking import Candidate, majority


class HeldOutConfig(Config):
    """What is measured on held-out questions while training."""

    questions: int = Field(0, ge=0)
    """Held-out questions asked, the same ones each time; 0 measures nothing. [questions; ours]"""
    samples: int = Field(16, ge=1)
    """K: outputs sampled for each, at `temperature`. [outputs; ours]"""
    every: int = Field(50, ge=1, json_schema_extra={"identity": False})
    """Steps between two measurements; there is one before the first step and one after the last. [steps; ours]"""


def held_out_measures(
    policy: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    questions: Sequence[Question],
    *,
    samples: int,
    max_output_tokens: int,
    temperature: float,
    seed: int,
    rank: int,
    world_size: int,
) -> dict[str, float]:
    """`held_out/pass_at_1`, the mean over all outputs, and `held_out/maj_at_<K>`; the ranks share the questions.

    Outputs that the rule could not judge (gold answer not readable, grader failed or timed out) are in neither;
    `held_out/not_judged` is their number. `held_out/not_answered` is the share of outputs without an answer, which are
    wrong and do not vote. Nothing here touches the random numbers of training."""
    judged = judged_by_rule(
        policy,
        tokenizer,
        questions,
        group_size=samples,
        max_output_tokens=max_output_tokens,
        temperature=temperature,
        seed=seed,
        rank=rank,
        world_size=world_size,
    )
    kept = [one for one in judged if one.reward is not None]
    groups: dict[int, list[Candidate]] = {}
    for one in kept:
        candidate = Candidate(0.0, one.grade.answer, one.grade.correct)
        groups.setdefault(one.rollout.group, []).append(candidate)
    values = {
        "held_out/not_judged": float(len(judged) - len(kept)),
        "held_out/not_answered": statistics.fmean(float(one.grade.answer is None) for one in judged),
    }
    if kept:
        votes = [float(majority(group, weighted=False)) for group in groups.values()]
        values["held_out/pass_at_1"] = statistics.fmean(float(one.grade.correct) for one in kept)
        values[f"held_out/maj_at_{samples}"] = statistics.fmean(votes)
    return values
