"""`python -m sft`: fine-tunes a model on worked solutions (section 3).

The control of `rl` is this same command on its own result: `--base runs/tiny/sft --out runs/tiny/control`.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, Self

from pydantic import Field, model_validator
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from commons.config import Config
from commons.errors import ConfigError, DataError
from commons.progress import bar
from commons.seeds import seed_of
from commons.shards import read_jsonl
from commons.stage import Inputs, Outcome, Stage, Work
from lm.checkpoints import load_model, load_tokenizer, save_checkpoint
from lm.guard import BadSteps
from lm.model_card import write_model_card
from lm.optimiser import AdamW, start_with
from lm.packing import Example
from lm.schedules import constant, multi_step
from lm.training import Rules, train
from sft.heldout import held_out_outcomes, held_out_questions
from sft.train import RandomConcatenation, Solution, counts_by_language_and_form, example_of, solution_of

ABOUT = "Fine-tunes a model on worked solutions in three forms, English and Chinese (section 3)."


class Batch(Config):
    """What one step learns."""

    rows: int = Field(default=256, gt=0)
    """Rows of one step over all ranks. [rows; section 3]"""
    row_tokens: int = Field(default=4096, gt=1)
    """Length to which examples are concatenated. [tokens; section 3]"""
    micro_batch_rows: int = Field(default=8, gt=0)
    """Rows that a rank computes at a time. [rows; ours]"""
    attend_across: bool = True
    """Whether an example sees those before it in its row; the paper does not say. [-; ours]"""
    learn_all: bool = False
    """Take the loss on questions and printed output too, not on solutions only; the paper does not say. [-; ours]"""


class Optimiser(AdamW):
    """AdamW; the paper gives the learning rate only, the rest is as in pre-training."""

    learning_rate: float = Field(default=5e-5, gt=0)
    """Learning rate, at its peak. [-; section 3]"""
    schedule: Literal["constant", "multi_step"] = "constant"
    """Constant, or the steps of section 2.2, for small models whose weights stay noisy else. [-; section 3]"""
    warmup_steps: int = Field(default=0, ge=0)
    """Steps of linear warm-up before it. [steps; ours]"""
    drops: tuple[float, float] = (0.8, 0.9)
    """When `multi_step` falls to 31.6% and to 10% of the rate. [fractions of the steps; section 2.2]"""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not 0 < self.drops[0] <= self.drops[1] <= 1:
            raise ValueError(f"optimiser.drops is {list(self.drops)}: give two rising fractions of the steps, 0 to 1")
        return self


class HeldOut(Config):
    """Greedy accuracy while training, to see when it stops rising."""

    questions: int = Field(default=200, gt=0)
    """Held-out questions asked, the same ones each time. [questions; ours]"""
    max_new_tokens: int = Field(default=1024, gt=0)
    """Longest output. [tokens; official evaluation]"""
    every: int = Field(default=50, gt=0, json_schema_extra={"identity": False})
    """Steps between two measurements. [steps; ours]"""


class SftConfig(Config):
    """Config of `sft`."""

    seed: int = Field(default=0, ge=0)
    """Seed of all random streams. [-; ours]"""
    steps: int = Field(default=500, gt=0)
    """Optimiser steps. [steps; section 3]"""
    max_seconds: float | None = Field(default=None, gt=0)
    """Stop early after this time in steps; the result then depends on the machine's speed. [s; ours]"""
    save_every: int = Field(default=100, gt=0, json_schema_extra={"identity": False})
    """Steps between checkpoints to go on from. [steps; ours]"""
    keep: int = Field(default=2, ge=1, json_schema_extra={"identity": False})
    """Checkpoints that stay; older ones are deleted. [checkpoints; ours]"""
    batch: Batch = Batch()
    """What one step learns. [-; section 3]"""
    optimiser: Optimiser = Optimiser()
    """The optimiser. [-; section 3]"""
    bad_steps: BadSteps = BadSteps()
    """Steps whose loss is no number or a spike. [-; ours]"""
    held_out: HeldOut = HeldOut()
    """Accuracy while training. [-; ours]"""


