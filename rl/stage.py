"""python -m rl: from an instruct model and questions without solutions to a policy trained by GRPO."""

from collections.abc import Sequence
from functools import partial

from commons.artifacts import Artifact
from commons.errors import ConfigError, DataError
from commons.metrics import read_metrics
from commons.progress import bar
from commons.stage import Inputs, Outcome, Stage, Work
from lm.checkpoints import load_model, load_tokenizer, save_checkpoint
from lm.engine import Engine
from lm.model_card import write_model_card
from lm.optimiser import start_with
from rl.config import RLConfig
from rl.explore import Scorer
from rl.iterate import Setting, iterate
from rl.questions import Question, read_questions
from rl.reward_model import load_reward_model, scores
from rl.rollouts import Rollout

QUESTIONS, HELD_OUT = "rl.jsonl.zst", "heldout.jsonl.zst"
WINDOW = 10  # steps that the summary averages over
ABOUT = "GRPO (Algorithm 1) from an instruct model, on questions without solutions."


def run(work: Work, config: RLConfig, inputs: Inputs) -> Outcome:
    """Algorithm 1 from the policy in `inputs`; leaves the trained policy and all rollouts."""
    check(config, work.world_size, has_reward_model="reward-model" in inputs)
    policy, tokenizer = load_model(inputs["policy"].path), load_tokenizer(inputs["policy"].path)
    encode = partial(tokenizer.encode, add_special_tokens=False)
    room = policy.config.max_position_embeddings - config.max_output_tokens
    questions, counts = read_questions(inputs["questions"].path / QUESTIONS, encode, max_prompt_tokens=room)
    held_out: list[Question] = []
    if config.held_out.questions:
        others, _ = read_questions(inputs["questions"].path / HELD_OUT, encode, max_prompt_tokens=room)
        held_out = others[: config.held_out.questions]
    engine = start_with(policy, config.optimizer)
    setting = Setting(
        engine=engine,
        tokenizer=tokenizer,
        questions=questions,
        held_out=held_out,
        score=scorer(inputs.get("reward-model"), engine, config),
        start=inputs["policy"].path,
        rollouts=work.folder / "rollouts",
        scratch=work.scratch,
        logs=work.logs,
    )
    progress = iterate(setting, config, lambda steps: bar(steps, total=len(steps), label="rl"))
    draws = progress.totals["steps"] * config.questions_per_step
    counts.update(progress.totals)
    counts["questions asked"], counts["questions in an epoch"] = draws, len(questions)
    trained = engine.plain_model()
    if work.rank == 0:
        save_checkpoint(work.folder, trained, tokenizer)
        write_model_card(work.folder, trained, "rl", ABOUT, config, inputs, counts)
    engine.barrier()
    return Outcome(dict(sorted(counts.items())), summary(work, draws / len(questions)))


def check(config: RLConfig, world_size: int, *, has_reward_model: bool) -> None:
    """Raises ConfigError for combinations that no single field can refuse."""
    if config.questions_per_step % world_size:
        near = [n for n in range(1, 2 * config.questions_per_step + 1) if n % world_size == 0]
        raise ConfigError(
            f"`questions_per_step` is {config.questions_per_step}, but {world_size} processes share the questions of a "
            f"step evenly: take one of {near or [world_size]}, or start another number of processes"
        )
    weights = config.reward
    if weights.model_weight and not has_reward_model:
        raise ConfigError("`reward.model_weight` is above 0 but no reward model is given: add --reward-model, or set 0")
    if not weights.rule_weight and not weights.model_weight:
        raise ConfigError("both weights of `reward` are 0, so no output could earn anything: set one above 0")


def scorer(artifact: Artifact | None, engine: Engine, config: RLConfig) -> Scorer | None:
    """What scores rollouts with the reward model; None when there is none or its weight is 0."""
    if artifact is None or not config.reward.model_weight:
        return None
    model = load_reward_model(artifact.path).to(engine.device)

    def score(rollouts: Sequence[Rollout]) -> list[float]:
        pairs = [(rollout.prompt_tokens, rollout.output_tokens) for rollout in rollouts]
        return scores(model, pairs, token_budget=config.batch_tokens, device=engine.device)

    return score


def summary(work: Work, epochs: float) -> str:
    """One line: the reward of the first and the last steps, and how far the policy went from the reference."""
    rows = [row for row in read_metrics(work.logs) if row["step"] > 0]
    rewards = [row["reward"] for row in rows if "reward" in row]
    if not rewards:
        raise DataError("no output of the whole run could be judged: check the gold answers of the questions")
    first, last = (sum(part) / len(part) for part in (rewards[:WINDOW], rewards[-WINDOW:]))
    return f"{len(rows)} steps, {epochs:.2f} epochs, reward {first:.3f} -> {last:.3f}, kl {rows[-1]['kl']:.4f}"


STAGE = Stage(
    name="rl",
    about=ABOUT,
    config=RLConfig,
    run=run,
    makes="checkpoint",
    ranks=True,
    needs={"policy": "checkpoint", "questions": "questions"},
    takes={"reward-model": "reward_model"},
)
