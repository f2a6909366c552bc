"""Exploration: sample a group of outputs for each question, judge them, give them advantages (lines of Algorithm 1)."""

from collections.abc import Callable, Sequence

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from commons.equivalence import grade
from commons.seeds import seed_of
from lm.checkpoints import end_token_ids
from lm.sampling import sample
from rl.questions import Draw, Question
from rl.ranks import gathered
from rl.rewards import rule_reward, weighted_reward
from rl.rollouts import Judged, Rollout

Scorer = Callable[[Sequence[Rollout]], list[float]]


def sample_groups(
    policy: PreTrainedModel,
    draws: Sequence[Draw],
    *,
    group_size: int,
    max_output_tokens: int,
    temperature: float,
    seed: int,
    end_ids: frozenset[int],
    policy_version: int,
) -> list[Rollout]:
    """G outputs of the policy for each draw, group by group. The random numbers of an output depend on the seed, its
    group id and its place in the group alone, so ranks and batches change nothing."""
    sampled = sample(
        policy,
        [draw.question.prompt_tokens for draw in draws],
        outputs_per_prompt=group_size,
        max_new_tokens=max_output_tokens,
        temperature=temperature,
        seed=seed_of(seed, "outputs"),
        end_ids=end_ids,
        keys=[draw.group for draw in draws],
    )
    return [
        Rollout(
            question_id=draw.question.id,
            group=draw.group,
            prompt_tokens=draw.question.prompt_tokens,
            output_tokens=output.tokens,
            old_logprobs=output.logprobs,
            finished=output.finished,
            policy_version=policy_version,
        )
        for draw, outputs in zip(draws, sampled, strict=True)
        for output in outputs
    ]


def judged_by_rule(
    policy: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    questions: Sequence[Question],
    *,
    group_size: int,
    max_output_tokens: int,
    temperature: float,
    seed: int,
    rank: int,
    world_size: int,
) -> list[Judged]:
    """G outputs of each question with the verdict of the rule alone, outside of training.

    The ranks share the questions and all get all outputs; the group of an output is the place of its question."""
    draws = [Draw(place, question) for place, question in enumerate(questions)][rank::world_size]
    rollouts = sample_groups(
        policy,
        draws,
        group_size=group_size,
        max_output_tokens=max_output_tokens,
        temperature=temperature,
        seed=seed,
        end_ids=end_token_ids(policy, tokenizer),
        policy_version=0,
    )
    return gathered(judge(rollouts, draws, tokenizer, None, rule_weight=1.0, model_weight=0.0))


def judge(
    rollouts: Sequence[Rollout],
    draws: Sequence[Draw],
    tokenizer: PreTrainedTokenizerFast,
    score: Scorer | None,
    *,
    rule_weight: float,
    model_weight: float,
) -> list[Judged]:
    """Each output with its text, verdict and rewards; the advantages come later. Text is made for the grader alone."""
    golds = {draw.group: draw.question.gold for draw in draws}
    texts = tokenizer.batch_decode([list(rollout.output_tokens) for rollout in rollouts], skip_special_tokens=True)
    models: Sequence[float | None] = score(rollouts) if score else [None] * len(rollouts)
    judged = []
    for rollout, text, model in zip(rollouts, texts, models, strict=True):
        verdict = grade(text, golds[rollout.group])
        rule = rule_reward(verdict)
        reward = weighted_reward(rule, model, rule_weight=rule_weight, model_weight=model_weight)
        judged.append(Judged(rollout, text, verdict, rule, model, reward, advantage=None))
    return judged
