"""What a step of the engine costs beside a bare PyTorch loop on the same model: `make bench NAME=engine`.

Both sides do what training does: forward, the loss over the learned tokens, backward, clipping to 1.0, AdamW. The bare
loop is ten lines of torch with `torch.optim.AdamW`; the model is the tiny recipe's (1.0M parameters), the linear layers
are the same oneDNN ones on both sides. Sides alternate, five rounds of STEPS steps, medians. The figure is
`step_overhead` at ZeRO 0 and 16 x 128 tokens; 4 x 64 tokens and ZeRO 1 to 3 are printed beside it.
"""

import os
from collections.abc import Callable

import torch
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

from bench.rl_gain import line
from bench.timing import alternating, medians
from lm.engine import start
from lm.linear import use_onednn
from lm.packing import Rows, full_rows
from lm.training import losses_of, summed_loss

ROUNDS, STEPS = 5, int(os.environ.get("STEPS", "10"))
SHAPES = ((16, 128), (4, 64))
VOCABULARY, RATE = 1024, 1e-3


def tiny_model() -> PreTrainedModel:
    """A model of the tiny recipe's shape with random weights (configs/tiny/base.toml)."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=512,
        tie_word_embeddings=True,
    )
    config._attn_implementation = "sdpa"
    model: PreTrainedModel = LlamaForCausalLM(config)
    return model.eval()


def random_rows(count: int, length: int) -> Rows:
    """Full rows of random tokens."""
    generator = torch.Generator().manual_seed(1)
    return full_rows(torch.randint(VOCABULARY, (count, length), generator=generator).tolist())


def engine_steps(zero_stage: int, rows: Rows) -> Callable[[], None]:
    """STEPS steps of the engine."""
    engine = start(tiny_model(), zero_stage=zero_stage)
    learned = int(rows.targets_NT.sum())

    def run() -> None:
        for _ in range(STEPS):
            engine.step(losses_of(engine, rows, learned, len(rows)), RATE)

    return run


def bare_steps(rows: Rows) -> Callable[[], None]:
    """STEPS steps of a bare loop."""
    model = tiny_model()
    use_onednn(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.95), weight_decay=0.1)
    learned = int(rows.targets_NT.sum())

    def run() -> None:
        for _ in range(STEPS):
            loss = summed_loss(model, rows) / learned
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            float(loss.detach())

    return run


def main() -> None:
    """Prints one JSON line per shape and ZeRO stage."""
    for count, length in SHAPES:
        rows = random_rows(count, length)
        for stage in (0, 1, 2, 3):
            sides = {"bare": bare_steps(rows), "engine": engine_steps(stage, rows)}
            for warm in sides.values():
                warm()
            found = medians(alternating(sides, ROUNDS))
            overhead = found["engine"] / found["bare"] - 1
            settled = stage == 0 and (count, length) == SHAPES[0]
            name = "step_overhead" if settled else f"step_overhead_zero_{stage}_{count}x{length}"
            print(line(name, round(overhead, 4), "fraction", ROUNDS * STEPS), flush=True)
            seconds = found["engine"] / STEPS
            print(line(f"{name}_step", seconds, "s", ROUNDS, "bare PyTorch loop", found["bare"] / STEPS), flush=True)


if __name__ == "__main__":
    main()
