"""What training costs: floating-point operations per token, the share of the device's speed in use, memory.

Operations are counted as usual for MFU: 6 per parameter and learned-or-not token (2 forward, 4 backward), and
12 * layers * hidden * length for attention; the embedding's look-up is not counted, activation checkpointing's second
forward pass neither.
"""

import resource
import time
from functools import cache

import torch
from transformers import PreTrainedModel

# dense bfloat16 tensor throughput of data sheets [FLOP/s]; a longer name stands before a shorter one that it contains
PEAKS = {"H200": 989e12, "H100": 989e12, "A100": 312e12, "L40S": 362e12, "L4": 121e12, "A10": 125e12, "4090": 165e12}
SIDE, REPEATS = 1024, 3


def flops_per_token(model: PreTrainedModel, length: int) -> float:
    """Operations of one forward and backward pass per token in rows of `length` tokens."""
    return flops_of_shape(matrix_parameters(model), model.config.num_hidden_layers, model.config.hidden_size, length)


def flops_of_shape(parameters: int, layers: int, hidden: int, length: int) -> float:
    """The same from numbers: `parameters` that take part in matrix products."""
    return 6.0 * parameters + 12.0 * layers * hidden * length


def matrix_parameters(model: PreTrainedModel) -> int:
    """Parameters without the input embedding, unless that is the output matrix too."""
    full = sum(getattr(parameter, "ds_numel", parameter.numel()) for parameter in model.parameters())
    if model.config.tie_word_embeddings:
        return full
    return full - model.config.vocab_size * model.config.hidden_size


@cache
def peak_flops(device: torch.device) -> float:
    """Operations per second that `device` can do: its data sheet's for known GPUs, else those of a large product.

    The measured one is a float32 product on the threads of this process, best of three."""
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else ""
    for known, peak in PEAKS.items():
        if known in name:
            return peak
    matrix = torch.ones(SIDE, SIDE, device=device)
    best = 0.0
    for _ in range(REPEATS):
        began = time.perf_counter()
        float((matrix @ matrix)[0, 0])  # reading a value waits for the device
        best = max(best, 2 * SIDE**3 / (time.perf_counter() - began))
    return best


def peak_memory_gb(device: torch.device) -> float:
    """Most memory that this process has held, 10^9 bytes: of the GPU, or resident on a CPU."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 1e9
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
