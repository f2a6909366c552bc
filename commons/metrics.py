"""Metrics of a run: one JSON line per step in `metrics.jsonl`, and the same numbers for TensorBoard.

They live in `logs/`, outside the digest, since they hold times. A resumed run drops the rows after its checkpoint.
"""

import json
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

from commons.files import write_atomic

METRICS = "metrics.jsonl"
EVENTS = "tensorboard"


class MetricsLog:
    """Writer of `folder/metrics.jsonl` and `folder/tensorboard/`; use it as a context manager."""

    def __init__(self, folder: Path, *, keep_steps_up_to: int | None = None) -> None:
        """Starts empty, or keeps the rows up to a step when a run goes on from that step's checkpoint."""
        from tensorboardX import SummaryWriter  # it imports torch where there is one: a second to who logs nothing

        folder.mkdir(parents=True, exist_ok=True)
        kept = [] if keep_steps_up_to is None else read_metrics(folder)
        kept = [row for row in kept if row["step"] <= (keep_steps_up_to or 0)]
        shutil.rmtree(folder / EVENTS, ignore_errors=True)
        self._events = SummaryWriter(str(folder / EVENTS), write_to_disk=True)
        write_atomic(folder / METRICS, "".join(json.dumps(row) + "\n" for row in kept))
        self._file = (folder / METRICS).open("a", encoding="utf-8")
        for row in kept:
            self._show(row)

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """Appends one row: the step, the time in seconds since the epoch, and `values` by name."""
        row = {"step": step, "time": round(time.time(), 3), **values}
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        self._show(row)

    def _show(self, row: Mapping[str, float]) -> None:
        for name, value in row.items():
            if name not in ("step", "time"):
                self._events.add_scalar(name, value, global_step=int(row["step"]), walltime=row["time"])

    def close(self) -> None:
        """Flushes both files."""
        self._file.close()
        self._events.close()

    def __enter__(self) -> "MetricsLog":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_metrics(folder: Path) -> list[dict[str, float]]:
    """The rows of `folder/metrics.jsonl` in order; a last line cut off by a kill is left out."""
    path = folder / METRICS
    if not path.exists():
        return []
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return rows
