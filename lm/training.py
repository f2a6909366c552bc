"""The one supervised loop, shared by pre-training and fine-tuning.

The rows of a step are a pure function of the step, so a resumed run needs no replay of its data; every rank gets the
same rows and takes its share.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from commons.errors import ArtifactError
from commons.metrics import MetricsLog
from lm.attention import hidden_of_rows
from lm.engine import Engine, Update
from lm.guard import WINDOW, BadSteps, is_bad, stop_if_told
from lm.logprobs import logprobs_of
from lm.packing import Rows
from lm.stopping import Stopped, until_told
from lm.throughput import flops_per_token, peak_flops, peak_memory_gb


@dataclass(frozen=True, slots=True)
class Trained:
    """Where training stopped."""

    steps: int
    tokens: int  # learned tokens, over all steps of this run and the ones it resumed
    stopped_by_time: bool
    skipped: int = 0  # steps that were refused (lm/guard.py)


@dataclass(frozen=True, slots=True)
class Rules:
    """How a run is kept safe and what it reports beside its losses."""

    keep: int = 2  # saved steps that stay
    bad_steps: BadSteps = field(default_factory=BadSteps)
    made_from: Mapping[str, str] = field(default_factory=dict)  # digests of the data; another one is not resumed
    report: Callable[[int], Mapping[str, float]] | None = None  # more metrics after so many steps: epochs by source


@dataclass(slots=True)
class _Run:
    """Where training stands; with the weights it is all that a save holds."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0
    recent: list[float] = field(default_factory=list)  # losses of the last applied steps
    skipped: int = 0
    skipped_in_a_row: int = 0

    def take(self, update: Update) -> None:
        if update.applied:
            self.recent = [*self.recent, update.loss][-WINDOW:]
            self.skipped_in_a_row = 0
        else:
            self.skipped += 1
            self.skipped_in_a_row += 1


def train(  # noqa: PLR0913  # the whole interface of the one loop
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
    rules: Rules | None = None,
) -> Trained:
    """Trains to step number `steps`, from the last checkpoint under `checkpoints` when there is one.

    Step s (from 0) learns `rows_of_step(s)` at `learning_rate(s)` with one mean over all learned tokens of the step.
    Metrics go to `logs` as row s + 1 (docs/training.md lists them), with what `evaluate` returns (before the first
    step as row 0, every `evaluate_every` steps and after the last). `max_seconds` ends training early by the clock,
    which makes the result depend on the machine: only for controls of equal cost. Raises BadStep for a refused step
    (lm/guard.py), Stopped after SIGTERM, and ArtifactError for a checkpoint of other data or processes."""
    rules = rules or Rules()
    run, resumed = _resume(engine, checkpoints, rules)
    stopped_by_time = resumed and _time_is_up(engine, run.seconds, max_seconds)
    cost: _Cost | None = None
    with _log(engine, logs, run.step if resumed else None) as log, until_told() as told:
        if evaluate and not resumed:
            log.write(0, evaluate(engine.plain_model()))
        for step in (progress or iter)(range(run.step, run.step if stopped_by_time else steps)):
            began = time.monotonic()
            rows, rate = rows_of_step(step), learning_rate(step)
            learned = int(rows.targets_NT.sum())
            cost = cost or _Cost(engine, rows.tokens_NT.shape[1])
            update = engine.step(
                losses_of(engine, rows, learned, rows_per_micro_batch),
                rate,
                lambda loss: not is_bad(loss, run.recent, rules.bad_steps),
            )
            took = time.monotonic() - began
            run.step, run.tokens, run.seconds = step + 1, run.tokens + learned, run.seconds + took
            run.take(update)
            stopped_by_time = _time_is_up(engine, run.seconds, max_seconds)
            last = run.step == steps or stopped_by_time
            values = {"loss": update.loss, "grad_norm": update.grad_norm, "learning_rate": rate, "tokens": run.tokens}
            if evaluate and (last or (evaluate_every and run.step % evaluate_every == 0)):
                values |= evaluate(engine.plain_model())
            values |= rules.report(run.step) if rules.report else {}
            values |= {"skipped_steps": run.skipped} if run.skipped else {}
            values |= {"tokens_per_second": round(learned / took, 1)} | cost.of(rows.tokens_NT.numel(), took)
            log.write(run.step, values)
            if not update.applied:
                stop_if_told(run.step, update.loss, update.grad_norm, run.skipped_in_a_row, rules.bad_steps)
            stop = bool(engine.largest(told.stop))
            if last or stop or run.step % save_every == 0:
                engine.save(checkpoints, run.step, _state(run, rules), keep=rules.keep)
            if stop and not last:
                raise Stopped(f"stopped by SIGTERM after step {run.step}, saved; the same command goes on from here")
            if last:
                break
    return Trained(run.step, run.tokens, stopped_by_time, run.skipped)


def _state(run: _Run, rules: Rules) -> dict[str, Any]:
    return asdict(run) | {"made_from": dict(rules.made_from)}


def _resume(engine: Engine, checkpoints: Path, rules: Rules) -> tuple[_Run, bool]:
    """Where the last checkpoint stands and whether there is one; ArtifactError when it was made from other data."""
    resumed = engine.resume(checkpoints)
    if resumed is None:
        return _Run(), False
    state = dict(resumed.state)
    before = state.pop("made_from")
    for name in sorted(before.keys() | rules.made_from.keys()):
        old, new = before.get(name, "nothing"), rules.made_from.get(name, "nothing")
        if old != new:
            raise ArtifactError(
                f"the checkpoint of step {resumed.step} in {checkpoints} was made from another `{name}` ({old[:12]}, "
                f"now {new[:12]}): put that back, or start again with RESTART=1 (--restart)"
            )
    return _Run(**state), True


class _Cost:
    """Speed and memory of this run, as metrics."""

    def __init__(self, engine: Engine, length: int) -> None:
        self._device = engine.device
        self._flops = flops_per_token(engine.model, length)
        self._peak = peak_flops(engine.device) * engine.world_size

    def of(self, tokens: int, seconds: float) -> dict[str, float]:
        """`mfu` of a step that computed `tokens`, padding included, and `memory_gb` of this rank so far."""
        return {
            "mfu": round(self._flops * tokens / seconds / self._peak, 4),
            "memory_gb": round(peak_memory_gb(self._device), 3),
        }


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
