"""The one supervised loop, shared by pre-training and fine-tuning.

The rows of a step are a pure function of the step, so a resumed run needs no replay of its data; every rank gets the
same rows and takes its share.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
from torch import Tensor
from transformers import PreTrainedModel

from commons.metrics import MetricsLog
from lm.attention import hidden_of_rows
from lm.engine import Engine
from lm.logprobs import logprobs_of
from lm.packing import Rows


@dataclass(frozen=True, slots=True)
class Trained:
    """Where training stopped."""

    steps: int
    tokens: int  # learned tokens, over all steps of this run and the ones it resumed
    stopped_by_time: bool


def train(
    engine: Engine,
    rows_of_step: Callable[[int], Rows],
    learning_rate: Callable[[int], float],
    *,
    steps: int,
    rows_per_micro_batch: int,
    checkpoints: Path,
    save_every: int,
    logs: Path,
    evaluate: Callable[[PreTrainedModel], Mapping[str, float]] | None = None,
    evaluate_every: int | None = None,
    max_seconds: float | None = None,
    progress: Callable[[range], Iterator[int]] | None = None,
) -> Trained:
    """Trains to step number `steps`, from the last checkpoint under `checkpoints` when there is one.

    Step s (from 0) learns `rows_of_step(s)` at `learning_rate(s)` with one mean over all learned tokens of the step.
    Metrics go to `logs` as row s + 1: loss, grad_norm, learning_rate, tokens, tokens_per_second, and what `evaluate`
    returns (before the first step as row 0, every `evaluate_every` steps and after the last). `max_seconds` ends
    training early by the clock, which makes the result depend on the machine: only for controls of equal cost."""
    resumed = engine.resume(checkpoints)
    first = resumed.step if resumed else 0
    tokens = resumed.state["tokens"] if resumed else 0
    seconds = resumed.state["seconds"] if resumed else 0.0
    stopped_by_time = resumed is not None and _time_is_up(engine, seconds, max_seconds)
    last_step = first if stopped_by_time else steps
    with _log(engine, logs, first if resumed else None) as log:
        if evaluate and not resumed:
            log.write(0, evaluate(engine.plain_model()))
        step = first
        for step in (progress or iter)(range(first, last_step)):
            began = time.monotonic()
            rows = rows_of_step(step)
            learned = int(rows.targets_NT.sum())
            rate = learning_rate(step)
            update = engine.step(losses_of(engine, rows, learned, rows_per_micro_batch), rate)
            took = time.monotonic() - began
            tokens, seconds = tokens + learned, seconds + took
            values = {"loss": update.loss, "grad_norm": update.grad_norm, "learning_rate": rate, "tokens": tokens}
            done = step + 1
            stopped_by_time = _time_is_up(engine, seconds, max_seconds)
            last = done == steps or stopped_by_time
            if evaluate and (last or (evaluate_every and done % evaluate_every == 0)):
                values |= evaluate(engine.plain_model())
            log.write(done, values | {"tokens_per_second": round(learned / took, 1)})
            if last or done % save_every == 0:
                engine.save(checkpoints, done, {"tokens": tokens, "seconds": seconds})
            if last:
                break
    return Trained(step + 1 if last_step > first else first, tokens, stopped_by_time)


def losses_of(engine: Engine, rows: Rows, learned: int, rows_per_micro_batch: int) -> list[Callable[[], Tensor]]:
    """This rank's micro-batches of `rows`, each loss divided by the learned tokens of all of them."""
    own = rows[engine.rank :: engine.world_size]
    cuts = range(0, len(own), rows_per_micro_batch)
    micro_batches = [own[start : start + rows_per_micro_batch].to(engine.device) for start in cuts]
    return [partial(_share, engine.model, rows, learned) for rows in micro_batches]


def _share(model: PreTrainedModel, rows: Rows, learned: int) -> Tensor:
    return summed_loss(model, rows) / learned


def summed_loss(model: PreTrainedModel, rows: Rows) -> Tensor:
    """Minus the sum of log pi over the learned tokens of `rows` (Eq. 6 without its mean).  -> []"""
    hidden_NTH = hidden_of_rows(model, rows)
    row_M, column_M = rows.targets_NT.nonzero(as_tuple=True)
    logp_M = logprobs_of(model, hidden_NTH[row_M, column_M - 1], rows.tokens_NT[row_M, column_M])
    return -logp_M.sum()


@torch.no_grad()
def held_out_loss(model: PreTrainedModel, rows: Rows, *, rows_per_micro_batch: int) -> tuple[float, int]:
    """(sum of -log pi in nats, number of learned tokens) of rows that are not trained on."""
    cuts = range(0, len(rows), rows_per_micro_batch)
    total = sum(float(summed_loss(model, rows[i : i + rows_per_micro_batch].to(model.device))) for i in cuts)
    return total, int(rows.targets_NT.sum())


def _time_is_up(engine: Engine, seconds: float, max_seconds: float | None) -> bool:
    if max_seconds is None:
        return False
    # the clocks of the ranks differ: all of them follow the sum
    return bool(engine.sum(torch.tensor(float(seconds), device=engine.device)) >= max_seconds * engine.world_size)


class _NoLog:
    # ranks other than 0 write nothing
    def __enter__(self) -> "_NoLog":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """Drops the row."""


def _log(engine: Engine, folder: Path, keep_steps_up_to: int | None) -> MetricsLog | _NoLog:
    return MetricsLog(folder, keep_steps_up_to=keep_steps_up_to) if engine.rank == 0 else _NoLog()
