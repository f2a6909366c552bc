"""One seed, many independent random streams, each known by its name.

A stream depends on the seed and its name alone: a new stream never shifts the numbers of another one.
"""

import hashlib
import random

import numpy as np


def seed_of(seed: int, *names: object) -> int:
    """The seed of the stream `names` under `seed`: 63 bits of a sha256, so it fits a signed 64-bit integer."""
    text = "/".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def rng(seed: int, *names: object) -> random.Random:
    """Python generator of the stream `names`."""
    return random.Random(seed_of(seed, *names))


def np_rng(seed: int, *names: object) -> np.random.Generator:
    """NumPy generator of the stream `names`."""
    return np.random.default_rng(seed_of(seed, *names))
