"""The numbers of a step, by the names that other systems use (docs/artifacts.md), and the steps that teach nothing."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from commons.errors import DataError
from commons.verdicts import Verdict
from rl.rollouts import Judged

UNREAD = (Verdict.NO_ANSWER, Verdict.UNPARSED)


def rollout_measures(judged: Sequence[Judged]) -> dict[str, float]:
    """Rewards, lengths and verdicts of the outputs of one step."""
    kept = [one for one in judged if one.reward is not None]
    verdicts = Counter(one.grade.verdict for one in judged)
    values = {**_lengths(judged), "not_judged": float(len(judged) - len(kept))}
    values["parse_failure_rate"] = sum(verdicts[verdict] for verdict in UNREAD) / len(judged)
    values["grader_timeout_rate"] = verdicts[Verdict.TIMED_OUT] / len(judged)
    for verdict in Verdict:
        values[f"verdict/{verdict.value.replace(' ', '_')}"] = verdicts[verdict] / len(judged)
    if kept:
        values |= _rewards(kept)
    return values


def _rewards(kept: Sequence[Judged]) -> dict[str, float]:
    groups = rewards_by_group(kept)
    best, worst = max(one.reward or 0.0 for one in kept), min(one.reward or 0.0 for one in kept)
    advantages = [one.advantage or 0.0 for one in kept]
    correct = [{one.grade.correct for one in kept if one.rollout.group == group} for group in groups]
    values = {
        "reward": statistics.fmean(one.reward or 0.0 for one in kept),
        "reward_std": statistics.fmean(statistics.pstdev(rewards) for rewards in groups.values()),
        "reward_min": worst,
        "reward_max": best,
        "frac_reward_zero_std": _share(min(rewards) == max(rewards) for rewards in groups.values()),
        "frac_all_correct": _share(seen == {True} for seen in correct),
        "frac_all_wrong": _share(seen == {False} for seen in correct),
        "advantage_min": min(advantages),
        "advantage_max": max(advantages),
    }
    for name in ("rule", "model"):
        given = [value for one in kept if (value := getattr(one, name)) is not None]
        if given:
            values |= {f"rewards/{name}/mean": statistics.fmean(given), f"rewards/{name}/std": statistics.pstdev(given)}
    return values


def rewards_by_group(judged: Sequence[Judged]) -> dict[int, list[float]]:
    """The rewards of each group; groups without any are left out."""
    groups = defaultdict(list)
    for one in judged:
        if one.reward is not None:
            groups[one.rollout.group].append(one.reward)
    return dict(groups)


def _lengths(judged: Sequence[Judged]) -> dict[str, float]:
    lengths = [len(one.rollout.output_tokens) for one in judged]
    ended = [len(one.rollout.output_tokens) for one in judged if one.rollout.finished]
    values = {
        "completions/mean_length": statistics.fmean(lengths),
        "completions/min_length": float(min(lengths)),
        "completions/max_length": float(max(lengths)),
        "completions/clipped_ratio": 1 - len(ended) / len(lengths),
    }
    if ended:
        values |= {
            "completions/mean_terminated_length": statistics.fmean(ended),
            "completions/min_terminated_length": float(min(ended)),
            "completions/max_terminated_length": float(max(ended)),
        }
    return values


def _share(claims: Iterable[bool]) -> float:
    return statistics.fmean(map(float, claims))


@dataclass(frozen=True, slots=True)
class Streaks:
    """How many steps in a row taught nothing, by the reason; part of the checkpoint."""

    truncated: int = 0
    equal: int = 0

    def after(self, values: Mapping[str, float]) -> "Streaks":
        """The streaks after one more step with these measures."""
        all_equal = values.get("frac_reward_zero_std", 1.0) == 1.0
        return Streaks(
            truncated=self.truncated + 1 if values["completions/clipped_ratio"] == 1.0 else 0,
            equal=self.equal + 1 if all_equal else 0,
        )


def stop_a_run_that_cannot_learn(streaks: Streaks, *, patience: int) -> None:
    """Raises DataError once `patience` steps in a row taught nothing, with the reason and what to change."""
    if streaks.truncated >= patience:
        raise DataError(
            f"all outputs of the last {streaks.truncated} steps hit the length limit, so no answer was complete: "
            "raise `max_output_tokens`, or check that the policy was taught to end its solutions"
        )
    if streaks.equal >= patience:
        raise DataError(
            f"in the last {streaks.equal} steps all outputs of each question earned the same reward, so all advantages "
            "are 0 and nothing can be learnt: ask questions that the policy solves sometimes, check the gold answers"
        )
