"""Algorithm 1 of the paper: iterative GRPO, here with outcome supervision and a reward model that stays as it is."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from commons.metrics import MetricsLog
from commons.seeds import seed_of
from commons.shards import write_jsonl
from lm.checkpoints import end_token_ids, load_model, save_checkpoint
from lm.engine import Engine
from lm.schedules import constant
from rl.clock import Clock
from rl.config import RLConfig
from rl.explore import Scorer, judge, sample_groups
from rl.heldout import held_out_measures
from rl.measures import Streaks, rollout_measures, stop_a_run_that_cannot_learn
from rl.questions import Question, draws_of_step
from rl.ranks import gathered
from rl.rollouts import Judged, row, with_advantages
from rl.shared import to_shared_batches
from rl.update import OldLogprobs, losses, micro_batches, update_measures

MOSTLY_CUT = 0.5


@dataclass(frozen=True, slots=True)
class Setting:
    """What a run works with beside its config."""

    engine: Engine
    tokenizer: PreTrainedTokenizerFast
    questions: Sequence[Question]
    held_out: Sequence[Question]
    score: Scorer | None
    start: Path  # the checkpoint that the policy started from: the reference of the first iteration
    rollouts: Path
    scratch: Path
    logs: Path


@dataclass(frozen=True, slots=True)
class Progress:
    """What a run has counted so far; it goes into each checkpoint."""

    totals: Counter[str] = field(default_factory=Counter)
    streaks: Streaks = field(default_factory=Streaks)
    mostly_cut: bool = False  # the last step's outputs hit the length limit more often than not


def iterate(setting: Setting, config: RLConfig, shown: Callable[[range], Iterator[int]]) -> Progress:
    """Algorithm 1, from the last checkpoint when there is one; trains the engine's model and returns what was counted.

    Step n (from 0) writes the rollout file and the metrics row of number n + 1."""
    engine, per_iteration = setting.engine, config.steps_per_iteration
    last = config.iterations * per_iteration
    resumed = engine.resume(setting.scratch / "steps")
    first = resumed.step if resumed else 0
    progress = Progress(**resumed.state) if resumed else Progress()
    reference = None
    with ExitStack() as stack:
        log = None
        if engine.rank == 0:
            log = stack.enter_context(MetricsLog(setting.logs, keep_steps_up_to=first if resumed else None))
        before = {} if resumed else measured_held_out(setting, config)
        if log is not None and before:
            log.write(0, before)
        for step in shown(range(first, last)):
            clock = Clock()
            if reference is None or step % per_iteration == 0:
                reference = reference_of(setting, *divmod(step, per_iteration))
            judged = explore(setting, config, step, clock)
            values = rollout_measures(judged)
            values |= improve(setting, config, step, judged, reference, clock)
            progress = counted(progress, judged, values)
            values["num_tokens"] = progress.totals["tokens"]
            if step + 1 == last or (step + 1) % config.held_out.every == 0:
                with clock.phase("held_out"):
                    values |= measured_held_out(setting, config)
            if log is not None:
                rows = (row(one, with_logprobs=config.keep_logprobs) for one in judged)
                with clock.phase("write"):
                    write_jsonl(setting.rollouts / f"step-{step + 1:06d}.jsonl.zst", rows)
                log.write(step + 1, values | clock.measures(tokens_written(judged)))
            stop_a_run_that_cannot_learn(progress.streaks, patience=config.patience)
            if (step + 1) % config.checkpoint_every == 0 or (step + 1) % per_iteration == 0:
                engine.save(setting.scratch / "steps", step + 1, state_of(progress))
    return progress


def reference_of(setting: Setting, iteration: int, step_in_iteration: int) -> PreTrainedModel:
    """The frozen policy of the start of an iteration: pi_ref of Algorithm 1.

    It goes to disk before the first step that needs it and is always read from there, so that a run resumed inside
    the iteration has the same one. The first iteration's is the checkpoint that the policy started from."""
    engine, folder = setting.engine, setting.scratch / f"reference-{iteration:03d}"
    policy = engine.plain_model()
    if iteration == 0:
        folder = setting.start
    elif step_in_iteration == 0:
        if engine.rank == 0:
            save_checkpoint(folder, policy, setting.tokenizer)
        engine.barrier()
    reference = load_model(folder, policy.dtype)
    nn.Module.to(reference, engine.device)
    reference.requires_grad_(requires_grad=False)
    return reference


