"""Fine-tuning beside TRL's SFTTrainer and a bare loop: `make bench NAME=sft`.

One epoch of the same solutions: same tokens, model, row length, rows per step, AdamW, and loss on solutions only; each
side in a process of its own, taken in turn, medians of ROUNDS. TRL packs by its two strategies, the faster one is the
peer; its environment is `.venv-bench/trl`. The figure is `solution_tokens_per_second`: learned tokens over the
time from the first step to the end of the last. `bare_ratio` is ours over a bare PyTorch loop on our packed rows.

`python -m bench.sft [RUN]` takes model and solutions of a finished run (default runs/tiny).
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import torch
from torch import nn

from bench.peer_venv import python_of
from bench.rl_gain import line
from commons.artifacts import open_artifact
from commons.metrics import read_metrics
from commons.shards import read_jsonl
from lm.checkpoints import load_model, load_tokenizer
from lm.engine import start
from lm.packing import Example, Rows, concatenate, shuffled
from lm.training import summed_loss, train
from sft.train import example_of, solution_of

PINS = ("trl==1.16.0", "torch==2.13.0", "transformers==5.24.0", "datasets==5.2.0", "accelerate==1.15.0", "numpy==2.4.6")
ROUNDS = int(os.environ.get("ROUNDS", "5"))
SOLUTIONS, ROW_TOKENS, ROWS, RATE = 1_200, 256, 8, 1e-3
STRATEGIES = ("bfd", "wrapped")


def examples_of(run: Path) -> list[Example]:
    """The first solutions of the run as tokens."""
    tokenizer = load_tokenizer(run / "pretrain")
    rows = list(read_jsonl(open_artifact(run / "questions", "questions").path / "train.jsonl.zst"))[:SOLUTIONS]

    def encode(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False))

    found = [example_of(solution_of(row), encode, tokenizer.eos_token_id) for row in rows]
    return [one for one in found if len(one.tokens) <= ROW_TOKENS]


def packed(examples: list[Example]) -> Rows:
    """One epoch in random order, neighbours visible as in section 3."""
    return concatenate([examples[i] for i in shuffled(len(examples), seed=0, epoch=0)], ROW_TOKENS)


def ours(run: Path) -> dict[str, float]:
    """Our loop, with its log: learned tokens and seconds."""
    rows = packed(examples_of(run))
    engine = start(load_model(run / "pretrain"))
    steps = -(-len(rows) // ROWS)
    with tempfile.TemporaryDirectory() as folder:
        began = time.time()
        trained = train(
            engine,
            lambda step: rows[step * ROWS : (step + 1) * ROWS],
            lambda step: RATE,
            steps=steps,
            rows_per_micro_batch=ROWS,
            checkpoints=Path(folder) / "steps",
            save_every=steps,
            logs=Path(folder) / "logs",
        )
        return {"tokens": trained.tokens, "seconds": read_metrics(Path(folder) / "logs")[-1]["time"] - began}


def bare(run: Path) -> dict[str, float]:
    """Ten lines of torch on our packed rows, with the same linear layers and loss as our side."""
    rows, model = packed(examples_of(run)), load_model(run / "pretrain")
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.95), weight_decay=0.1)
    tokens, began = 0, time.perf_counter()
    for start_row in range(0, len(rows), ROWS):
        batch = rows[start_row : start_row + ROWS]
        learned = int(batch.targets_NT.sum())
        loss = summed_loss(model, batch) / learned
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        tokens += learned
        float(loss.detach())
    return {"tokens": tokens, "seconds": time.perf_counter() - began}


def write_for_peer(path: Path, found: list[Example]) -> None:
    """The same tokens for TRL: `input_ids` and `completion_mask` by line."""
    rows = ({"input_ids": list(one.tokens), "completion_mask": [int(flag) for flag in one.learned]} for one in found)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def speed(command: list[str]) -> float:
    """Learned tokens per second of one side, run in a process."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    found = json.loads(done.stdout.splitlines()[-1])
    return float(found["tokens"] / found["seconds"])


def main() -> None:
    """Prints the figures, or one side's numbers when called with its name and a run."""
    sides = {"ours": ours, "bare": bare}
    if len(sys.argv) == 3 and sys.argv[1] in sides:
        print(json.dumps(sides[sys.argv[1]](Path(sys.argv[2]))))
        return
    run = Path(sys.argv[1] if sys.argv[1:] else "runs/tiny")
    if not sys.argv[1:]:
        subprocess.run(["make", "--no-print-directory", "pretrain", "questions"], check=True, stdout=subprocess.DEVNULL)
    peer = python_of("trl", PINS)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "solutions.jsonl"
        write_for_peer(data, examples_of(run))
        settings = [str(data), str(run / "pretrain"), str(ROW_TOKENS), str(ROWS), str(RATE)]
        commands = {name: [sys.executable, "-m", "bench.sft", name, str(run)] for name in sides}
        commands |= {name: [str(peer), "bench/sft_peer.py", *settings, name] for name in STRATEGIES}
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                taken[name].append(speed(command))
    found = {name: median(speeds) for name, speeds in taken.items()}
    best = max(STRATEGIES, key=found.__getitem__)
    label = f"TRL 1.16.0 SFTTrainer, packing {best}"
    print(line("solution_tokens_per_second", found["ours"], "tokens/s", ROUNDS, label, found[best]))
    print(line("bare_ratio", found["ours"] / found["bare"], "ratio", ROUNDS))
    for name in ("bare", *STRATEGIES):
        print(line(f"solution_tokens_per_second_{name}", found[name], "tokens/s", ROUNDS))


if __name__ == "__main__":
    main()
