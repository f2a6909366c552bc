"""A small training run: `python -m tests.lm.supervised FOLDER ZERO_STAGE STEPS`, alone or under torchrun.

Writes `FOLDER/result.json`: the digest of the final weights and the losses from the metrics."""

import hashlib
import json
import os
import sys
from pathlib import Path

import torch

from commons.metrics import read_metrics
from lm.engine import start
from lm.packing import Example, Rows, concatenate, examples_of_step
from lm.schedules import constant
from lm.training import train
from tests.lm.models import VOCABULARY, llama


def rows_of_step(step: int) -> Rows:
    examples = []
    for i in examples_of_step(step, per_step=8, count=20, seed=4):
        generator = torch.Generator().manual_seed(i)
        length = int(torch.randint(4, 20, (), generator=generator))
        first = int(torch.randint(VOCABULARY, (), generator=generator))
        tokens = tuple((first + 3 * t) % VOCABULARY for t in range(length))
        examples.append(Example(tokens, (False, False) + (True,) * (length - 2)))
    return concatenate(examples, 24, attend_across=False)


def digest(model: torch.nn.Module) -> str:
    weights = b"".join(p.detach().cpu().numpy().tobytes() for _, p in sorted(model.named_parameters()))
    return hashlib.sha256(weights).hexdigest()


def run(folder: Path, zero_stage: int, steps: int, *, rows_per_micro_batch: int = 2, save_every: int = 3) -> dict:
    engine = start(llama(), zero_stage=zero_stage)
    trained = train(
        engine,
        rows_of_step,
        lambda step: constant(step, peak=3e-3, warmup_steps=2),
        steps=steps,
        rows_per_micro_batch=rows_per_micro_batch,
        checkpoints=folder / "steps",
        save_every=save_every,
        logs=folder / "logs",
    )
    result = {"digest": digest(engine.plain_model()), "tokens": trained.tokens, "steps": trained.steps}
    engine.barrier()
    if engine.rank == 0:
        rows = read_metrics(folder / "logs")
        result |= {name: [row[name] for row in rows] for name in ("step", "loss", "grad_norm", "learning_rate")}
        (folder / "result.json").write_text(json.dumps(result))
    return result


if __name__ == "__main__":
    run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), save_every=int(sys.argv[4]) if sys.argv[4:] else 3)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # all is written; a thread that torch leaves under ZeRO 3 now and then aborts a process that is ending
