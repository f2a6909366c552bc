"""What only a GPU can show, in under five minutes on one: `make bench NAME=gpu_smoke`.

bfloat16 beside float32, flash attention beside plain attention, ZeRO 1 to 3 with and without offload, save and resume,
and speed and memory of a 0.1B model. Prints one JSON line per check with `ok`; the exit code is 1 when one is false.
Without a GPU the checks that can run do so on a small model and the others are listed as `not run`.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

from lm.engine import Engine, start
from lm.packing import Rows, full_rows
from lm.throughput import flops_per_token, peak_flops, peak_memory_gb
from lm.training import losses_of, summed_loss

STEPS, RATE, VOCABULARY = 8, 1e-3, 4096


@dataclass(frozen=True)
class Size:
    """Shape of the model and of a batch."""

    layers: int
    hidden: int
    rows: int
    length: int


SMALL, LARGE = Size(2, 64, 4, 64), Size(12, 768, 16, 1024)


def model_of(size: Size) -> PreTrainedModel:
    """A Llama with random weights, heads of 64 (16 in the small one), as flash attention takes them."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=size.hidden,
        intermediate_size=8 * size.hidden // 3 // 8 * 8,
        num_hidden_layers=size.layers,
        num_attention_heads=size.hidden // 64 if size.hidden > 64 else 4,
        max_position_embeddings=size.length,
        tie_word_embeddings=True,
    )
    config._attn_implementation = "sdpa"
    model: PreTrainedModel = LlamaForCausalLM(config)
    return model.eval()


def rows_of(size: Size) -> Rows:
    """Full rows of random tokens, the same in every step, so that the loss falls."""
    generator = torch.Generator().manual_seed(1)
    return full_rows(torch.randint(VOCABULARY, (size.rows, size.length), generator=generator).tolist())


def curve(engine: Engine, rows: Rows, steps: int = STEPS) -> list[float]:
    """Losses of some steps."""
    learned = int(rows.targets_NT.sum())
    return [engine.step(losses_of(engine, rows, learned, len(rows)), RATE).loss for _ in range(steps)]


def close(found: list[float], expected: list[float], relative: float) -> bool:
    """Whether all losses are as expected, and fall."""
    return found[-1] < found[0] and all(abs(a - b) <= relative * abs(b) for a, b in zip(found, expected, strict=True))


def bf16(size: Size) -> Iterator[tuple[str, bool, str]]:
    """bfloat16 at ZeRO 1 to 3 beside float32."""
    expected = curve(start(model_of(size)), rows_of(size))
    for stage in (1, 2, 3):
        found = curve(start(model_of(size), zero_stage=stage, bf16=True), rows_of(size))
        yield f"bf16_zero_{stage}", close(found, expected, 0.02), f"{found[-1]:.4f}, float32 {expected[-1]:.4f}"


def offload(size: Size) -> Iterator[tuple[str, bool, str]]:
    """Offloaded optimiser (ZeRO 3: weights too), then saved and resumed."""
    for stage in (1, 2, 3):
        expected = curve(start(model_of(size), zero_stage=stage), rows_of(size))
        engine = start(model_of(size), zero_stage=stage, offload=True)
        found = curve(engine, rows_of(size))
        yield (
            f"offload_zero_{stage}",
            close(found, expected, 1e-3),
            f"{found[-1]:.4f}, on the device {expected[-1]:.4f}",
        )
        with tempfile.TemporaryDirectory() as folder:
            engine.save(Path(folder), STEPS)
            [next_loss] = curve(engine, rows_of(size), 1)
            again = start(model_of(size), zero_stage=stage, offload=True)
            again.resume(Path(folder))
            [resumed_loss] = curve(again, rows_of(size), 1)
        equal = abs(next_loss - resumed_loss) <= 1e-5 * abs(next_loss)
        yield f"resume_offload_zero_{stage}", equal, f"{next_loss:.6f} and {resumed_loss:.6f}"


def recompute(size: Size) -> Iterator[tuple[str, bool, str]]:
    """Activation checkpointing: the same curve."""
    expected = curve(start(model_of(size)), rows_of(size))
    found = curve(start(model_of(size), recompute=True), rows_of(size))
    yield "recompute", close(found, expected, 1e-4), f"{found[-1]:.4f}, without {expected[-1]:.4f}"


def flash(size: Size) -> Iterator[tuple[str, bool, str]]:
    """torch's flash kernel alone, beside its plain one, on the loss and gradient of full rows in bfloat16."""
    found = {}
    for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.MATH):
        model = model_of(size)
        nn.Module.to(model, "cuda", torch.bfloat16)
        rows = rows_of(size).to(model.device)
        with sdpa_kernel(backend):
            loss = summed_loss(model, rows) / int(rows.targets_NT.sum())
            loss.backward()
        norm = torch.nn.utils.get_total_norm([p.grad for p in model.parameters() if p.grad is not None])
        found[backend] = (float(loss), float(norm))
    one, other = found.values()
    ok = all(abs(a - b) <= 0.01 * abs(b) for a, b in zip(one, other, strict=True))
    yield "flash_attention", ok, f"loss and gradient norm {one}, plain {other}"


def speed(size: Size) -> Iterator[tuple[str, bool, str]]:
    """Tokens per second, MFU and memory of bfloat16 with ZeRO 1."""
    engine, rows = start(model_of(size), zero_stage=1, bf16=True), rows_of(size)
    curve(engine, rows, 3)
    began = time.perf_counter()
    curve(engine, rows, STEPS)
    tokens = STEPS * size.rows * size.length / (time.perf_counter() - began)
    mfu = tokens * flops_per_token(engine.model, size.length) / peak_flops(engine.device)
    yield "speed", True, f"{tokens:,.0f} tokens/s, MFU {mfu:.3f}, {peak_memory_gb(engine.device):.2f} GB"


def main() -> int:
    """Runs the checks and returns the exit code."""
    on_gpu = torch.cuda.is_available()
    size = LARGE if on_gpu else SMALL
    checks: list[Callable[[Size], Iterator[tuple[str, bool, str]]]] = [bf16, offload, recompute, speed]
    failed = False
    for check in [*checks, flash] if on_gpu else checks:
        for name, ok, text in check(size):
            print(
                json.dumps({"check": name, "ok": ok, "found": text, "device": "gpu" if on_gpu else "cpu"}), flush=True
            )
            failed = failed or not ok
    if not on_gpu:
        print(json.dumps({"check": "flash_attention", "ok": None, "found": "not run: no GPU", "device": "cpu"}))
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
