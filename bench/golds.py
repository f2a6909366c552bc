"""Golds that the grader cannot grade: `make bench NAME=golds` lists each with its reason, then the share per benchmark.

A gold is graded against itself and against four rewritings that change nothing: other spacing, \\dfrac for \\frac,
\\left and \\right at its brackets, a full stop or a unit behind it. Equal text is no short cut here: the typed values
are compared. miniF2F has no gold answers: its proofs are not graded here."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from bench.rl_gain import line
from commons.answers.boxes import last_boxed
from commons.answers.comparing import equivalent_values
from commons.answers.reading import parse
from commons.answers.values import Scalar

FIELDS = {
    "gsm8k": "answer", "math": "solution", "ocw": "answer", "sat": "Answer", "mmlu_stem": "answer", "cmath": "golden",
    "mgsm_zh": "answer", "gaokao_mathcloze": "answer", "gaokao_mathqa": "label",
}  # fmt: skip
OPERATOR = re.compile(r"(?<=[0-9a-z)}])\s*([+=/])\s*(?=[0-9a-z({\\])")
BRACKET = re.compile(r"(?<!\\left)(?<!\\right)(?<![\\A-Za-z])([()\[\]])")


def gold_of(name: str, row: dict[str, object]) -> str:
    """The answer of a row of a benchmark."""
    text = str(row[FIELDS[name]])
    if name == "math":
        return last_boxed(text) or ""
    return text.rpartition("####")[2].strip()


def golds(data: Path) -> Iterator[tuple[str, str]]:
    """(benchmark, gold) of every test item."""
    for name in FIELDS:
        for row in (data / "benchmarks" / f"{name}.test.jsonl").read_text(encoding="utf-8").splitlines():
            yield name, gold_of(name, json.loads(row))


def rewritings(gold: str) -> dict[str, str]:
    """The same answer in other clothes."""
    sides = {"(": "\\left(", "[": "\\left[", ")": "\\right)", "]": "\\right]"}
    plain = "\\left" not in gold and "\\{" not in gold and "sqrt[" not in gold and "\\text{(" not in gold
    value = parse(gold)
    bare = (
        isinstance(value, Scalar) and not value.unit and not value.percent and gold[-1:].isdigit() and "_" not in gold
    )
    return {
        "spacing": f" {OPERATOR.sub(lambda found: f' {found[1]} ', gold)} ",
        "dfrac": gold.replace("\\frac", "\\dfrac"),
        "left_right": BRACKET.sub(lambda found: sides[found[1]], gold) if plain else gold,
        "period": gold + ".",
        "unit": gold + "\\text{ units}" if bare else gold + " .",
    }


def fault(gold: str) -> str:
    """Why a gold cannot be graded; "" when it can."""
    value = parse(gold)
    if value is None:
        return "cannot be read"
    if not equivalent_values(value, value):
        return "is not equal to itself"
    for name, text in rewritings(gold).items():
        other = parse(text)
        if other is None or not equivalent_values(value, other):
            return f"is not equal to its rewriting ({name}): {text}"
    return ""


def main() -> None:
    """Prints the golds at fault, then one JSON line per benchmark."""
    data = Path(os.environ.get("DSM_SHARED", "../shared")) / "data"
    counts: dict[str, list[int]] = {}
    for name, gold in golds(data):
        found = fault(gold)
        counts.setdefault(name, []).append(bool(found))
        if found:
            print(json.dumps({"benchmark": name, "gold": gold, "reason": found}, ensure_ascii=False))
    for name, faults in counts.items():
        print(line(f"ungradable_{name}", sum(faults) / len(faults), "fraction", len(faults)))


if __name__ == "__main__":
    main()
