"""`python -m sft.questions --from FILE`: a questions artifact from worked examples in files (section 3.1).

GSM8K, MATH, MathInstruct, Lila, tool-integrated transcripts and our own rows come in one schema. Questions are held
out by their text, so one question in several forms stands on one side; RL asks questions that are taught (the paper
takes them from the SFT data, section 4.2), without their solutions.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from commons.artifacts import Artifact
from commons.config import Config
from commons.errors import ConfigError, DataError
from commons.ngrams import tokens
from commons.quotations import BenchmarkGrams, load_grams
from commons.sandbox_config import SandboxConfig
from commons.seeds import rng
from commons.shards import write_jsonl
from commons.stage import Inputs, Outcome, Stage, Work
from sft.checking import checked, quoting
from sft.worked import Worked, read_worked

FROM = "from"
QUOTES = "quotes a benchmark"


class FilesConfig(Config):
    """Config of `sft.questions --from`."""

    seed: int = Field(default=0, ge=0)
    """Seed of the orders. [-; ours]"""
    rl: int = Field(default=144_000, ge=1)
    """Taught questions that RL asks, at most. [questions; section 4.2]"""
    heldout: int = Field(default=2000, ge=1)
    """Held-out questions, at most. [questions; ours]"""
    heldout_per_mille: int = Field(default=20, ge=1, lt=1000)
    """Questions held out of each thousand, at least one. [questions/1000; ours]"""
    overlap: Literal["example", "question"] = "example"
    """What of an example may not quote a benchmark: question and solution, or the question alone. [-; section 2.1]"""
    sandbox: SandboxConfig = SandboxConfig()
    """The programs of the examples. [-; -]"""


def run(work: Work, config: FilesConfig, inputs: Inputs) -> Outcome:
    """Reads, checks and splits the examples; what is dropped is counted by source and reason."""
    sources = [inputs[name] for name in sorted(inputs, key=_place) if name.startswith(FROM)]
    grams = load_grams(inputs["benchmarks"].path / "grams") if "benchmarks" in inputs else None
    kept, table, programs_run = kept_of(sources, config, grams)
    if len({question_key(one.question) for one in kept}) < 2:
        raise DataError(f"fewer than two questions are left of the files; rows read and dropped: {table}")
    named = splits(kept, config)
    for split, rows in named.items():
        write_jsonl(work.folder / f"{split}.jsonl.zst", rows)
    counts = {
        "sources": table,
        "taught": rows_by_language(named["train"]),
        "programs_run": programs_run,
        "benchmarks_checked": grams is not None,
        **{split: len(rows) for split, rows in named.items()},
    }
    read, dropped = (sum(one[name] for one in table.values()) for name in ("read", "dropped"))
    sizes = ", ".join(f"{split} {len(rows):,}" for split, rows in named.items() if rows)
    unchecked = "" if grams else "; overlap with benchmarks not checked (--benchmarks)"
    return Outcome(counts, f"{sizes}; {dropped:,} of {read:,} rows dropped, {programs_run:,} programs run{unchecked}")


def kept_of(
    sources: Iterable[Artifact], config: FilesConfig, grams: BenchmarkGrams | None
) -> tuple[list[Worked], dict[str, Any], int]:
    """The examples that may be taught, in order; rows read, kept and dropped by reason of each source; programs run."""
    found = [(source.path, one) for source in sources for one in read_worked(source.path)]
    examples = [one for _, one in found if isinstance(one, Worked)]
    with config.sandbox.sandbox() as running:
        verdicts, programs_run = checked(examples, running)
    quotes = iter(quoting(examples, grams, config.overlap) if grams else [False] * len(examples))
    verdict_of = iter(verdicts)
    table: dict[str, Any] = {}
    kept, seen = [], set()
    for path, one in found:
        name = one.source if isinstance(one, Worked) else path.name.partition(".")[0]
        row = table.setdefault(name, {"read": 0, "kept": 0, "dropped": 0, "reasons": Counter()})
        row["read"] += 1
        verdict = one if isinstance(one, str) else next(verdict_of)
        if isinstance(one, Worked) and next(quotes):
            verdict = QUOTES
        if isinstance(verdict, Worked):
            key = (question_key(verdict.question), verdict.solution)
            verdict = "seen before" if key in seen else verdict
            seen.add(key)
        if isinstance(verdict, Worked):
            kept.append(verdict)
            row["kept"] += 1
        else:
            row["dropped"] += 1
            row["reasons"][verdict] += 1
    return kept, {name: row | {"reasons": dict(row["reasons"])} for name, row in sorted(table.items())}, programs_run


def splits(kept: Sequence[Worked], config: FilesConfig) -> dict[str, list[dict[str, Any]]]:
    """The rows of each split; a question stands in one of `train` and `heldout`, whatever its form."""
    keys = [question_key(one.question) for one in kept]
    distinct = sorted(set(keys))
    number = min(config.heldout, max(1, len(distinct) * config.heldout_per_mille // 1000))
    held = set(distinct[:number])
    train = [one for one, key in zip(kept, keys, strict=True) if key not in held]
    heldout = _first_of_each(one for one, key in zip(kept, keys, strict=True) if key in held)
    asked = _first_of_each(one for one in train if one.form == "cot") or _first_of_each(train)
    for split, examples in (("train", train), ("rl", asked)):
        rng(config.seed, "files", split, "order").shuffle(examples)
    asked = asked[: config.rl]
    return {
        "train": _rows("train", train),
        "rl": [row | {"solution": None, "form": "cot"} for row in _rows("rl", asked)],
        "heldout": _rows("heldout", heldout),
        "out_of_family": [],
    }


def question_key(question: str) -> str:
    """The sha256 of a question's words: what tells two questions apart, and which ones are held out."""
    return sha256(" ".join(tokens(question)).encode()).hexdigest()


