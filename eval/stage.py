"""`python -m eval`: ask a model the questions, run its programs, grade what it answers, count what went wrong."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any

from commons.errors import ArtifactError, DataError
from commons.files import write_json
from commons.progress import bar
from commons.sandbox import isolation
from commons.shards import write_jsonl
from commons.stage import Inputs, Outcome, Stage, Work
from eval import saved, sketches, steps
from eval.answering import Asker, kept_answers
from eval.asked import Asking, published_asking, recipe_asking, sources_of
from eval.cache import Cache
from eval.config import EvalConfig
from eval.grading import Graded, accuracy, result_rows, sample_row, total_health
from eval.items import IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, Item
from eval.models import Served, opened
from eval.outputs import Answer
from eval.protocols import Protocol, protocol_of


def run(work: Work, config: EvalConfig, inputs: Inputs) -> Outcome:
    """Prompts and answers first, all on disk; then verdicts and results from the files alone."""
    if work.rank > 0:
        return Outcome({}, "")
    if "generations" in inputs:
        return saved.run(work, config, inputs["generations"].path)
    with ExitStack() as held:
        served = opened(config, inputs.get("model"))
        held.callback(served.close)
        asking = asking_of(config, inputs, served)
        asker = asker_of(config, asking, served, cache_folder(work, config))
        protocol = _protocol(config, inputs, asking)
        write_json(work.folder / "protocol.json", protocol.as_json())
        items = {"greedy": asking.greedy, "sampled": asking.sampled}
        steps.write_prompts(work.folder, items, asking.prompt, asking.stops)
        if any(item.form != "cot" for item in chain.from_iterable(items.values())):
            asker.sandbox.start()  # too little isolation is said before anything is generated
        with asker.sandbox:
            answers = {mode: _answers(work, config, asker, items[mode], mode) for mode in steps.MODES}
    failures = _check_failures(config, answers)
    steps.write_answers(work.folder, answers)
    found = _verdicts(work, config, items, answers["greedy"], protocol)
    level = _isolation(work, found)
    rows = _results(work, config, found, protocol)
    counts: dict[str, Any] = {mode: len(answers[mode]) for mode in steps.MODES}
    counts |= {**total_health(rows), "protocol": protocol.hash, "model": served.writer.identity}
    if asking.published:
        counts |= {"in_the_prompt": asking.in_the_prompt, "failures": failures}
    return Outcome(counts, _summary(config, found["greedy"], rows, level))


def asking_of(config: EvalConfig, inputs: Inputs, served: Served) -> Asking:
    """What is asked: the recipe's questions, or published benchmarks. Raises ArtifactError where neither is named."""
    if "questions" in inputs:
        room = served.positions - config.max_new_tokens
        return recipe_asking(config, inputs["questions"], length=served.length, room=room)
    folder, shots = (inputs[name].path if name in inputs else None for name in ("benchmarks", "shots"))
    if folder is None and not config.benchmarks.hub:
        raise ArtifactError(
            "nothing to ask: --questions names an artifact, --benchmarks a folder of published benchmarks"
        )
    return published_asking(config, folder, shots, template=served.template)


def asker_of(config: EvalConfig, asking: Asking, served: Served, cache: Path) -> Asker:
    """The model and how it is asked."""
    return Asker(
        writer=served.writer,
        cache=Cache(cache),
        prompt=asking.prompt,
        stops=asking.stops,
        max_new_tokens=config.max_new_tokens,
        rows_at_once=config.rows_at_once,
        sandbox=config.sandbox.sandbox(),
        tools=config.tool,
        cuts_next_question=not asking.published,
    )


def cache_folder(work: Work, config: EvalConfig) -> Path:
    """Where generations are kept: among the work, or where several evaluations look for them."""
    return Path(config.model.cache) if config.model.cache else work.scratch / "generations"


def _protocol(config: EvalConfig, inputs: Inputs, asking: Asking) -> Protocol:
    folder = inputs["benchmarks"].path if "benchmarks" in inputs else None
    if asking.published:
        sources = sources_of(config, folder, asking.tasks)
    else:
        sources = {"questions": inputs["questions"].digest}
    return protocol_of(config, asking.tasks, prompt_form=asking.prompt_form, sources=sources)


