"""What a model wrote, one row a sample: plain values, no model and no torch, so that grading again needs neither."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from commons.sandbox import ProgramRun


@dataclass(frozen=True, slots=True)
class Answer:
    """One output of a question, with the blocks of program output that the runner put in, and the runs themselves."""

    id: str
    sample: int
    text: str
    finished: bool  # False when the length limit came first
    rounds: int
    runs: tuple[ProgramRun, ...]
    stopped: bool = False  # a stop word or the next question ended it, not the model
    prompt: str = ""  # the exact text before it
    failure: str = ""  # why there is no output; then nothing is graded

    @property
    def finish(self) -> str:
        """How it ended: `end`, `stop` (a stop word) or `length`."""
        if not self.finished:
            return "length"
        return "stop" if self.stopped else "end"


def to_row(answer: Answer) -> dict[str, object]:
    """The answer as a JSON row. Seconds of a run are left out: they differ each time."""
    return {
        "id": answer.id,
        "sample": answer.sample,
        "text": answer.text,
        "finished": answer.finished,
        "rounds": answer.rounds,
        "runs": [run_row(run) for run in answer.runs],
        "stopped": answer.stopped,
        "prompt": answer.prompt,
        "failure": answer.failure,
    }


def run_row(run: ProgramRun) -> dict[str, str]:
    """A program run as a JSON row."""
    return {"status": run.status, "stdout": run.stdout, "error": run.error}


def from_row(row: Mapping[str, Any]) -> Answer:
    """The answer of a row that `to_row` made."""
    return Answer(**{**row, "runs": tuple(ProgramRun(**run, seconds=0.0) for run in row["runs"])})
