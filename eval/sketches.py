"""miniF2F: each proof as a file for Isabelle, and its check by a command of the user (section 2.3's formal column).

No score without a checker: a proof that nobody checked is "not graded", never wrong. A theory can run programs while
it is checked, so the command must keep it contained; nothing is run here but that command."""

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from commons.answers.extraction import cut_at_stops
from commons.files import write_atomic
from commons.verdicts import Grade, Verdict
from eval.graders import PROOFS
from eval.items import Item
from eval.outputs import Answer

GAPS = re.compile(r"\b(?:sorry|oops|axiomatization|quick_and_dirty)\b")
PROVED, NOT_PROVED = 0, 1


def sketch(item: Item, answer: Answer) -> str:
    """The theory: header, statement, what the model wrote behind it."""
    proof, _ = cut_at_stops(answer.text, ["Informal:"])
    return f"{item.header.rstrip()}\n\n{item.formal}\n{proof.strip()}\n\nend\n"


def export(folder: Path, items: Mapping[str, Item], answers: Sequence[Answer]) -> dict[str, Path]:
    """Writes one file for each proof and returns the paths by item id. A file is named after its theory."""
    found = {}
    for answer in answers:
        item = items[answer.id]
        if item.benchmark in PROOFS and not answer.failure:
            name = re.sub(r"\W", "_", item.subject or item.id)
            found[item.id] = folder / item.benchmark / f"{name}.thy"
            write_atomic(found[item.id], sketch(item, answer))
    return found


def checked(paths: Mapping[str, Path], command: Sequence[str], seconds: float) -> dict[str, Grade | str]:
    """What the checker says about each file: a verdict, or why there is none. Without a command it says nothing."""
    return {name: _check(path, command, seconds) for name, path in paths.items()} if command else {}


def _check(path: Path, command: Sequence[str], seconds: float) -> Grade | str:
    gap = GAPS.search(path.read_text(encoding="utf-8"))
    if gap is not None:
        return Grade(Verdict.WRONG, f"the proof leaves a step out: {gap[0]}", None)
    try:
        ended = subprocess.run([*command, str(path)], capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return Grade(Verdict.TIMED_OUT, f"the check took more than {seconds:g} s", None)
    except OSError as error:
        return f"the checker could not be started: {error}"
    if ended.returncode == PROVED:
        return Grade(Verdict.CORRECT, "proved", None)
    if ended.returncode == NOT_PROVED:
        return Grade(Verdict.WRONG, "not proved", None)
    return f"the checker ended with exit code {ended.returncode}"