def run(work: Work, config: SftConfig, inputs: Inputs) -> Outcome:
    """Section 3: trains the model on `train.jsonl.zst` of the questions and writes it as a checkpoint."""
    folder, questions = inputs["base"].path, inputs["questions"].path
    model, tokenizer = load_model(folder), load_tokenizer(folder)
    _check_length(config.batch.row_tokens, model)
    rows = map(solution_of, read_jsonl(questions / "train.jsonl.zst"))
    solutions, examples, too_long = read_examples(rows, tokenizer, config.batch)
    data = RandomConcatenation(
        examples,
        rows_per_step=config.batch.rows,
        row_tokens=config.batch.row_tokens,
        seed=seed_of(config.seed, "sft", "order"),
        attend_across=config.batch.attend_across,
    )
    engine = start_with(model, config.optimiser)
    asked = held_out_questions(list(read_jsonl(questions / "heldout.jsonl.zst")), tokenizer, config.held_out.questions)

    def measure(current: PreTrainedModel) -> dict[str, int]:
        return held_out_outcomes(engine, current, tokenizer, asked, config.held_out.max_new_tokens)

    trained = train(
        engine,
        data.rows_of_step,
        lambda step: learning_rate(step, config.optimiser, config.steps),
        steps=config.steps,
        rows_per_micro_batch=config.batch.micro_batch_rows,
        checkpoints=work.scratch / "steps",
        save_every=config.save_every,
        logs=work.logs,
        evaluate=lambda current: shares_of(measure(current)),
        evaluate_every=config.held_out.every,
        max_seconds=config.max_seconds,
        progress=lambda steps: bar(steps, total=config.steps, label="sft", start=steps.start),
        rules=Rules(
            keep=config.keep,
            bad_steps=config.bad_steps,
            made_from={name: artifact.digest for name, artifact in inputs.items()},
            report=lambda done: {"epochs": round(data.epochs(done), 4)},
        ),
    )
    weights = engine.plain_model()
    outcomes = measure(weights)
    counts = {
        "steps": trained.steps,
        "skipped_steps": trained.skipped,
        "learned_tokens": trained.tokens,
        "epochs": round(data.epochs(trained.steps), 3),
        "padding_share": round(data.padding_share(trained.steps), 4),
        "solutions": counts_by_language_and_form(solutions, examples),
        "too_long": too_long,
        "held_out": outcomes,
    }
    if work.rank == 0:
        save_checkpoint(work.folder, weights, tokenizer)
        write_model_card(work.folder, weights, "sft", ABOUT, config, inputs, counts)
    engine.barrier()
    summary = (
        f"{len(examples):,} solutions, {trained.steps} steps, {counts['epochs']:.1f} epochs, "
        f"padding {counts['padding_share']:.1%}, held out "
        f"{outcomes['correct'] / outcomes['questions']:.1%} of {outcomes['questions']} correct (greedy)"
    )
    return Outcome(counts, summary)


def learning_rate(step: int, optimiser: Optimiser, steps: int) -> float:
    """The rate of one step: constant as in section 3, or the schedule of section 2.2 over `steps`."""
    peak, warmup = optimiser.learning_rate, optimiser.warmup_steps
    if optimiser.schedule == "multi_step":
        return multi_step(step, peak=peak, total_steps=steps, warmup_steps=warmup, drops=optimiser.drops)
    return constant(step, peak=peak, warmup_steps=warmup)


def read_examples(
    solutions: Iterable[Solution], tokenizer: PreTrainedTokenizerFast, batch: Batch
) -> tuple[list[Solution], list[Example], int]:
    """The solutions that fit in a row, their tokens, and the number of those that do not fit."""
    kept, examples, too_long = [], [], 0
    for solution in solutions:
        example = example_of(
            solution,
            lambda text: tokenizer.encode(text, add_special_tokens=False),
            tokenizer.eos_token_id,
            learn_all=batch.learn_all,
        )
        if len(example.tokens) > batch.row_tokens:
            too_long += 1
        else:
            kept.append(solution)
            examples.append(example)
    if not examples:
        raise DataError(f"none of {too_long} solutions fits in {batch.row_tokens} tokens: raise `batch.row_tokens`")
    return kept, examples, too_long


def shares_of(outcomes: Mapping[str, int]) -> dict[str, float]:
    """Counts of held-out outcomes as the metrics `held_out/correct`, `/unanswered` and `/cut_off`, from 0 to 1."""
    names = ("correct", "unanswered", "cut_off")
    return {f"held_out/{name}": outcomes[name] / outcomes["questions"] for name in names}


def _check_length(row_tokens: int, model: PreTrainedModel) -> None:
    positions = model.config.max_position_embeddings
    if row_tokens > positions:
        raise ConfigError(f"`batch.row_tokens` is {row_tokens}, but the model has {positions} positions: lower it")


STAGE = Stage(
    name="sft",
    about=ABOUT,
    config=SftConfig,
    run=run,
    makes="checkpoint",
    ranks=True,
    needs={"base": "checkpoint|folder", "questions": "questions"},
)
