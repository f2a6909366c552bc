"""The strict grader beside Math-Verify on labelled pairs and on real outputs: agreement, F1, answers a second.

`make bench NAME=grading` grades the distinct (gold, prediction) pairs of graders/pairs.dev.jsonl with each row's
settings, then the 800 recorded outputs of sft/qwen_math_cot_100x8_samples.jsonl. Both graders read text and extract
the answer themselves, in one process, warm, best of three rounds in CPU seconds; our caches are emptied before each.
The labels are those of public test suites: what their authors want of a grader, not always what is true (SET_ASIDE).
DSM_SHARED (default ../shared) is where the rows are.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from bench.rl_gain import line
from commons.answers import choices, numeric, reading, trees, units
from commons.answers.comparing import Rules, matches
from commons.answers.extraction import find_answer, last_number
from commons.equivalence import gold_value, grade

ROUNDS = 3
PEER = "Math-Verify 0.9"
PINS = ("math-verify==0.9.0", "latex2sympy2_extended==1.11.0", "antlr4-python3-runtime==4.13.2")
# sha256 prefix of gold, NUL, prediction -> why its label is set aside in `agreement_corrected` (never in `agreement`)
SET_ASIDE: dict[str, str] = {}
CACHED = (
    reading.parse, trees.exact, numeric.identical, numeric.real_value, units.canonical, gold_value,
)  # fmt: skip


def main() -> None:
    """Prints one JSON line per figure."""
    data = Path(os.environ.get("DSM_SHARED", "../shared")) / "data"
    pairs, outputs = distinct_pairs(data), recorded_outputs(data)
    said = [says_equal(row["gold"], row["pred"], row) for row in pairs]
    swapped = [says_equal(row["pred"], row["gold"], row) for row in pairs]
    labels = [bool(row["equal"]) for row in pairs]
    peer = peer_figures(pairs, outputs)
    print(line("agreement", agreement(said, labels), "fraction", len(pairs), PEER, agreement(peer["said"], labels)))
    kept = [place for place, row in enumerate(pairs) if key_of(row) not in SET_ASIDE]
    corrected = agreement([said[place] for place in kept], [labels[place] for place in kept])
    corrected_peer = agreement([peer["said"][place] for place in kept], [labels[place] for place in kept])
    print(line("agreement_corrected", corrected, "fraction", len(kept), PEER, corrected_peer))
    print(line("agreement_of_always_equal", agreement([True] * len(labels), labels), "fraction", len(labels)))
    ours, theirs = scores(said, labels), scores(peer["said"], labels)
    for name in ours:
        unit = "pairs" if name.startswith("false") else "fraction"
        print(line(name, ours[name], unit, len(pairs), PEER, theirs[name]))
    print(line("asymmetric", sum(a != b for a, b in zip(said, swapped, strict=True)), "pairs", len(pairs)))
    speed = best_rate(lambda: [says_equal(row["gold"], row["pred"], row) for row in pairs], len(pairs))
    print(line("answers_per_second", speed, "pairs/s", len(pairs), PEER, peer["pairs_per_second"]))
    speed = best_rate(lambda: [grade(output, gold) for output, gold, _ in outputs], len(outputs))
    print(line("answers_per_second_outputs", speed, "outputs/s", len(outputs), PEER, peer["outputs_per_second"]))
    recorded = [label for _, _, label in outputs]
    right = [grade(output, gold).correct for output, gold, _ in outputs]
    figure = agreement(right, recorded)
    print(line("agreement_outputs", figure, "fraction", len(outputs), PEER, agreement(peer["right"], recorded)))
    for row, ours_says in zip(pairs, said, strict=True):
        if ours_says != bool(row["equal"]):
            print(json.dumps({"disagrees": key_of(row), "says": ours_says, "test": row["test"], "reason": why(row)}))


def agreement(said: list[bool], labels: list[bool]) -> float:
    """Share of pairs on which both say the same."""
    return sum(a == b for a, b in zip(said, labels, strict=True)) / len(labels)


def scores(said: list[bool], labels: list[bool]) -> dict[str, float]:
    """Precision, recall and F1 of "equal", and the wrong verdicts of both kinds."""
    right = sum(a and b for a, b in zip(said, labels, strict=True))
    precision, recall = right / max(1, sum(said)), right / max(1, sum(labels))
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / max(precision + recall, 1e-9),
        "false_positives": float(sum(said) - right),
        "false_negatives": float(sum(labels) - right),
    }


def best_rate(work: Callable[[], object], n: int) -> float:
    """Answers a second in the best of ROUNDS rounds, each with empty caches: no answer is looked up from the last."""
    work()
    seconds = []
    for _ in range(ROUNDS):
        for cached in CACHED:
            cached.cache_clear()
        started = time.process_time()
        work()
        seconds.append(time.process_time() - started)
    return n / min(seconds)


def key_of(row: dict[str, Any]) -> str:
    """The name of a pair in SET_ASIDE: its rows are not ours to print."""
    return sha256(f"{row['gold']}\0{row['pred']}".encode()).hexdigest()[:12]


def why(row: dict[str, Any]) -> str:
    """The reason for which a pair is set aside, else "counted"."""
    return SET_ASIDE.get(key_of(row), "counted")


def distinct_pairs(data: Path) -> list[dict[str, Any]]:
    """The rows with each (gold, prediction) once: the first. One pair has both labels, for two values of a setting
    that the rows do not give."""
    seen: dict[tuple[str, str], dict[str, Any]] = {}
    for text in (data / "graders" / "pairs.dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(text)
        seen.setdefault((row["gold"], row["pred"]), row)
    return list(seen.values())


def rules_of(row: dict[str, Any]) -> Rules:
    """The rules that a row's settings stand for. `precision` counts decimals: what is equal to that many is equal."""
    _, _, precision = row["extra"].partition("precision=")
    if not precision:
        return Rules()
    digits = int(precision) if precision.isdigit() else 2  # of unknown value: the rows themselves round to two
    return Rules(decimal_digits=digits, gold_digits=digits)


