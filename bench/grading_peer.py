"""Math-Verify on the rows that bench.grading sends; run by the Python of its own environment, never imported by ours.

Its settings are those of its own test suite: boxes first, the row's kinds of answer, the row's precision."""

import json
import sys
import time

from math_verify import ExprExtractionConfig, LatexExtractionConfig, StringExtractionConfig, parse, verify


def targets(kinds):
    """The extraction configurations of a row."""
    latex = LatexExtractionConfig(boxed_match_priority=0)
    if "Letters" in kinds:
        return [StringExtractionConfig(strings=("A", "B", "C", "D"))]
    found = [latex] if "latex" in kinds or not kinds else []
    return found + ([ExprExtractionConfig()] if "expr" in kinds or not kinds else [])


def says(row):
    """What it says of one pair."""
    kinds = targets(row["match_types"])
    digits = row["extra"].partition("precision=")[2]
    rounding = (int(digits) if digits.isdigit() else 2) if digits else 6
    # those rows are bare LaTeX, which it reads between delimiters only
    bare = row["source"].startswith("hendrycks")
    texts = [f"${row[name]}$" if bare else row[name] for name in ("gold", "pred")]
    gold, pred = (parse(text, kinds, parsing_timeout=60) for text in texts)
    allowed = "allow_set_relation_comp" in row["extra"] and row["equal"]
    return bool(verify(gold, pred, float_rounding=rounding, allow_set_relation_comp=allowed, timeout_seconds=60))


def graded(outputs):
    """What it says of outputs; a gold is parsed once for the outputs of its question."""
    golds = {gold: parse(f"\\boxed{{{gold}}}", parsing_timeout=60) for _, gold, _ in outputs}
    return [
        bool(verify(golds[gold], parse(output, parsing_timeout=60), timeout_seconds=60)) for output, gold, _ in outputs
    ]


def best_rate(work, n, rounds):
    """Answers a second in the best of some rounds, after one that warms up."""
    work()
    seconds = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        seconds.append(time.process_time() - started)
    return n / min(seconds)


asked = json.load(sys.stdin)
figures = {
    "said": [says(row) for row in asked["pairs"]],
    "right": graded(asked["outputs"]),
    "pairs_per_second": best_rate(lambda: [says(row) for row in asked["pairs"]], len(asked["pairs"]), asked["rounds"]),
    "outputs_per_second": best_rate(lambda: graded(asked["outputs"]), len(asked["outputs"]), asked["rounds"]),
}
print(json.dumps(figures))
