"""How well a reward model tells correct solutions from wrong ones, and what choosing by it is worth (section 5.2.4)."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from commons.clusters import clusters

BINS = 10


@dataclass(frozen=True, slots=True)
class Candidate:
    """One solution of a question: its score in [0, 1], its answer text, whether it is correct."""

    score: float
    answer: str | None
    correct: bool


def area_under_curve(candidates: Sequence[Candidate]) -> float | None:
    """The probability that a correct solution scores above a wrong one, ties half; None when one kind is missing."""
    ordered = sorted(candidates, key=lambda candidate: candidate.score)
    correct = sum(candidate.correct for candidate in ordered)
    wrong = len(ordered) - correct
    if not correct or not wrong:
        return None
    rank_sum, start = 0.0, 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end].score == ordered[start].score:
            end += 1
        rank_sum += (start + end + 1) / 2 * sum(candidate.correct for candidate in ordered[start:end])
        start = end
    return (rank_sum - correct * (correct + 1) / 2) / (correct * wrong)


def calibration(candidates: Sequence[Candidate]) -> list[dict[str, float]]:
    """Reliability table: per tenth of the score range the number, the mean score and the share that is correct."""
    rows = []
    for bin_ in range(BINS):
        inside = [one for one in candidates if min(int(one.score * BINS), BINS - 1) == bin_]
        if inside:
            score = statistics.fmean(one.score for one in inside)
            correct = statistics.fmean(float(one.correct) for one in inside)
            rows.append({"from": bin_ / BINS, "solutions": len(inside), "score": score, "correct": correct})
    return rows


def calibration_error(candidates: Sequence[Candidate]) -> float:
    """Mean distance of score and share correct over the reliability table, weighted by solutions."""
    gaps = [row["solutions"] * abs(row["score"] - row["correct"]) for row in calibration(candidates)]
    return sum(gaps) / len(candidates)


def best_of(candidates: Sequence[Candidate]) -> bool:
    """Whether the solution with the highest score is correct; the first of equal ones is taken."""
    return max(candidates, key=lambda candidate: candidate.score).correct


def majority(candidates: Sequence[Candidate], *, weighted: bool) -> bool:
    """Whether the answer given most often is correct; `weighted` counts each vote by its score (Math-Shepherd).

    Solutions without an answer do not vote; of equal counts the answer that came first wins."""
    answers = [candidate.answer for candidate in candidates]
    ballots = [[candidates[place] for place in places] for places in clusters(answers)]
    if not ballots:
        return False
    return max(ballots, key=lambda ballot: sum(one.score if weighted else 1.0 for one in ballot))[0].correct


def ranking_report(by_question: Sequence[Sequence[Candidate]]) -> dict[str, object]:
    """All of the above for questions with several solutions each; shares in [0, 1]."""
    flat = [candidate for candidates in by_question for candidate in candidates]
    mean = statistics.fmean
    return {
        "questions": len(by_question),
        "solutions": len(flat),
        "share_correct": mean(float(one.correct) for one in flat),
        "accuracy": mean(float((one.score >= 0.5) == one.correct) for one in flat),
        "auc": area_under_curve(flat),
        "calibration_error": calibration_error(flat),
        "calibration": calibration(flat),
        "pass_at_1": mean(mean(float(one.correct) for one in candidates) for candidates in by_question),
        "majority": mean(float(majority(candidates, weighted=False)) for candidates in by_question),
        "weighted_majority": mean(float(majority(candidates, weighted=True)) for candidates in by_question),
        "best_of_n": mean(float(best_of(candidates)) for candidates in by_question),
        "pass_at_n": mean(float(any(one.correct for one in candidates)) for candidates in by_question),
    }