def explore(setting: Setting, config: RLConfig, step: int, clock: Clock) -> list[Judged]:
    """All outputs of a step, those of other ranks included, in the order of their groups, with their advantages."""
    engine = setting.engine
    draws = draws_of_step(setting.questions, step, per_step=config.questions_per_step, seed=config.seed)
    own = draws[engine.rank :: engine.world_size]
    with clock.phase("generate"):
        policy = engine.plain_model()
        rollouts = sample_groups(
            policy,
            own,
            group_size=config.group_size,
            max_output_tokens=config.max_output_tokens,
            temperature=config.temperature,
            seed=config.seed,
            end_ids=end_token_ids(policy, setting.tokenizer),
            policy_version=step * config.updates_per_step,
        )
    with clock.phase("reward"):
        judged = judge(
            rollouts,
            own,
            setting.tokenizer,
            setting.score,
            rule_weight=config.reward.rule_weight,
            model_weight=config.reward.model_weight,
        )
        everybodys = sorted(gathered(judged), key=lambda one: one.rollout.group)
    return with_advantages(everybodys)


def improve(
    setting: Setting, config: RLConfig, step: int, judged: Sequence[Judged], reference: PreTrainedModel, clock: Clock
) -> dict[str, float]:
    """The mu updates of a step on its outputs; returns their measures. Each rank takes its own groups again."""
    engine, objective = setting.engine, config.objective
    outputs = sum(one.reward is not None for one in judged)
    own = [one for one in judged if one.rollout.group % config.questions_per_step % engine.world_size == engine.rank]
    pairs = [(one.rollout.prompt_tokens, one.rollout.output_tokens) for one in own]
    with clock.phase("reference"):
        parts = micro_batches(
            to_shared_batches(
                pairs,
                token_budget=config.batch_tokens,
                device=engine.device,
            ),
            reference,
            sampled=[one.rollout.old_logprobs for one in own],
            advantages=[one.advantage for one in own],
            outputs_of_step=max(outputs, 1),
            temperature=config.temperature,
        )
    old, done, values = OldLogprobs(), [], {}
    measured: list[dict[str, float]] = []
    for update in range(config.updates_per_step):
        version = step * config.updates_per_step + update
        rate = constant(version, peak=config.optimizer.learning_rate, warmup_steps=config.optimizer.warmup_updates)
        by_place: dict[int, dict[str, float]] = {}
        with clock.phase("update"):
            todo = losses(
                engine.model,
                parts,
                old,
                by_place,
                temperature=config.temperature,
                clip=objective.clip,
                kl_weight=objective.kl_weight,
                max_log_ratio=objective.max_log_ratio,
            )
            done.append(engine.step(todo, rate))
        measured += by_place.values()
        values = {"learning_rate": rate}
    values |= update_measures(gathered(measured), updates=len(done))
    values["loss"] = sum(update.loss for update in done) / len(done)
    values["grad_norm"] = sum(update.grad_norm for update in done) / len(done)
    return values


def measured_held_out(setting: Setting, config: RLConfig) -> dict[str, float]:
    """What the present policy scores on the held-out questions; nothing where there are none."""
    if not setting.held_out:
        return {}
    engine = setting.engine
    return held_out_measures(
        engine.plain_model(),
        setting.tokenizer,
        setting.held_out,
        samples=config.held_out.samples,
        max_output_tokens=config.max_output_tokens,
        temperature=config.temperature,
        seed=seed_of(config.seed, "held out"),
        rank=engine.rank,
        world_size=engine.world_size,
    )


def tokens_written(judged: Sequence[Judged]) -> int:
    """Tokens that the policy wrote in a step, over all ranks."""
    return sum(len(one.rollout.output_tokens) for one in judged)


def counted(progress: Progress, judged: Sequence[Judged], values: dict[str, float]) -> Progress:
    """The progress after one more step; says on stderr when most outputs begin to be cut off."""
    totals = Counter(progress.totals)
    totals["outputs"] += len(judged)
    totals["steps"] += 1
    totals["outputs without a reward"] += sum(one.reward is None for one in judged)
    totals["outputs cut off"] += sum(not one.rollout.finished for one in judged)
    totals["tokens"] += sum(len(one.rollout.prompt_tokens) + len(one.rollout.output_tokens) for one in judged)
    totals.update(f"verdict {one.grade.verdict.value}" for one in judged)
    share = values["completions/clipped_ratio"]
    if share > MOSTLY_CUT and not progress.mostly_cut:
        message = f"rl: step {totals['steps']}: {share:.0%} of the outputs hit the length limit; is it too low?"
        print(message, file=sys.stderr)
    return replace(progress, totals=totals, streaks=progress.streaks.after(values), mostly_cut=share > MOSTLY_CUT)


def state_of(progress: Progress) -> dict[str, Any]:
    """The fields of `progress`, for a checkpoint."""
    return {"totals": progress.totals, "streaks": progress.streaks, "mostly_cut": progress.mostly_cut}