def says_equal(gold: str, pred: str, row: dict[str, Any]) -> bool:
    """What the strict grader says: both texts are searched for their answer, as in the peer's suite."""
    if "Letters" in row["match_types"]:
        one, other = choices.find_choice(gold), choices.find_choice(pred)
        return one is not None and other is not None and sorted(one.text) == sorted(other.text)
    only_numbers = row["match_types"] == "['expr']"
    wanted, given = (last_number(text) if only_numbers else find_answer(text, guess=True) for text in (gold, pred))
    if wanted is None or given is None:
        return False
    first, second = reading.parse(given.text), reading.parse(wanted.text)
    return first is not None and second is not None and matches(first, second, rules_of(row))


def recorded_outputs(data: Path) -> list[tuple[str, str, bool]]:
    """(output, gold, recorded label) of the 100 x 8 outputs."""
    text = (data / "sft" / "qwen_math_cot_100x8_samples.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(row) for row in text.splitlines()]
    return [
        (output, row["gt"], bool(label))
        for row in rows
        for output, label in zip(row["code"], row["score"], strict=True)
    ]


def peer_figures(pairs: list[dict[str, Any]], outputs: list[tuple[str, str, bool]]) -> dict[str, Any]:
    """What Math-Verify says of the same pairs and outputs, and its rates, measured in an environment of its own."""
    folder = Path(".venv-bench") / "math-verify"
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *PINS], check=True, stdout=subprocess.DEVNULL)
    script = Path(__file__).with_name("grading_peer.py")
    asked = json.dumps({"pairs": pairs, "outputs": outputs, "rounds": ROUNDS})
    done = subprocess.run([python, script], input=asked, check=True, capture_output=True, text=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


if __name__ == "__main__":
    main()
