"""The recipe as data: which command makes which artifact of a run from which others (the Makefile runs it).

Paths are relative to the folder of a run. A test holds this table against what `make -n all` would run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Step:
    """One artifact of a run: the Make target, the command, where it goes, its inputs by flag, its own settings."""

    target: str
    module: str
    out: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()


def _evaluation(label: str, model: str) -> Step:
    inputs = {"model": model, "questions": "questions"}
    return Step("eval", "eval", f"eval/{label}", inputs, (f"label={label}",))


RECIPE = (
    Step("crawl", "corpus.sample", "crawl"),
    Step(
        "corpus",
        "corpus",
        "corpus",
        {"crawl": "crawl", "seed-pages": "crawl/seeds.txt", "benchmarks": "crawl/benchmarks"},
    ),
    Step("base", "pretrain.base", "base", {"corpus": "corpus"}),
    Step("pretrain", "pretrain", "pretrain", {"base": "base", "corpus": "corpus"}),
    Step("questions", "sft.questions", "questions"),
    Step("sft", "sft", "sft", {"base": "pretrain", "questions": "questions"}),
    Step("reward", "rl.reward", "reward", {"base": "pretrain", "policy": "sft", "questions": "questions"}),
    Step("rl", "rl", "rl", {"policy": "sft", "questions": "questions", "reward-model": "reward"}),
    _evaluation("base", "pretrain"),
    _evaluation("instruct", "sft"),
    _evaluation("rl", "rl"),
    Step(
        "report",
        "eval.report",
        "report",
        {
            "base": "eval/base",
            "instruct": "eval/instruct",
            "rl": "eval/rl",
            "corpus": "corpus",
            "pretrain": "pretrain",
            "sft": "sft",
            "reward-model": "reward",
            "policy": "rl",
        },
    ),
)
