"""A verdict for each answer, and the rows of results: accuracy with its interval, maj@K, pass@K, health."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from commons.sandbox import SANDBOX_FAILED
from commons.verdicts import Grade, Verdict
from eval import graders
from eval.graders import NOT_GRADED, Grader, not_graded
from eval.items import Item
from eval.outputs import Answer, run_row
from eval.voting import Vote, ks_up_to, maj_at_k, pass_at_k, wilson


@dataclass(frozen=True, slots=True)
class Graded:
    """One answer with both verdicts; `grader` names the one that the results count. No verdict: `ungraded` says why."""

    item: Item
    answer: Answer
    strict: Grade | None
    paper: Grade | None
    grader: Grader = "strict"
    ungraded: str = ""

    @property
    def grade(self) -> Grade | None:
        """The verdict that counts."""
        return self.paper if self.grader == "paper" else self.strict

    @property
    def correct(self) -> bool:
        """Whether it counts as correct."""
        return self.grade is not None and self.grade.correct


def graded(item: Item, answer: Answer, grader: Grader = "strict", proof: Grade | str | None = None) -> Graded:
    """The answer with its verdicts. `proof` is what a checker said about a proof, or why it said nothing."""
    if isinstance(proof, Grade):
        return Graded(item, answer, proof, proof, grader)
    reason = proof or not_graded(item, answer)
    if reason:
        return Graded(item, answer, None, None, grader, reason)
    return Graded(item, answer, graders.strict(item, answer), graders.paper(item, answer), grader)


def sample_row(mode: str, one: Graded) -> dict[str, Any]:
    """Everything that a reader needs to understand one verdict, and `eval.regrade` to give it again."""
    return {
        "id": one.item.id,
        "split": one.item.split,
        "benchmark": one.item.benchmark,
        "setting": one.item.setting,
        "few_shot": one.item.few_shot,
        "mode": mode,
        "sample": one.answer.sample,
        "level": one.item.level,
        "subject": one.item.subject,
        "question": one.item.question,
        "options": [list(option) for option in one.item.options],
        "gold": one.item.gold,
        "prompt": one.answer.prompt,
        "output": one.answer.text,
        "finished": one.answer.finished,
        "finish": one.answer.finish,
        "failure": one.answer.failure,
        "rounds": one.answer.rounds,
        "programs": [run_row(run) for run in one.answer.runs],
        **_verdict("", one.grade, one.ungraded),
        **_verdict("strict_", one.strict, one.ungraded),
        **_verdict("paper_", one.paper, one.ungraded),
    }


def _verdict(prefix: str, given: Grade | None, ungraded: str) -> dict[str, str | None]:
    if given is None:
        return {f"{prefix}answer": None, f"{prefix}verdict": NOT_GRADED, f"{prefix}reason": ungraded}
    return {
        f"{prefix}answer": given.answer,
        f"{prefix}verdict": given.verdict.value,
        f"{prefix}reason": given.reason,
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
    """Share of correct answers and its interval, of all that were graded: every question asked but what failed to be
    answered at all, and proofs that nobody checked. Those are counted in `health`; with none graded there is no share.

    `accuracy_strict` and `accuracy_paper` are the same by either grader."""
    known = [one for one in greedy if one.grade is not None]
    correct = sum(one.correct for one in known)
    if not known:
        return {"accuracy": None, "ci95": None, "n": 0}
    low, high = wilson(correct, len(known))
    shares = {
        f"accuracy_{name}": round(sum(given is not None and given.correct for given in grades) / len(known), 6)
        for name, grades in (("strict", [one.strict for one in known]), ("paper", [one.paper for one in known]))
    }
    return {
        "accuracy": round(correct / len(known), 6),
        "ci95": [round(low, 6), round(high, 6)],
        "n": len(known),
        **shares,
    }


def curves(sampled: Sequence[Graded], samples: int) -> dict[str, Any]:
    """maj@k and pass@k for k = 1, 2, 4, ...: the mean over the questions all of whose samples were graded."""
    votes = votes_by_question(sampled)
    if any(len(drawn) != samples for drawn in votes.values()):
        raise ValueError(f"a question has other than {samples} samples")
    unknown = {one.item.id for one in sampled if one.grade is None}
    votes = {name: drawn for name, drawn in votes.items() if name not in unknown}
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
        votes.setdefault(one.item.id, []).append(Vote(one.grade.answer if one.grade else None, one.correct))
    return votes


def health(greedy: Sequence[Graded]) -> dict[str, int]:
    """How many answers failed in which way; what stands beside every accuracy."""
    verdicts = Counter(one.grade.verdict for one in greedy if one.grade is not None)
    named = {verdict.value.replace(" ", "_"): verdicts[verdict] for verdict in Verdict}
    statuses = Counter(run.status for one in greedy for run in one.answer.runs)
    return {
        **named,
        "not_graded": sum(one.grade is None for one in greedy),
        "failed": sum(bool(one.answer.failure) for one in greedy),
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
