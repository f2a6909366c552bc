"""Everything that the report shows, read from finished artifacts into plain values: no markup here."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from commons.artifacts import Artifact
from commons.errors import DataError
from commons.metrics import read_metrics
from commons.shards import read_jsonl
from eval.compare import comparisons
from eval.graders import NOT_GRADED
from eval.significance import Paired
from eval.voting import wilson

Row = dict[str, Any]
Points = tuple[tuple[float, float], ...]
MODELS = ("base", "instruct", "control", "rl", "run", "other")  # of a recipe; of any two evaluations
PAIRS = (("instruct", "rl"), ("control", "rl"), ("instruct", "control"), ("base", "instruct"), ("run", "other"))


@dataclass(frozen=True)
class Evaluation:
    """One evaluated model: the rows of its results and all its graded answers."""

    name: str
    artifact: Artifact
    rows: list[Row]
    samples: list[Row]
    isolation: str
    protocol: Row  # of protocol.json; empty for an evaluation that has none

    def greedy(self, split: str | None = None) -> list[Row]:
        """The greedy answers, of one split or of all."""
        return [row for row in self.samples if row["mode"] == "greedy" and split in (None, row["split"])]

    def answers(self, split: str | None = None) -> list[Row]:
        """The greedy answers, or, where a run has none, all samples; of one split or of all."""
        return self.greedy(split) or [row for row in self.samples if split in (None, row["split"])]


@dataclass(frozen=True)
class Findings:
    """What the report is about. Curves by stage and metric name; what was not given is empty."""

    evaluations: dict[str, Evaluation]
    gains: dict[str, dict[str, Paired]]  # "instruct to rl" -> split -> paired comparison
    curves: dict[str, dict[str, Points]]
    funnel: list[Row]
    digests: dict[str, str]
    parameters: int | None = None  # of the models, where a training stage says so
    contamination: dict[str, int] | None = None  # hits of each benchmark in the corpus, where one is given

    @property
    def after(self) -> Evaluation:
        """The evaluation that the others lead up to: the last one."""
        return list(self.evaluations.values())[-1]


def findings(inputs: Mapping[str, Artifact], *, seed: int) -> Findings:
    """Read all inputs."""
    evaluations = {name: read_evaluation(name, inputs[name]) for name in MODELS if name in inputs}
    gains = {
        f"{before} to {after}": compared
        for before, after in PAIRS
        if before in inputs and after in inputs and (compared := _compared(inputs[before], inputs[after], seed))
    }
    trained = ("pretrain", "sft", "reward-model", "policy")
    curves = {name: curves_of(inputs[name]) for name in trained if name in inputs}
    sizes = [inputs[name].counts.get("parameters") for name in ("pretrain", "sft", "policy") if name in inputs]
    return Findings(
        evaluations,
        gains,
        curves,
        funnel_of(inputs),
        {name: inputs[name].digest for name in sorted(inputs)},
        parameters=next((size for size in sizes if size), None),
        contamination=contamination_of(inputs),
    )


def _compared(before: Artifact, after: Artifact, seed: int) -> dict[str, Paired]:
    """The paired comparison by split. Raises DataError where the two were not asked the same questions."""
    try:
        return comparisons(before, after, seed=seed)
    except ValueError as error:
        raise DataError(
            f"{before.path} and {after.path} cannot be compared: {error}; evaluate both on the same questions"
        ) from None


def contamination_of(inputs: Mapping[str, Artifact]) -> dict[str, int] | None:
    """Pages of the corpus that quoted each benchmark before they were cleaned; None without a corpus.

    A benchmark of the corpus is named by file and row, as in gsm8k.jsonl:17. One that the corpus was not compared with
    is not among them."""
    if "corpus" not in inputs:
        return None
    facts = inputs["corpus"].path / "decontamination.json"
    sources = json.loads(facts.read_text(encoding="utf-8"))["sources"] if facts.exists() else []
    pages: dict[str, set[str]] = {_stem(str(source["file"])): set() for source in sources}
    path = inputs["corpus"].path / "decontamination.jsonl"
    for row in read_jsonl(path) if path.exists() else ():
        name = _stem(str(row["benchmark"]).rpartition(":")[0])
        pages.setdefault(name, set()).add(str(row.get("url", row.get("id"))))
    return {name: len(urls) for name, urls in sorted(pages.items())}


def _stem(file: str) -> str:
    return PurePath(file).name.partition(".")[0]


def read_evaluation(name: str, artifact: Artifact) -> Evaluation:
    """One evaluation, its rows under the name that the report gives it."""
    rows = read_json(artifact, "results.json")
    isolation = read_json(artifact, "logs/isolation.json") if (artifact.logs / "isolation.json").exists() else {}
    samples = list(read_jsonl(artifact.path / "samples.jsonl.zst"))
    protocol = read_json(artifact, "protocol.json") if (artifact.path / "protocol.json").exists() else {}
    rows = [{**row, "model": name} for row in rows]
    return Evaluation(name, artifact, rows, samples, isolation.get("level", "?"), protocol)


def read_json(artifact: Artifact, name: str) -> Any:
    """A JSON file of an artifact."""
    return json.loads((artifact.path / name).read_text(encoding="utf-8"))


def curves_of(artifact: Artifact) -> dict[str, Points]:
    """The metrics of a training stage by name. Values that depend on the machine's speed are left out."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for row in read_metrics(artifact.logs):
        for name, value in row.items():
            if name not in ("step", "time") and not is_speed(name):
                curves.setdefault(name, []).append((row["step"], value))
    return {name: tuple(points) for name, points in sorted(curves.items())}


