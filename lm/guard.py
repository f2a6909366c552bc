"""When an optimiser step is refused: its loss or gradient is no number, or its loss is a spike."""

from collections.abc import Sequence
from math import isfinite
from statistics import median
from typing import Literal

from pydantic import Field

from commons.config import Config
from commons.errors import ProjectError

WINDOW = 64  # applied steps whose median loss a spike is measured against
LEAST = 16  # steps that have to be there before anything counts as a spike


class BadSteps(Config):
    """What is done about a step whose loss or gradient is no finite number, or whose loss is a spike."""

    action: Literal["stop", "skip"] = "stop"
    """Stop the run, or leave the step out: weights and optimiser stay, the data goes on. [-; ours]"""
    spike_factor: float | None = Field(default=None, gt=1)
    """A loss above this multiple of the median of the last 64 applied steps is a spike; absent, none is. [-; ours]"""
    in_a_row: int = Field(default=10, ge=1)
    """With `skip`, the run stops after so many skipped steps one after the other. [steps; ours]"""


class BadStep(ProjectError):
    """A step was refused and the run stops; the last checkpoint stands."""

    exit_code = 5


def is_bad(loss: float, recent: Sequence[float], rule: BadSteps) -> bool:
    """Whether a step with this loss is refused; `recent` are the losses of the applied steps before it."""
    if not isfinite(loss):
        return True
    if rule.spike_factor is None or len(recent) < LEAST:
        return False
    return loss > rule.spike_factor * median(recent[-WINDOW:])


def stop_if_told(step: int, loss: float, grad_norm: float, refused_in_a_row: int, rule: BadSteps) -> None:
    """Raises BadStep when a refused step ends the run under `rule`."""
    what = f"step {step} was refused: loss {loss:.4g}, gradient norm {grad_norm:.4g}"
    if rule.action == "stop":
        raise BadStep(
            f"{what}; the same command goes on from the last checkpoint: `bad_steps.action=skip` leaves such steps "
            "out, a lower learning rate may avoid them"
        )
    if refused_in_a_row >= rule.in_a_row:
        raise BadStep(f"{what}, as were the {refused_in_a_row - 1} before it: training diverges, lower the rate")