def _answers(work: Work, config: EvalConfig, asker: Asker, items: Sequence[Item], mode: str) -> list[Answer]:
    samples = 1 if mode == "greedy" else config.samples_per_question
    if len({item.id for item in items}) != len(items):
        raise DataError(f"question ids of {config.label} ({mode}) are used twice: make the questions again")
    chunks = kept_answers(
        asker,
        items,
        work.scratch / mode,
        samples=samples,
        temperature=0.0 if mode == "greedy" else config.temperature,
        seed=config.seed,
    )
    return list(bar(chain.from_iterable(chunks), total=len(items) * samples, label=f"{config.label} {mode}"))


def _check_failures(config: EvalConfig, answers: Mapping[str, Sequence[Answer]]) -> dict[str, int]:
    """How many samples failed, by reason. Raises DataError for more than are allowed: a rerun asks for them again."""
    every = list(chain.from_iterable(answers.values()))
    reasons = Counter(answer.failure for answer in every if answer.failure)
    failed, allowed = sum(reasons.values()), config.model.allowed_failures
    if failed > allowed * len(every):
        listed = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common(5))
        raise DataError(
            f"{failed:,} of {len(every):,} samples could not be had ({listed}); the same command asks for these "
            f"again, model.allowed_failures={failed / len(every) + 0.001:.3f} goes on without them"
        )
    return dict(sorted(reasons.items()))


def _verdicts(
    work: Work, config: EvalConfig, items: Mapping[str, Sequence[Item]], greedy: Sequence[Answer], protocol: Protocol
) -> dict[str, list[Graded]]:
    by_id = {item.id: item for item in items["greedy"]}
    files = sketches.export(work.folder / "sketches", by_id, greedy)
    proofs = sketches.checked(files, config.benchmarks.checker, config.benchmarks.checker_seconds)
    return steps.verdicts(work.folder, items, protocol.grader, proofs)


def _results(
    work: Work, config: EvalConfig, found: Mapping[str, Sequence[Graded]], protocol: Protocol
) -> list[dict[str, Any]]:
    made = result_rows(
        found["greedy"], found["sampled"], model=config.label, samples=config.samples_per_question, seed=config.seed
    )
    rows = [{**row, "protocol": protocol.name, "protocol_hash": protocol.hash} for row in made]
    write_json(work.folder / "results.json", rows)
    samples = (sample_row(mode, one) for mode in steps.MODES for one in found[mode])
    write_jsonl(work.folder / "samples.jsonl.zst", samples)
    return rows


def _isolation(work: Work, found: Mapping[str, Sequence[Graded]]) -> str:
    level, facts = "not needed", {}
    if any(one.answer.runs for one in chain.from_iterable(found.values())):
        level = isolation().level
        facts = {"held": isolation().held, "refused": isolation().refused}
    write_json(work.logs / "isolation.json", {"level": level, **facts})  # of the machine, so outside of the digest
    return level


def _summary(config: EvalConfig, greedy: Sequence[Graded], rows: Sequence[dict[str, Any]], level: str) -> str:
    parts = []
    for split, name in ((IN_DISTRIBUTION, "in distribution"), (OUT_OF_DISTRIBUTION, "out")):
        found = accuracy([one for one in greedy if one.item.split == split])
        if found["n"]:
            low, high = (100 * bound for bound in found["ci95"])
            parts.append(f"{name} {100 * found['accuracy']:.1f}% [{low:.1f}, {high:.1f}] (n = {found['n']:,})")
    totals = total_health(rows)
    programs = f"{totals['programs']:,} programs run (isolation {level}), {totals['programs_timed_out']} timed out"
    unanswered = f"{totals['no_answer']} unanswered, {totals['truncated']} truncated"
    if totals["not_graded"]:
        unanswered += f", {totals['not_graded']} not graded"
    return f"{config.label} greedy " + ", ".join(parts) + f"; {unanswered}; {programs}"


STAGE = Stage(
    name="eval",
    about="Answer benchmark questions with a model and grade them (tables 2 to 7, figure 7).",
    config=EvalConfig,
    run=run,
    makes="evaluation",
    ranks=True,
    takes={
        "model": "checkpoint|folder",
        "questions": "questions",
        "benchmarks": "folder",
        "shots": "folder",
        "generations": "file",
    },
    format=2,
)
