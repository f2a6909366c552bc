"""Protocols: everything that decides a score, as one frozen value with a hash (section 5.2 and the official code).

`paper` has the limits and the grader of the official evaluation; `strict` our grader and the limits of the config.
Two figures may be compared where their hashes are equal; where not, `protocol.json` says what differs."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from commons.errors import ConfigError
from commons.files import canonical_json
from commons.prompts import SUFFIXES
from eval.config import EvalConfig
from eval.graders import Grader
from eval.items import Item

# of the official evaluation code; temperature and K of figure 7
PAPER_LIMITS: dict[str, Any] = {
    "max_new_tokens": 1024,
    "temperature": 0.7,
    "tool.rounds": 2,
    "tool.shown_characters": 100,
    "tool.state": "replayed",
    "tool.errors": "traceback",
    "sandbox.wall_seconds": 10.0,
}
EXTRACTION = {
    "paper": "the official extraction of each benchmark",
    "strict": "last anchored answer, stops at the start of a line, no guess; options by rank, their texts last",
}
GRADER_VERSION = "2"  # raised when a verdict may change for equal outputs


@dataclass(frozen=True, slots=True)
class Task:
    """One benchmark in one setting."""

    benchmark: str
    setting: str
    questions: int
    questions_digest: str  # of what is asked, its golds and options
    template: str
    shots_digest: str
    stops: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a model was asked and graded."""

    name: str
    grader: Grader
    grader_version: str
    extraction: str
    tasks: tuple[Task, ...]
    sources: dict[str, str]  # of the questions: digest of the file, or place on the hub
    prompt_form: str
    suffixes: dict[str, str]
    greedy: dict[str, Any]
    sampled: dict[str, Any]
    tool: dict[str, Any]
    sandbox: dict[str, Any]
    checker: tuple[str, ...]

    @property
    def hash(self) -> str:
        """sha256 of all fields."""
        return hashlib.sha256(canonical_json(asdict(self))).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """Name, hash and all fields."""
        return {"hash": self.hash, **asdict(self)}


def protocol_of(
    config: EvalConfig, tasks: Sequence[Task], *, prompt_form: str, sources: Mapping[str, str] | None = None
) -> Protocol:
    """The protocol of an evaluation (section 5.2). Raises ConfigError where `paper` is asked for with other limits."""
    if config.protocol == "paper":
        _check_paper(config)
    sandbox = config.sandbox.model_dump(mode="json")
    return Protocol(
        name=config.protocol,
        grader=config.protocol,
        grader_version=GRADER_VERSION,
        extraction=EXTRACTION[config.protocol],
        tasks=tuple(tasks),
        sources=dict(sources or {}),
        prompt_form=prompt_form,
        suffixes={f"{form}-{language}": text for (form, language), text in SUFFIXES.items()},
        greedy={"temperature": 0.0, "max_new_tokens": config.max_new_tokens, "seed": config.seed},
        sampled={
            "temperature": config.temperature,
            "top_p": 1.0,
            "max_new_tokens": config.max_new_tokens,
            "samples": config.samples_per_question,
            "seed": config.seed,
        },
        tool=config.tool.model_dump(mode="json"),
        sandbox={name: value for name, value in sandbox.items() if name not in ("workers", "min_isolation")},
        checker=config.benchmarks.checker,
    )


def digest_of_items(items: Sequence[Item]) -> str:
    """sha256 of the questions with their golds and options."""
    rows = [[item.id, item.question, item.gold, item.options, item.formal] for item in items]
    return hashlib.sha256(canonical_json(rows)).hexdigest()


def _check_paper(config: EvalConfig) -> None:
    values = config.model_dump(mode="json")
    for key, wanted in PAPER_LIMITS.items():
        table, _, name = key.rpartition(".")
        given = (values[table] if table else values)[name]
        if given != wanted:
            raise ConfigError(f"protocol paper has {key} = {wanted}, not {given}: set it so, or choose protocol=strict")
