"""Milliseconds from tokens to signature, ours and others' (part of `make bench NAME=near_dedup`).

Pages of 850 words drawn as words are (the r-th in proportion to 1 / r). All are given the tokens, as a list or joined
by blanks; 128 values, shingles of five tokens. rensa lives in `.venv-bench/rensa`, which is made when it is missing.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import daft
import numpy as np
from datasketch import MinHash

from bench.rl_gain import line
from corpus.minhash import signature
from corpus.tokens import tokens_of

PAGES, WORDS, HASHES = 500, 850, 128
RENSA = "rensa==0.5.0"
RENSA_CODE = """
import json, sys, time
from rensa import RMinHash
pages = json.load(sys.stdin)
start = time.process_time()
for words in pages:
    sketch = RMinHash(num_perm=128, seed=1)
    sketch.update([" ".join(words[at : at + 5]) for at in range(len(words) - 4)])
    sketch.digest()
print((time.process_time() - start) * 1000 / len(pages))
"""


def pages() -> list[str]:
    """Texts of WORDS words."""
    draw = np.random.default_rng(0)
    ranks = np.minimum(np.exp(draw.random((PAGES, WORDS)) * np.log(50_000)), 50_000).astype(int)
    return [
        " ".join(
            f"w{'abcdefghij'[rank % 10]}x{'klmnopqrst'[rank // 10 % 10]}{chr(97 + rank // 100 % 26)}" for rank in row
        )
        for row in ranks
    ]


def signature_speeds() -> Iterator[str]:
    """JSON lines: milliseconds a page of CPU time, ours beside each peer."""
    texts = pages()
    tokens = [tokens_of(text) for text in texts]
    counting = _milliseconds(tokens_of, texts)
    ours = _milliseconds(lambda text: signature(text, hashes=HASHES), texts) - counting
    yield line("tokens_ms", counting, "ms/page", PAGES)
    peers = {
        "datasketch 2.0.0": _milliseconds(_datasketch, tokens),
        RENSA: _rensa(tokens),
        "daft 0.7.26": _daft(tokens),
    }
    for peer, value in peers.items():
        yield line("signature_ms", ours, "ms/page", PAGES, peer, value)


def _milliseconds(work: Callable[[Any], object], items: Sequence[Any]) -> float:
    start = time.process_time()
    for item in items:
        work(item)
    return (time.process_time() - start) * 1000 / len(items)


def _datasketch(words: Sequence[str]) -> object:
    sketch = MinHash(num_perm=HASHES, scheme="affine32")
    sketch.update_batch([" ".join(words[at : at + 5]).encode() for at in range(len(words) - 4)])
    return sketch.hashvalues


def _daft(tokens: Sequence[Sequence[str]]) -> float:
    frame = daft.from_pydict({"text": [" ".join(words) for words in tokens]}).collect()
    start = time.process_time()
    sketched = daft.functions.minhash(daft.col("text"), num_hashes=HASHES, ngram_size=5, hash_function="xxhash3_64")
    frame.select(sketched).collect()
    return (time.process_time() - start) * 1000 / len(tokens)


def _rensa(tokens: Sequence[Sequence[str]]) -> float:
    python = Path(".venv-bench/rensa/bin/python")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", ".venv-bench/rensa"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", RENSA], check=True, stdout=sys.stderr)
    done = subprocess.run(
        [python, "-c", RENSA_CODE], input=json.dumps(tokens), capture_output=True, text=True, check=True
    )
    return float(done.stdout)


if __name__ == "__main__":
    print(*signature_speeds(), sep="\n", flush=True)
