"""Random draws of pages that depend on a seed and the page id alone: never on files, shards, order or engine."""

import hashlib


def draw(identity: str, seed: int) -> int:
    """63 random bits of a page. `seed` below 2**64."""
    salt = seed.to_bytes(8, "big")
    return int.from_bytes(hashlib.blake2b(identity.encode(), digest_size=8, salt=salt).digest(), "big") >> 1
