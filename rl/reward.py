"""python -m rl.reward: an outcome reward model from the base model and solutions that the policy writes."""

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from pydantic import Field
from torch import nn
from transformers import PreTrainedTokenizerFast

from commons.config import Config
from commons.errors import DataError
from commons.files import write_json
from commons.progress import bar
from commons.shards import write_jsonl
from commons.stage import Inputs, Outcome, Stage, Work, main
from lm.checkpoints import load_model, load_tokenizer
from lm.engine import Engine, start
from lm.schedules import constant
from rl.questions import read_questions
from rl.ranking import ranking_report
from rl.reward_model import RewardModel, save_reward_model
from rl.verifier import Solution, candidates, labelled_solutions, train_verifier, training_set

QUESTIONS, HELDOUT = "rl.jsonl.zst", "heldout.jsonl.zst"
Labeller = Callable[[str, int, int, int], tuple[list[list[Solution]], Counter[str]]]
REPORT, SOLUTIONS = "report.json", "solutions.jsonl.zst"


class RewardModelConfig(Config):
    """An outcome reward model."""

    seed: int = Field(0, ge=0)
    """Seed of sampling and order. [-; ours]"""
    questions: int = Field(7_500, ge=1)
    """Questions whose solutions are trained on, the first ones of the set. [questions; ours]"""
    solutions_per_question: int = Field(15, ge=1)
    """Solutions sampled for each. [solutions; Math-Shepherd 4.1]"""
    heldout_questions: int = Field(500, ge=1)
    """Held-out questions that the model is measured on. [questions; ours]"""
    heldout_solutions: int = Field(16, gt=1)
    """Solutions of each held-out question: N of best-of-N. [solutions; ours]"""
    max_output_tokens: int = Field(512, ge=1)
    """Length limit of a solution. [tokens; Math-Shepherd 4.1]"""
    temperature: float = Field(1.0, gt=0)
    """Sampling temperature. [-; ours]"""
    epochs: float = Field(1.0, gt=0)
    """Passes over the labelled solutions. [epochs; Math-Shepherd 4.1]"""
    solutions_per_step: int = Field(256, ge=1)
    """Solutions of one update. [solutions; ours]"""
    learning_rate: float = Field(2e-5, gt=0)
    """Learning rate, constant after the warm-up. [-; section 4.2]"""
    warmup_steps: int = Field(0, ge=0)
    """Steps of linear warm-up. [steps; ours]"""
    batch_tokens: int = Field(16_384, ge=1)
    """Padded tokens in one forward pass. [tokens; ours]"""
    zero_stage: int = Field(0, ge=0, le=2)
    """DeepSpeed ZeRO stage. [-; ours]"""
    checkpoint_every: int = Field(50, ge=1, json_schema_extra={"identity": False})
    """Steps between checkpoints to resume from. [steps; ours]"""


def run(work: Work, config: RewardModelConfig, inputs: Inputs) -> Outcome:
    """Samples and labels solutions, trains the model from the base checkpoint, measures it on held-out questions."""
    tokenizer = load_tokenizer(inputs["base"].path)
    model = RewardModel(load_model(inputs["base"].path))
    # up to ZeRO 2 the engine treats the model as any module
    engine = start(model, zero_stage=config.zero_stage)  # type: ignore[arg-type]
    label = labeller(config, inputs, tokenizer, engine)
    labelled, counts = label(QUESTIONS, config.questions, config.solutions_per_question, config.seed)
    trained_on, kinds = training_set(labelled)
    if len({one.correct for one in trained_on}) < 2:
        raise DataError(
            f"the policy's solutions are all of one kind ({dict(kinds)}): take questions it solves sometimes"
        )
    train_verifier(
        engine,
        model,
        trained_on,
        steps=max(1, round(config.epochs * len(trained_on) / config.solutions_per_step)),
        solutions_per_step=min(config.solutions_per_step, len(trained_on)),
        batch_tokens=config.batch_tokens,
        learning_rate=partial(constant, peak=config.learning_rate, warmup_steps=config.warmup_steps),
        seed=config.seed,
        checkpoints=work.scratch / "steps",
        checkpoint_every=config.checkpoint_every,
        logs=work.logs,
        shown=lambda steps: bar(steps, total=len(steps), label="reward"),
    )
    measured, _ = label(HELDOUT, config.heldout_questions, config.heldout_solutions, config.seed + 1)
    report = ranking_report(candidates(model, measured, batch_tokens=config.batch_tokens, device=engine.device))
    if work.rank == 0:
        save_reward_model(work.folder, model, tokenizer)
        write_jsonl(work.folder / SOLUTIONS, (asdict(one) for one in trained_on))
        write_json(work.folder / REPORT, report)
    engine.barrier()
    line = ", ".join(f"{name} {report[name]:.3f}" for name in ("accuracy", "auc", "pass_at_1", "majority", "best_of_n"))
    return Outcome({**counts, **kinds}, f"{len(trained_on)} solutions; held out: {line}")


def labeller(config: RewardModelConfig, inputs: Inputs, tokenizer: PreTrainedTokenizerFast, engine: Engine) -> Labeller:
    """What samples and labels solutions of a file's first questions: (file, questions, solutions of each, seed)."""
    policy = load_model(inputs["policy"].path)
    nn.Module.to(policy, engine.device)
    encode = partial(tokenizer.encode, add_special_tokens=False)
    room = policy.config.max_position_embeddings - config.max_output_tokens

    def label(file: str, questions: int, solutions: int, seed: int) -> tuple[list[list[Solution]], Counter[str]]:
        asked, _ = read_questions(inputs["questions"].path / file, encode, max_prompt_tokens=room)
        return labelled_solutions(
            policy,
            tokenizer,
            asked[:questions],
            solutions_per_question=solutions,
            max_output_tokens=config.max_output_tokens,
            temperature=config.temperature,
            seed=seed,
            rank=engine.rank,
            world_size=engine.world_size,
        )

    return label


STAGE = Stage(
    name="rl.reward",
    about="An outcome reward model: the base model learns to foresee the rule's verdict on sampled solutions.",
    config=RewardModelConfig,
    run=run,
    makes="reward_model",
    ranks=True,
    needs={"base": "checkpoint", "policy": "checkpoint", "questions": "questions"},
)

if __name__ == "__main__":
    raise SystemExit(main(STAGE))
