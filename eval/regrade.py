"""`python -m eval.regrade FOLDER [DIFF.jsonl]`: grade a finished evaluation's outputs again, without a model.

Prints each verdict that is another now than the artifact has it, and the accuracy before and after. The artifact stays
as it is: a changed grader has a protocol of its own, so `python -m eval --generations FOLDER/samples.jsonl.zst`
makes a new one."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from commons.artifacts import open_artifact
from commons.errors import ConfigError, ProjectError
from commons.shards import read_jsonl, write_jsonl
from eval.graders import PROOFS
from eval.grading import graded, sample_row
from eval.saved import answer_of, item_of

Row = dict[str, Any]
USAGE = "python -m eval.regrade FOLDER [DIFF.jsonl], an evaluation as in runs/tiny/eval/rl"
GRADERS = ("strict", "paper")


def changes(rows: Iterable[Row]) -> Iterator[Row]:
    """One row for each verdict that changed. Proofs keep theirs: their checker is not run here."""
    for row in rows:
        if row["benchmark"] in PROOFS:
            continue
        now = sample_row(row["mode"], graded(item_of(row), answer_of(row)))
        for grader in GRADERS:
            names = [f"{grader}_{part}" for part in ("verdict", "answer", "reason")]
            before, after = (tuple(one[name] for name in names) for one in (row, now))
            if before[:2] != after[:2]:
                key = {name: row[name] for name in ("id", "mode", "sample", "benchmark", "gold")}
                yield {**key, "grader": grader, "before": list(before), "after": list(after)}


def line(change: Row) -> str:
    """A change for people."""
    (verdict, answer, _), (now, other, reason) = change["before"], change["after"]
    place = f"{change['id']} {change['mode']} {change['sample']} {change['grader']}"
    return f"{place}: {verdict} ({answer}) -> {now} ({other}); {reason}"


def main(arguments: Sequence[str]) -> int:
    """Exit code of the command."""
    try:
        if not 1 <= len(arguments) <= 2:
            raise ConfigError(f"{len(arguments)} arguments; accepted: {USAGE}")
        artifact = open_artifact(Path(arguments[0]), "evaluation")
        rows = list(read_jsonl(artifact.path / "samples.jsonl.zst"))
        found = list(changes(rows))
        for change in found:
            print(line(change))
        if len(arguments) == 2:
            write_jsonl(Path(arguments[1]), found)
        for grader in GRADERS:
            print(_total(grader, rows, [change for change in found if change["grader"] == grader]))
    except ProjectError as error:
        print(f"eval.regrade: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _total(grader: str, rows: Sequence[Row], found: Sequence[Row]) -> str:
    before = sum(row[f"{grader}_verdict"] == "correct" for row in rows)
    gained = sum(change["after"][0] == "correct" != change["before"][0] for change in found)
    lost = sum(change["before"][0] == "correct" != change["after"][0] for change in found)
    return (
        f"{grader:<8}{len(rows):,} outputs, {len(found)} verdicts changed; "
        f"correct {before:,} -> {before + gained - lost:,} ({gained} gained, {lost} lost)"
    )


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
