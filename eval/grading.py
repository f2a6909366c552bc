"""A verdict for each answer, and the rows of results: accuracy with its interval, maj@K, pass@K, health."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from commons.answers.extraction import extract_answer
from commons.equivalence import grade
from commons.prompts import output_block
from commons.sandbox import SANDBOX_FAILED
from commons.verdicts import Grade, Verdict
from eval.answering import Answer
from eval.items import Item
from eval.voting import Vote, ks_up_to, maj_at_k, pass_at_k, wilson


@dataclass(frozen=True, slots=True)
class Graded:
    """One answer with its verdict."""

    item: Item
    answer: Answer
    grade: Grade


def graded(item: Item, answer: Answer) -> Graded:
    """The answer with its verdict: in program form the program's output is what is graded, nothing that stands by."""
    failed = [run.error for run in answer.runs if run.status == SANDBOX_FAILED]
    if failed:
        return Graded(item, answer, Grade(Verdict.GRADER_ERROR, f"the sandbox failed: {failed[0]}", None))
    verdict = _program_grade(item, answer) if item.form == "pot" else _text_grade(item, answer)
    return Graded(item, answer, verdict)


def _text_grade(item: Item, answer: Answer) -> Grade:
    stopped = bool(answer.runs) and answer.runs[-1].status == "timed out" and extract_answer(answer.text) is None
    return grade(answer.text, item.gold, timed_out=stopped)


def _program_grade(item: Item, answer: Answer) -> Grade:
    if not answer.runs:
        return _with_reason(grade("", item.gold), "no complete program")
    run = answer.runs[-1]
    if run.status == "ok":
        return grade(output_block(run.stdout), item.gold)
    last = run.error.splitlines()[-1] if run.error else run.status
    return _with_reason(grade("", item.gold, timed_out=run.status == "timed out"), f"the program failed: {last}")


def _with_reason(given: Grade, reason: str) -> Grade:
    return replace(given, reason=reason) if given.verdict is Verdict.NO_ANSWER else given


def sample_row(mode: str, one: Graded) -> dict[str, Any]:
    """Everything that a reader needs to understand one verdict."""
    return {
        "id": one.item.id,
        "split": one.item.split,
        "benchmark": one.item.benchmark,
        "setting": one.item.setting,
        "mode": mode,
        "sample": one.answer.sample,
        "question": one.item.question,
        "gold": one.item.gold,
        "output": one.answer.text,
        "finished": one.answer.finished,
        "rounds": one.answer.rounds,
        "programs": [{"status": r.status, "stdout": r.stdout, "error": r.error} for r in one.answer.runs],
        "answer": one.grade.answer,
        "verdict": one.grade.verdict.value,
        "reason": one.grade.reason,
    }


def result_rows(
    greedy: Sequence[Graded], sampled: Sequence[Graded], *, model: str, samples: int, seed: int
) -> list[dict[str, Any]]:
    """One row for each split, benchmark and setting, in the order in which they first come."""
    drawn = _by_group(sampled)
    return [
        {
            "model": model,
            "split": group[0],
            "benchmark": group[1],
            "setting": group[2],
            "seed": seed,
            **accuracy(members),
            **curves(drawn.get(group, []), samples),
            "health": health(members),
        }
        for group, members in _by_group(greedy).items()
    ]


def accuracy(greedy: Sequence[Graded]) -> dict[str, Any]:
    """Share of correct greedy answers and its interval. Every question asked counts, one without a verdict too."""
    correct = sum(one.grade.correct for one in greedy)
    low, high = wilson(correct, len(greedy))
    return {"accuracy": round(correct / len(greedy), 6), "ci95": [round(low, 6), round(high, 6)], "n": len(greedy)}


def curves(sampled: Sequence[Graded], samples: int) -> dict[str, Any]:
    """maj@k and pass@k for k = 1, 2, 4, ...: the mean over the questions that were sampled."""
    votes = votes_by_question(sampled)
    if any(len(drawn) != samples for drawn in votes.values()):
        raise ValueError(f"a question has other than {samples} samples")
    ks = ks_up_to(samples) if votes else []
    count = max(1, len(votes))
    majority = {str(k): round(sum(maj_at_k(drawn, k) for drawn in votes.values()) / count, 6) for k in ks}
    passed = {
        str(k): round(sum(pass_at_k([vote.correct for vote in drawn], k) for drawn in votes.values()) / count, 6)
        for k in ks
    }
    return {"maj_at_k": majority, "pass_at_k": passed, "sampled_n": len(votes)}


def votes_by_question(sampled: Iterable[Graded]) -> dict[str, list[Vote]]:
    """The votes of each question in the order in which they were drawn."""
    votes: dict[str, list[Vote]] = {}
    for one in sampled:
        votes.setdefault(one.item.id, []).append(Vote(one.grade.answer, one.grade.correct))
    return votes


def health(greedy: Sequence[Graded]) -> dict[str, int]:
    """How many answers failed in which way; what stands beside every accuracy."""
    verdicts = Counter(one.grade.verdict for one in greedy)
    named = {verdict.value.replace(" ", "_"): verdicts[verdict] for verdict in Verdict}
    statuses = Counter(run.status for one in greedy for run in one.answer.runs)
    return {
        **named,
        "truncated": sum(not one.answer.finished for one in greedy),
        "programs": sum(statuses.values()),
        "programs_timed_out": statuses["timed out"],
        "programs_failed": sum(statuses.values()) - statuses["ok"] - statuses["timed out"] - statuses[SANDBOX_FAILED],
        "programs_without_sandbox": statuses[SANDBOX_FAILED],
    }


def total_health(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The sums over all rows."""
    total: Counter[str] = Counter()
    for row in rows:
        total.update(row["health"])
    return dict(total)


def _by_group(many: Iterable[Graded]) -> dict[tuple[str, str, str], list[Graded]]:
    groups: dict[tuple[str, str, str], list[Graded]] = {}
    for one in many:
        groups.setdefault(one.item.group, []).append(one)
    return groups
