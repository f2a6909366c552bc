"""Peak memory of the loss at a vocabulary of 128K, in chunks and naive: `make bench NAME=loss`.

One forward and backward pass of head and loss on TOKENS hidden states of width 256, each side in a process of its own,
since a process's peak never falls. Naive is what `transformers` does: all logits at once, in float32, then the mean
cross-entropy. The figure is the peak above what the process held before the pass; it holds inputs and gradients of the
head too, which neither side can save. Times and the difference of the losses are printed beside it.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from bench.rl_gain import line
from lm.logprobs import head_logprobs

VOCABULARY, WIDTH, TOKENS = 128 * 1024, 256, 2048
SIDES = ("chunked", "naive")
STATUS = Path("/proc/self/status")


def resident_gb(field: str) -> float:
    """`VmRSS` (now) or `VmHWM` (peak) of this process, 10^9 bytes."""
    [row] = [row for row in STATUS.read_text().splitlines() if row.startswith(field)]
    return int(row.split()[1]) * 1024 / 1e9


def measure(side: str) -> dict[str, float]:
    """Peak memory above the start, seconds and loss of one pass."""
    torch.manual_seed(0)
    head = nn.Linear(WIDTH, VOCABULARY, bias=False)
    hidden = torch.randn(TOKENS, WIDTH, requires_grad=True)
    target = torch.randint(VOCABULARY, (TOKENS,))
    (hidden[:1] @ head.weight[:8].t()).sum().backward()  # whatever torch sets up at first use
    head.weight.grad = None
    before, began = resident_gb("VmRSS"), time.perf_counter()
    if side == "naive":
        loss = cross_entropy(head(hidden).float(), target)
    else:
        loss = -head_logprobs(head, hidden, target, VOCABULARY).mean()
    loss.backward()
    return {
        "peak": resident_gb("VmHWM") - before,
        "seconds": time.perf_counter() - began,
        "loss": float(loss.detach()),
    }


def main() -> None:
    """Prints the figure, or one side's numbers when called with its name."""
    if sys.argv[1:]:
        print(json.dumps(measure(sys.argv[1])))
        return
    found = {}
    for side in SIDES:
        command = [sys.executable, "-m", "bench.loss", side]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found[side] = json.loads(done.stdout)
    peer = "all logits at once, as transformers"
    print(line("peak_memory_gb", found["chunked"]["peak"], "GB", TOKENS, peer, found["naive"]["peak"]))
    print(line("loss_seconds", found["chunked"]["seconds"], "s", 1, peer, found["naive"]["seconds"]))
    print(line("loss_difference", abs(found["chunked"]["loss"] - found["naive"]["loss"]), "nats", TOKENS))


if __name__ == "__main__":
    main()
