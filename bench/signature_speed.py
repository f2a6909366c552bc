"""Milliseconds of CPU time from text to signature, ours and others' (part of `make bench NAME=near_dedup`).

Pages of 850 words drawn as words are (the r-th in proportion to 1 / r). All cut the text into the same tokens by the
same function, then make 128 values of the shingles of five tokens; best of three passes. rensa lives in
`.venv-bench/rensa`, which is made when it is missing.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import daft
import numpy as np
from datasketch import MinHash

from bench.rl_gain import line
from corpus.minhash import signature
from corpus.tokens import tokens_of

PAGES, WORDS, VOCABULARY, HASHES, PASSES = 500, 850, 50_000, 128, 3
RENSA = "rensa==0.5.0"
RENSA_CODE = """
import json, sys, time
from rensa import RMinHash
from corpus.tokens import tokens_of
texts = json.load(sys.stdin)
passes = []
for _ in range(3):
    start = time.process_time()
    for text in texts:
        words = tokens_of(text)
        sketch = RMinHash(num_perm=128, seed=1)
        sketch.update([" ".join(words[at : at + 5]) for at in range(len(words) - 4)])
        sketch.digest()
    passes.append(time.process_time() - start)
print(min(passes) * 1000 / len(texts))
"""


def pages() -> list[str]:
    """Texts of WORDS words."""
    draw = np.random.default_rng(0)
    ranks = np.exp(draw.random((PAGES, WORDS)) * np.log(VOCABULARY)).astype(int)
    return [" ".join(word(rank) for rank in row) for row in ranks]


def word(rank: int) -> str:
    """A word of letters only: the rank in base 26, rarer ones longer."""
    return "of" + "".join(chr(ord("a") + int(digit, 32) % 26) for digit in np.base_repr(rank, 26))


def signature_speeds() -> Iterator[str]:
    """JSON lines: milliseconds a page, ours beside each peer."""
    texts = pages()
    yield line("tokens_ms", _milliseconds(lambda: [tokens_of(text) for text in texts]), "ms/page", PAGES)
    ours = _milliseconds(lambda: [signature(text, hashes=HASHES) for text in texts])
    peers = {
        "datasketch 2.0.0": _milliseconds(lambda: [_datasketch(tokens_of(text)) for text in texts]),
        "daft 0.7.26": _milliseconds(lambda: _daft([" ".join(tokens_of(text)) for text in texts])),
        RENSA: _rensa(texts),
    }
    for peer, value in peers.items():
        yield line("signature_ms", ours, "ms/page", PAGES, peer, value)


def _milliseconds(work: Callable[[], object]) -> float:
    passes = []
    for _ in range(PASSES):
        start = time.process_time()
        work()
        passes.append(time.process_time() - start)
    return min(passes) * 1000 / PAGES


def _datasketch(words: Sequence[str]) -> object:
    sketch = MinHash(num_perm=HASHES, scheme="affine32")
    sketch.update_batch([" ".join(words[at : at + 5]).encode() for at in range(len(words) - 4)])
    return sketch.hashvalues


def _daft(spaced: Sequence[str]) -> object:
    text = daft.col("text")
    sketched = daft.functions.minhash(text, num_hashes=HASHES, ngram_size=5, hash_function="xxhash3_64")
    return daft.from_pydict({"text": list(spaced)}).select(sketched).collect()


def _rensa(texts: Sequence[str]) -> float:
    python = Path(".venv-bench/rensa/bin/python")
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", ".venv-bench/rensa"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", RENSA], check=True, stdout=sys.stderr)
    done = subprocess.run(
        [python, "-c", RENSA_CODE],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": "."},
    )
    return float(done.stdout)


if __name__ == "__main__":
    print(*signature_speeds(), sep="\n", flush=True)
