"""Generations from a file instead of a model: JSON lines, one output a row, graded in seconds (docs/evaluation.md).

A row needs `id`, `question`, `gold` and `output`; it may have all other fields of `samples.jsonl.zst`, and `recorded`,
the verdict that somebody else gave (true or false). The file of Qwen2.5-Math's own evaluation is read as it is."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from commons.errors import DataError
from commons.files import sha256_of_file, write_json
from commons.sandbox import ProgramRun
from commons.shards import read_jsonl, write_jsonl
from commons.stage import Outcome, Work
from eval.benchmarks import TAUGHT
from eval.config import EvalConfig
from eval.grading import Graded, curves, graded, health, sample_row, total_health
from eval.items import IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, Item
from eval.outputs import Answer
from eval.protocols import Task, digest_of_items, protocol_of
from eval.voting import NORMAL_95

Row = dict[str, Any]
NEEDED = ("id", "question", "gold", "output")


def run(work: Work, config: EvalConfig, path: Path) -> Outcome:
    """Grades the outputs of a file: accuracy over all of them, maj@k and pass@k where a question has several."""
    rows = list(saved_rows(path))
    if not rows:
        raise DataError(f"{path} holds no outputs")
    found = [graded(item_of(row), answer_of(row), config.protocol) for row in rows]
    results = [
        {"model": config.label, "seed": config.seed, **_result(group, members)}
        for group, members in _groups(found).items()
    ]
    items = list({one.item.id: one.item for one in found}.values())
    tasks = [Task("saved", "saved", len(items), digest_of_items(items), "", "", ())]
    protocol = protocol_of(config, tasks, prompt_form="saved", sources={"generations": sha256_of_file(path)})
    results = [{**row, "protocol": protocol.name, "protocol_hash": protocol.hash} for row in results]
    write_json(work.folder / "protocol.json", protocol.as_json())
    write_json(work.folder / "results.json", results)
    several = len({one.item.id for one in found}) < len(found)
    mode = "sampled" if several else "greedy"
    write_jsonl(
        work.folder / "samples.jsonl.zst",
        (sample_row(row.get("mode", mode), one) for row, one in zip(rows, found, strict=True)),
    )
    others = disagreements(rows, found)
    write_json(work.folder / "disagreements.json", others)
    write_json(work.logs / "isolation.json", {"level": "not needed"})
    recorded = sum("recorded" in row for row in rows)
    counts = {"outputs": len(found), "recorded": recorded, "disagreements": len(others), **total_health(results)}
    return Outcome(counts, _summary(results, recorded, len(others)))


def saved_rows(path: Path) -> Iterator[Row]:
    """The rows of a file in the documented schema, those of the Qwen file among them.

    Raises DataError for a row that lacks a field or comes twice."""
    seen: Counter[tuple[str, int]] = Counter()
    for number, row in enumerate(read_jsonl(path), start=1):
        for one in _qwen_rows(row) if _is_qwen(row) else [row]:
            lacking = [name for name in NEEDED if name not in one]
            if lacking:
                raise DataError(f"{path}:{number} has no {', '.join(lacking)}: a row needs {', '.join(NEEDED)}")
            drawn = {"mode": "greedy", **one}["mode"], str(one["id"])
            sample = one.get("sample", seen[drawn])  # type: ignore[index]
            seen[drawn] += 1  # type: ignore[index]
            yield {**one, "id": str(one["id"]), "sample": sample}


def _is_qwen(row: Row) -> bool:
    return isinstance(row.get("code"), list) and {"idx", "gt", "question"} <= row.keys()


def _qwen_rows(row: Row) -> Iterator[Row]:
    """All samples of one question, each with the label and the answer that were recorded for it."""
    for sample, (text, answer, right) in enumerate(zip(row["code"], row["pred"], row["score"], strict=True)):
        yield {
            "id": f"math/cot/{row['idx']:05d}",
            "sample": sample,
            "mode": "sampled",
            "benchmark": "math",
            "level": row.get("level"),
            "question": row["question"],
            "gold": row["gt"],
            "output": text,
            "recorded": bool(right),
            "recorded_answer": answer,
        }


def item_of(row: Mapping[str, Any]) -> Item:
    """The item of a row of samples, saved or our own."""
    form, _, language = row.get("setting", "cot").partition("-")
    benchmark = row.get("benchmark", "saved")
    inside = (benchmark, form) in TAUGHT
    return Item(
        id=row["id"],
        split=row.get("split", IN_DISTRIBUTION if inside else OUT_OF_DISTRIBUTION),
        benchmark=benchmark,
        form=form,
        language=language or "en",
        question=row["question"],
        gold=str(row["gold"]),
        options=tuple((letter, text) for letter, text in row.get("options", ())),
        level=row.get("level"),
        subject=row.get("subject"),
        few_shot=row.get("few_shot", False),
    )


def answer_of(row: Mapping[str, Any]) -> Answer:
    """The answer of such a row."""
    finish = row.get("finish", "end")
    return Answer(
        id=row["id"],
        sample=row["sample"],
        text=row["output"],
        finished=finish != "length",
        rounds=row.get("rounds", 1),
        runs=tuple(ProgramRun(**run, seconds=0.0) for run in row.get("programs", ())),
        stopped=finish == "stop",
        prompt=row.get("prompt", ""),
        failure=row.get("failure", ""),
    )


def disagreements(rows: Sequence[Row], found: Sequence[Graded]) -> list[Row]:
    """Each output whose recorded verdict is another than ours, with our reason."""
    return [
        {
            "id": one.item.id,
            "sample": one.answer.sample,
            "gold": one.item.gold,
            "recorded": row["recorded"],
            "recorded_answer": row.get("recorded_answer"),
            **{
                name: text
                for name, text in sample_row("", one).items()
                if name.endswith(("verdict", "reason", "answer"))
            },
        }
        for row, one in zip(rows, found, strict=True)
        if "recorded" in row and one.correct != row["recorded"]
    ]


def _groups(found: Iterable[Graded]) -> dict[tuple[str, str, str], list[Graded]]:
    groups: dict[tuple[str, str, str], list[Graded]] = {}
    for one in found:
        groups.setdefault(one.item.group, []).append(one)
    return groups


def _result(group: tuple[str, str, str], members: Sequence[Graded]) -> Row:
    """One row of results. Outputs of one question are not independent: the interval is over the means of questions."""
    drawn: dict[str, list[Graded]] = {}
    for one in members:
        drawn.setdefault(one.item.id, []).append(one)
    sizes = {len(outputs) for outputs in drawn.values()}
    if len(sizes) > 1:
        raise DataError(f"{group[1]}: questions have {min(sizes)} to {max(sizes)} outputs; each needs as many")
    known = [[one for one in outputs if one.grade is not None] for outputs in drawn.values()]
    means = [sum(one.correct for one in outputs) / len(outputs) for outputs in known if outputs]
    [samples] = sizes
    split, benchmark, setting = group
    return {
        "split": split,
        "benchmark": benchmark,
        "setting": setting,
        **mean_of_questions(means),
        "samples": samples,
        **curves(members, samples),
        "health": health(members),
    }


def mean_of_questions(means: Sequence[float]) -> Row:
    """Mean over questions and its normal interval, cut to [0, 1]; n is the number of questions."""
    count = len(means)
    if not count:
        return {"accuracy": None, "ci95": None, "n": 0}
    mean = sum(means) / count
    variance = sum((one - mean) ** 2 for one in means) / max(1, count - 1)
    half = NORMAL_95 * math.sqrt(variance / count)
    low, high = max(0.0, mean - half), min(1.0, mean + half)
    return {"accuracy": round(mean, 6), "ci95": [round(low, 6), round(high, 6)], "n": count}


def _summary(results: Sequence[Row], recorded: int, others: int) -> str:
    parts = []
    for row in results:
        if row["accuracy"] is None:
            parts.append(f"{row['benchmark']} not graded")
            continue
        k = str(max(map(int, row["maj_at_k"]), default=1))
        text = f"{row['benchmark']} {100 * row['accuracy']:.1f}% (n = {row['n']:,}, {row['samples']} each)"
        if int(k) > 1:
            text += f", maj@{k} {100 * row['maj_at_k'][k]:.1f}%, pass@{k} {100 * row['pass_at_k'][k]:.1f}%"
        parts.append(text)
    labels = f"; {others} of {recorded:,} recorded verdicts differ" if recorded else ""
    return "saved outputs: " + ", ".join(parts) + labels
