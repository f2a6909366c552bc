"""The steps of an evaluation as files, each made of those before it: prompts, generations, program runs, verdicts.

A row is known by mode (`greedy`, `sampled`), item id and sample, never by its place."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from commons.sandbox import ProgramRun
from commons.shards import read_jsonl, write_jsonl
from commons.verdicts import Grade
from eval.graders import Grader
from eval.grading import Graded, graded
from eval.items import Item, Question
from eval.outputs import Answer, run_row

MODES = ("greedy", "sampled")
PROMPTS, GENERATIONS, RUNS, VERDICTS = (
    f"steps/{number}-{name}.jsonl.zst" for number, name in enumerate(("prompts", "generations", "runs", "verdicts"), 1)
)
Key = tuple[str, str, int]


def write_prompts(
    folder: Path,
    items: Mapping[str, Sequence[Item]],
    prompt: Callable[[Question], str],
    stops: Callable[[Question], tuple[str, ...]],
) -> None:
    """The exact text before each question's outputs; no gold answer is in reach here."""
    asked = {item.id: item.posed for mode in MODES for item in items[mode]}
    rows = ({"id": name, "prompt": prompt(one), "stops": list(stops(one))} for name, one in asked.items())
    write_jsonl(folder / PROMPTS, rows)


def write_answers(folder: Path, answers: Mapping[str, Sequence[Answer]]) -> None:
    """What the model wrote, and apart from it what became of its programs."""
    write_jsonl(folder / GENERATIONS, _generation_rows(answers))
    write_jsonl(folder / RUNS, _run_rows(answers))


def read_answers(folder: Path) -> dict[str, list[Answer]]:
    """The answers of both modes, put together of the three files."""
    prompts = {row["id"]: row["prompt"] for row in read_jsonl(folder / PROMPTS)}
    runs: dict[Key, list[ProgramRun]] = {}
    for row in read_jsonl(folder / RUNS):
        run = ProgramRun(row["status"], row["stdout"], row["error"], seconds=0.0)
        runs.setdefault((row["mode"], row["id"], row["sample"]), []).append(run)
    found: dict[str, list[Answer]] = {mode: [] for mode in MODES}
    for row in read_jsonl(folder / GENERATIONS):
        key = row["mode"], row["id"], row["sample"]
        one = Answer(
            row["id"],
            row["sample"],
            row["text"],
            row["finished"],
            row["rounds"],
            tuple(runs.get(key, ())),
            stopped=row["stopped"],
            prompt=prompts[row["id"]],
            failure=row["failure"],
        )
        found[row["mode"]].append(one)
    return found


def verdicts(
    folder: Path, items: Mapping[str, Sequence[Item]], grader: Grader, proofs: Mapping[str, Grade | str]
) -> dict[str, list[Graded]]:
    """The graded answers of both modes, in the order of the items; reads the files of the steps before alone."""
    found = {}
    for mode, answers in read_answers(folder).items():
        by_id = {item.id: item for item in items[mode]}
        place = {name: number for number, name in enumerate(by_id)}
        ordered = sorted(answers, key=lambda answer: (place[answer.id], answer.sample))
        found[mode] = [graded(by_id[answer.id], answer, grader, proofs.get(answer.id)) for answer in ordered]
    write_jsonl(folder / VERDICTS, _verdict_rows(found))
    return found


def _generation_rows(answers: Mapping[str, Iterable[Answer]]) -> Iterator[dict[str, Any]]:
    for mode in MODES:
        for one in answers[mode]:
            yield {
                "mode": mode,
                "id": one.id,
                "sample": one.sample,
                "text": one.text,
                "finished": one.finished,
                "stopped": one.stopped,
                "rounds": one.rounds,
                "failure": one.failure,
            }


def _run_rows(answers: Mapping[str, Iterable[Answer]]) -> Iterator[dict[str, Any]]:
    for mode in MODES:
        for one in answers[mode]:
            for number, run in enumerate(one.runs):
                yield {"mode": mode, "id": one.id, "sample": one.sample, "number": number, **run_row(run)}


def _verdict_rows(found: Mapping[str, Iterable[Graded]]) -> Iterator[dict[str, Any]]:
    for mode in MODES:
        for one in found[mode]:
            key = {"mode": mode, "id": one.item.id, "sample": one.answer.sample}
            if one.grade is None:
                yield {**key, "grader": "", "verdict": "not graded", "reason": one.ungraded, "answer": None}
                continue
            for grader, given in (("strict", one.strict), ("paper", one.paper)):
                assert given is not None
                yield {
                    **key,
                    "grader": grader,
                    "verdict": given.verdict.value,
                    "reason": given.reason,
                    "answer": given.answer,
                }
