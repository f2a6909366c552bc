"""The sample browser of the report: every question with the outputs of all runs, packed into the page."""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.findings import Evaluation, Row
from eval.formulas import FORMULA, mathml_of_texts

ASSETS = Path(__file__).resolve().parent / "assets"
PRINTED_SHOWN = 1000  # characters of what a program printed
# Signs that hide or turn around what stands beside them are written out.
UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def visible(text: str) -> str:
    """The text with signs that cannot be seen, or that turn the direction of others, written as their numbers."""
    return UNSEEN.sub(lambda sign: f"<U+{ord(sign[0]):04X}>", text)


def browser(evaluations: Mapping[str, Evaluation], *, questions: int, outputs: int, formulas: int) -> str:
    """The section: at most so many questions, outputs of each by each run, and different formulas drawn."""
    shown, left_out = chosen(evaluations, questions=questions, outputs=outputs)
    texts = (text for question in shown for text in _texts(question))
    data = {
        "runs": list(evaluations),
        "questions": shown,
        "formula": FORMULA,
        "mathml": mathml_of_texts(texts, most=formulas),
    }
    packed = gzip.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8"), 9, mtime=0)
    note = f"<p class=small>{left_out}</p>" if left_out else ""
    return (
        f"{note}<div id=browser><p class=small>The browser of samples needs JavaScript.</p></div>"
        f'<script type="text/plain" id="browser-data">{base64.b64encode(packed).decode("ascii")}</script>'
        f"<script>{script()}</script>"
    )


def script() -> str:
    """The code of the browser."""
    return (ASSETS / "browser.js").read_text(encoding="utf-8")


def style() -> str:
    """Its style."""
    return (ASSETS / "browser.css").read_text(encoding="utf-8")


def policy() -> str:
    """The content security policy of the page: nothing from outside, no code but that of the browser."""
    digest = base64.b64encode(hashlib.sha256(script().encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"


def chosen(evaluations: Mapping[str, Evaluation], *, questions: int, outputs: int) -> tuple[list[dict[str, Any]], str]:
    """The questions in the order of the files with their outputs by run, and in words what was left out."""
    found: dict[str, dict[str, Any]] = {}
    cut = 0
    for run, one in evaluations.items():
        for row in one.samples:
            question = found.setdefault(row["id"], _question(row))
            rows = question["outputs"].setdefault(run, [])
            if len(rows) < outputs:
                rows.append(_output(row))
            else:
                cut += 1
    shown = list(found.values())[:questions]
    parts = []
    if len(found) > len(shown):
        parts.append(f"{len(shown):,} of {len(found):,} questions are in this page")
    if cut:
        parts.append(f"the first {outputs} outputs of a question by each run, {cut:,} more are in samples.jsonl.zst")
    return shown, "; ".join(parts)


def _question(row: Row) -> dict[str, Any]:
    names = ("id", "benchmark", "setting", "level", "subject")
    return {
        **{name: row.get(name) if row.get(name) is None else str(row[name]) for name in names},
        "question": visible(row["question"]),
        "gold": visible(row["gold"]),
        "prompt": visible(row.get("prompt") or ""),
        "outputs": {},
    }


def _output(row: Row) -> dict[str, Any]:
    return {
        "mode": row["mode"],
        "sample": row["sample"],
        "verdict": row["verdict"],
        "strict": row.get("strict_verdict", row["verdict"]),
        "paper": row.get("paper_verdict", row["verdict"]),
        "answer": None if row["answer"] is None else visible(str(row["answer"])),
        "reason": visible(row["reason"]),
        "finish": row.get("finish") or ("end" if row["finished"] else "length"),
        "output": visible(row["output"]),
        "programs": [
            {"status": run["status"], **{name: visible(run[name][-PRINTED_SHOWN:]) for name in ("stdout", "error")}}
            for run in row["programs"]
        ],
    }


def _texts(question: Mapping[str, Any]) -> Iterable[str]:
    yield question["question"]
    for rows in question["outputs"].values():
        yield from (row["output"] for row in rows)


def disagreements(samples: Sequence[Row]) -> list[Row]:
    """The outputs that one grader counts as correct and the other does not."""
    given = ((row, row.get("strict_verdict"), row.get("paper_verdict")) for row in samples)
    return [row for row, strict, paper in given if (strict == "correct") != (paper == "correct")]
