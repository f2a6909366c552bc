"""`python -m eval`: ask a model the questions of both splits, grade what it answers, count what went wrong."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import torch

from commons.artifacts import Artifact
from commons.errors import DataError
from commons.files import write_json
from commons.progress import bar
from commons.sandbox import isolation
from commons.shards import read_jsonl, write_jsonl
from commons.stage import Inputs, Outcome, Stage, Work
from eval.answering import Asker, kept_answers
from eval.config import EvalConfig
from eval.grading import Graded, accuracy, graded, result_rows, sample_row, total_health
from eval.items import IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, Item, chosen, held_out, out_of_family, shots_of
from lm.checkpoints import end_token_ids, load_model, load_tokenizer

TRAIN_FILE, HELD_OUT_FILE, OUT_OF_FAMILY_FILE = "train.jsonl.zst", "heldout.jsonl.zst", "out_of_family.jsonl.zst"
BASE = "base"  # the label of a model that was never taught the chat form


def run(work: Work, config: EvalConfig, inputs: Inputs) -> Outcome:
    """Answers first, all on disk; then verdicts and results from them alone."""
    if work.rank > 0:
        return Outcome({}, "")
    items = _items(inputs["questions"])
    asker = asker_of(config, inputs)
    greedy_items = chosen(
        items,
        in_distribution=config.greedy_questions,
        per_group=config.greedy_questions_per_group,
        seed=config.seed,
    )
    sampled_items = chosen(
        items,
        in_distribution=config.sampled_questions,
        per_group=config.sampled_questions_per_group,
        seed=config.seed,
    )
    if any(item.form != "cot" for item in (*greedy_items, *sampled_items)):
        asker.sandbox.start()  # too little isolation is said before anything is generated
    with asker.sandbox:
        greedy = _ask(work, config, asker, greedy_items, mode="greedy")
        sampled = _ask(work, config, asker, sampled_items, mode="sampled")
    rows = result_rows(greedy, sampled, model=config.label, samples=config.samples_per_question, seed=config.seed)
    write_json(work.folder / "results.json", rows)
    graded_rows = chain((sample_row("greedy", one) for one in greedy), (sample_row("sampled", one) for one in sampled))
    write_jsonl(work.folder / "samples.jsonl.zst", graded_rows)
    totals = total_health(rows)
    level, facts = "not needed", {}
    if totals["programs"]:
        level = isolation().level
        facts = {"held": isolation().held, "refused": isolation().refused}
    write_json(work.logs / "isolation.json", {"level": level, **facts})  # of the machine, so outside of the digest
    return Outcome({"greedy": len(greedy), "sampled": len(sampled), **totals}, _summary(config, greedy, rows, level))


def _items(questions: Artifact) -> list[Item]:
    inside = list(_rows(questions, HELD_OUT_FILE))
    items = held_out(inside) + out_of_family(_rows(questions, OUT_OF_FAMILY_FILE), {row["family"] for row in inside})
    if not items:
        raise DataError(f"{questions.path} holds no questions: {HELD_OUT_FILE} or {OUT_OF_FAMILY_FILE} is needed")
    return items


def _rows(questions: Artifact, name: str) -> Iterator[dict[str, Any]]:
    path = questions.path / name
    return read_jsonl(path) if path.exists() else iter(())


def asker_of(config: EvalConfig, inputs: Inputs) -> Asker:
    """The model and how it is asked: a base model after solved examples, any other in the chat form."""
    folder = inputs["model"].path
    model, tokenizer = load_model(folder), load_tokenizer(folder)
    if torch.cuda.is_available():
        model = model.to("cuda")  # type: ignore[arg-type]
    shots = None
    if config.label == BASE:
        examples = _rows(inputs["questions"], TRAIN_FILE)
        shots = shots_of(examples, config.few_shot_examples, config.seed)
    return Asker(
        model=model,
        tokenizer=tokenizer,
        end_ids=end_token_ids(model, tokenizer),
        max_new_tokens=config.max_new_tokens,
        rows_at_once=config.rows_at_once,
        sandbox=config.sandbox.sandbox(),
        tools=config.tool,
        shots=shots,
    )


def _ask(work: Work, config: EvalConfig, asker: Asker, items: Sequence[Item], *, mode: str) -> list[Graded]:
    """The graded answers to `items`, in the order of the items."""
    samples = 1 if mode == "greedy" else config.samples_per_question
    chunks = kept_answers(
        asker,
        items,
        work.scratch / mode,
        samples=samples,
        temperature=0.0 if mode == "greedy" else config.temperature,
        seed=config.seed,
    )
    by_id = {item.id: item for item in items}
    if len(by_id) != len(items):
        raise DataError(f"{len(items) - len(by_id)} question ids are used twice: make the questions again")
    answered = bar(chain.from_iterable(chunks), total=len(items) * samples, label=f"{config.label} {mode}")
    place = {name: number for number, name in enumerate(by_id)}
    found = [graded(by_id[answer.id], answer) for answer in answered]
    return sorted(found, key=lambda one: (place[one.answer.id], one.answer.sample))


def _summary(config: EvalConfig, greedy: Sequence[Graded], rows: Sequence[dict[str, Any]], level: str) -> str:
    parts = []
    for split, name in ((IN_DISTRIBUTION, "in distribution"), (OUT_OF_DISTRIBUTION, "out")):
        members = [one for one in greedy if one.item.split == split]
        if members:
            found = accuracy(members)
            low, high = (100 * bound for bound in found["ci95"])
            parts.append(f"{name} {100 * found['accuracy']:.1f}% [{low:.1f}, {high:.1f}] (n = {found['n']:,})")
    totals = total_health(rows)
    programs = f"{totals['programs']:,} programs run (isolation {level}), {totals['programs_timed_out']} timed out"
    unanswered = f"{totals['no_answer']} unanswered, {totals['truncated']} truncated"
    return f"{config.label} greedy " + ", ".join(parts) + f"; {unanswered}; {programs}"


STAGE = Stage(
    name="eval",
    about="Answer benchmark questions with a checkpoint and grade them (tables 2 to 7, figure 7).",
    config=EvalConfig,
    run=run,
    makes="evaluation",
    ranks=True,
    needs={"model": "checkpoint", "questions": "questions"},
)
