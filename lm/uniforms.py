"""Random numbers by counting: the number of (seed, question, output, position) is a hash of these four.

So what one output draws does not depend on which outputs are sampled beside it, on batches or on ranks.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from commons.seeds import seed_of

# splitmix64 (Steele, Lea and Flood 2014); torch multiplies signed 64-bit integers, wrapping around
GOLDEN = 0x9E3779B97F4A7C15
MIX_1 = 0xBF58476D1CE4E5B9 - (1 << 64)
MIX_2 = 0x94D049BB133111EB - (1 << 64)


def stream_keys(seed: int, keys: Sequence[object], outputs: int) -> Tensor:
    """One 63-bit key for each output of each question, question by question.  -> [len(keys) * outputs]"""
    return torch.tensor([seed_of(seed, "sample", key, output) for key in keys for output in range(outputs)])


def uniforms(keys_R: Tensor, position: int) -> Tensor:
    """Number `position` of each stream, in (0, 1), in steps of 2**-32.  -> [R], float64"""
    x_R = keys_R + _signed((position + 1) * GOLDEN)
    x_R = (x_R ^ _shifted(x_R, 30)) * MIX_1
    x_R = (x_R ^ _shifted(x_R, 27)) * MIX_2
    x_R = x_R ^ _shifted(x_R, 31)
    return (_shifted(x_R, 32).double() + 0.5) * 2.0**-32


def _signed(value: int) -> int:
    # the 64-bit pattern of `value` as torch reads it
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def _shifted(x_R: Tensor, bits: int) -> Tensor:
    # the shift of a signed integer copies its sign; the mask takes these copies away
    return (x_R >> bits) & ((1 << (64 - bits)) - 1)
