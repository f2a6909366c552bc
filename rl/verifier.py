"""Solutions labelled by the rule, and a reward model trained to foresee the label (sections 4.2 and 5.2.1)."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from commons.metrics import MetricsLog
from lm.engine import Engine
from lm.logprobs import to_batches
from lm.packing import examples_of_step
from rl.explore import judged_by_rule
from rl.questions import Question
from rl.ranking import Candidate
from rl.reward_model import RewardModel, outcome_loss, scores
from rl.rollouts import Judged


@dataclass(frozen=True, slots=True)
class Solution:
    """A sampled solution with the label of the rule."""

    question_id: str
    question_tokens: tuple[int, ...]
    tokens: tuple[int, ...]
    answer: str | None
    correct: bool


def labelled_solutions(
    policy: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    questions: Sequence[Question],
    *,
    solutions_per_question: int,
    max_output_tokens: int,
    temperature: float,
    seed: int,
    rank: int,
    world_size: int,
) -> tuple[list[list[Solution]], Counter[str]]:
    """Solutions of each question with the verdict of the rule as label, and the verdicts counted.

    The ranks share the questions and all get all solutions. One that the rule cannot judge gets no label and is left
    out."""
    judged = judged_by_rule(
        policy,
        tokenizer,
        questions,
        group_size=solutions_per_question,
        max_output_tokens=max_output_tokens,
        temperature=temperature,
        seed=seed,
        rank=rank,
        world_size=world_size,
    )
    counts = Counter(f"verdict {one.grade.verdict.value}" for one in judged)
    by_question: list[list[Solution]] = [[] for _ in questions]
    for one in judged:
        if one.reward is not None:
            by_question[one.rollout.group].append(_solution(one))
    return by_question, counts


def _solution(one: Judged) -> Solution:
    rollout = one.rollout
    return Solution(
        rollout.question_id, rollout.prompt_tokens, rollout.output_tokens, one.grade.answer, one.grade.correct
    )


def training_set(by_question: Sequence[Sequence[Solution]]) -> tuple[list[Solution], Counter[str]]:
    """Each different solution of a question once, as in Math-Shepherd, in the order of sampling; and their labels.

    Correct and wrong ones are left in the proportion in which the policy writes them, so that a score is a
    probability."""
    distinct = [one for solutions in by_question for one in {one.tokens: one for one in solutions}.values()]
    correct = sum(one.correct for one in distinct)
    counts = Counter({"distinct solutions": len(distinct), "distinct correct solutions": correct})
    return distinct, counts


def train_verifier(
    engine: Engine,
    model: RewardModel,
    solutions: Sequence[Solution],
    *,
    steps: int,
    solutions_per_step: int,
    batch_tokens: int,
    learning_rate: Callable[[int], float],
    seed: int,
    checkpoints: Path,
    checkpoint_every: int,
    logs: Path,
    shown: Callable[[range], Iterator[int]],
) -> None:
    """Binary cross-entropy on whole solutions, mean over those of a step; goes on from the last checkpoint."""
    resumed = engine.resume(checkpoints)
    first = resumed.step if resumed else 0
    log = MetricsLog(logs, keep_steps_up_to=first if resumed else None) if engine.rank == 0 else None
    for step in shown(range(first, steps)):
        places = examples_of_step(step, per_step=solutions_per_step, count=len(solutions), seed=seed)
        own = [solutions[place] for place in places[engine.rank :: engine.world_size]]
        losses, right = _losses(model, own, len(places), batch_tokens=batch_tokens, device=engine.device)
        rate = learning_rate(step)
        update = engine.step(losses, rate)
        accuracy = float(engine.sum(torch.tensor(float(sum(right.values())), device=engine.device))) / len(places)
        if log is not None:
            log.write(
                step + 1,
                {"loss": update.loss, "accuracy": accuracy, "grad_norm": update.grad_norm, "learning_rate": rate},
            )
        if (step + 1) % checkpoint_every == 0 or step + 1 == steps:
            engine.save(checkpoints, step + 1)
    if log is not None:
        log.close()


def _losses(
    model: RewardModel, own: Sequence[Solution], count: int, *, batch_tokens: int, device: torch.device
) -> tuple[list[Callable[[], Tensor]], dict[int, int]]:
    """This rank's losses, each a share of the mean over `count` solutions; right answers per micro-batch come later."""
    pairs = [(one.question_tokens, one.tokens) for one in own]
    batches = to_batches(pairs, token_budget=batch_tokens, device=device)
    right: dict[int, int] = {}

    def loss(place: int) -> Tensor:
        batch = batches[place]
        correct_B = torch.tensor([float(own[i].correct) for i in batch.places], device=device)
        log_odds_B = model(batch)
        right[place] = int(((log_odds_B > 0) == (correct_B > 0.5)).sum())
        return outcome_loss(log_odds_B, correct_B).sum() / count

    return [lambda place=place: loss(place) for place in range(len(batches))], right  # type: ignore[misc]


def candidates(
    model: RewardModel, by_question: Sequence[Sequence[Solution]], *, batch_tokens: int, device: torch.device
) -> list[list[Candidate]]:
    """The solutions of each question with the model's scores; questions without any are left out."""
    flat = [one for solutions in by_question for one in solutions]
    pairs = [(one.question_tokens, one.tokens) for one in flat]
    found = iter(scores(model, pairs, token_budget=batch_tokens, device=device))
    return [[Candidate(next(found), one.answer, one.correct) for one in group] for group in by_question if group]