def rows_by_language(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Taught rows by language (Chinese has its own row) and, within it, by form."""
    found: dict[str, Counter[str]] = {"en": Counter(), "zh": Counter()}
    for row in rows:
        found[row["language"]].update((row["form"], "all"))
    return {language: dict(sorted(counter.items())) for language, counter in found.items()}


def _first_of_each(examples: Iterable[Worked]) -> list[Worked]:
    return list({question_key(one.question): one for one in reversed(list(examples))}.values())[::-1]


def _rows(split: str, examples: Sequence[Worked]) -> list[dict[str, Any]]:
    return [
        {"id": f"{split}-{number:06d}"} | asdict(one) | {"family": one.family or one.source}
        for number, one in enumerate(examples)
    ]


def _place(name: str) -> int:
    return int(name.rpartition("-")[2]) if "-" in name else 1


def stage_for(argv: Sequence[str]) -> tuple[Stage, list[str]]:
    """The stage and its arguments for a command line in which `--from` stands once or more, each with one path or more.

    Raises ConfigError for a `--from` without a path."""
    paths: list[str] = []
    rest: list[str] = []
    left = list(argv)
    while left:
        word = left.pop(0)
        if word != f"--{FROM}":
            rest.append(word)
            continue
        taken = 0
        while left and not left[0].startswith("-") and (taken == 0 or Path(left[0]).exists()):
            paths.append(left.pop(0))
            taken += 1
        if not taken:
            raise ConfigError("--from needs a file, a folder or a questions artifact")
    names = [FROM if place == 1 else f"{FROM}-{place}" for place in range(1, len(paths) + 1)]
    flags = [word for name, path in zip(names, paths, strict=True) for word in (f"--{name}", path)]
    stage = Stage(
        name="sft.questions",
        about="Makes questions with worked solutions of other people's files, checked one by one (section 3.1).",
        config=FilesConfig,
        run=run,
        makes="questions",
        needs=dict.fromkeys(names, "questions|file|folder"),
        takes={"benchmarks": "benchmark_index"},
    )
    return stage, rest + flags