def is_speed(name: str) -> bool:
    """Whether a metric is a time or a rate in time."""
    return "time" in name.split("/")[0].split("_") or "second" in name or name.startswith(("time", "seconds"))


def funnel_of(inputs: Mapping[str, Artifact]) -> list[Row]:
    """The rows of the corpus funnel: pages, tokens and languages after each step, and what was dropped why."""
    return list(read_json(inputs["corpus"], "funnel.json")) if "corpus" in inputs else []


def by_split(evaluation: Evaluation) -> list[Row]:
    """Greedy accuracy over each whole split, with its interval."""
    rows = []
    for split in dict.fromkeys(row["split"] for row in evaluation.rows):
        answers = [row for row in evaluation.answers(split) if row["verdict"] != NOT_GRADED]
        if not answers:
            continue
        correct = sum(row["verdict"] == "correct" for row in answers)
        low, high = wilson(correct, len(answers))
        rows.append(
            {
                "model": evaluation.name,
                "split": split,
                "n": len(answers),
                "accuracy": correct / len(answers),
                "ci95": [low, high],
            }
        )
    return rows


def shown_samples(evaluations: Mapping[str, Evaluation], per_kind: int) -> list[dict[str, Row]]:
    """Questions with the greedy output of each model, some of each setting and change from instruct to RL.

    Taken in the order of the questions, not by how they look."""
    if not {"instruct", "rl"} <= evaluations.keys():
        return []
    answered = {name: {row["id"]: row for row in one.greedy()} for name, one in evaluations.items()}
    kinds: dict[tuple[str, bool, bool], int] = {}
    chosen = []
    for name, row in answered["rl"].items():
        side_by_side = {model: rows[name] for model, rows in answered.items() if name in rows}
        before = side_by_side.get("instruct", row)
        kind = (row["setting"], before["verdict"] == "correct", row["verdict"] == "correct")
        if kinds.get(kind, 0) < per_kind:
            kinds[kind] = kinds.get(kind, 0) + 1
            chosen.append(side_by_side)
    order = sorted(range(len(chosen)), key=lambda place: (_kind_order(chosen[place]), place))
    return [chosen[place] for place in order]


def _kind_order(models: Mapping[str, Row]) -> tuple[str, str]:
    return str(models["rl"]["split"]), str(models["rl"]["setting"])


def change(models: Mapping[str, Row]) -> str:
    """What happened to a question from instruct to RL."""
    before, after = (models[name]["verdict"] == "correct" for name in ("instruct", "rl"))
    return {(False, True): "gained", (True, False): "lost", (True, True): "kept", (False, False): "still wrong"}[
        before, after
    ]


def report_json(found: Findings) -> dict[str, Any]:
    """The report for programs: every figure that the pages show."""
    return {
        "results": [row for one in found.evaluations.values() for row in one.rows],
        "by_split": [row for one in found.evaluations.values() for row in by_split(one)],
        "paired": [
            {"comparison": pair, "split": split, **result.as_json()}
            for pair, splits in found.gains.items()
            for split, result in splits.items()
        ],
        "isolation": {name: one.isolation for name, one in found.evaluations.items()},
        "funnel": found.funnel,
        "last_metrics": {
            stage: {name: points[-1][1] for name, points in curves.items()} for stage, curves in found.curves.items()
        },
        "inputs": found.digests,
        "outside_of_digests": ["isolation", "last_metrics"],
    }


def curve(curves: Mapping[str, Mapping[str, Points]], stage: str, names: Sequence[str]) -> dict[str, Points]:
    """Those of the named metrics that a stage wrote; a name that ends in `/` stands for all that begin with it."""
    given = curves.get(stage, {})
    return {
        name: points
        for wanted in names
        for name, points in given.items()
        if name == wanted or (wanted.endswith("/") and name.startswith(wanted))
    }
