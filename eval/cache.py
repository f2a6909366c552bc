"""Generations on disk, each under what decides it: weights, tokenizer, exact prompt, sampling, seed, sample index.

Nothing else is in the key, the grader least of all. A folder of JSON lines, of which each process writes its own file;
what was handed over together stands in one line, so that a kill loses it whole and the rerun draws the same batch."""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from uuid import uuid4

from commons.files import canonical_json
from eval.writing import Asked, Generation, Sampling, Writer


class Cache:
    """The generations of a folder, in memory by key. Several processes may share the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, Lock()
        self._own = folder / f"{uuid4().hex[:12]}.jsonl"
        self._found: dict[str, Generation] = {}
        self.torn = 0  # lines that a kill cut off
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(folder.glob("*.jsonl")):
            self._read(path)

    def get(self, key: str) -> Generation | None:
        """The generation under a key, or None."""
        return self._found.get(key)

    def put(self, entries: Sequence[tuple[str, Generation]]) -> None:
        """Keeps generations: in memory now, on disk as one line. Failures are not kept, so that a rerun tries again."""
        kept = [(key, one) for key, one in entries if not one.failure]
        if not kept:
            return
        line = json.dumps([{"key": key, "text": one.text, "finish": one.finish} for key, one in kept])
        with self._lock, self._own.open("ab", buffering=0) as file:
            file.write(line.encode() + b"\n")
            self._found.update(kept)

    def flush(self) -> None:
        """Waits until all lines of this process are on the disk."""
        if self._own.exists():
            descriptor = os.open(self._own, os.O_RDONLY)
            os.fsync(descriptor)
            os.close(descriptor)

    def _read(self, path: Path) -> None:
        for line in path.read_bytes().splitlines():
            try:
                rows = json.loads(line)
            except json.JSONDecodeError:
                self.torn += 1
                continue
            self._found.update({row["key"]: Generation(row["text"], row["finish"]) for row in rows})


def key_of(writer: Writer, asked: Asked, sample: int, sampling: Sampling) -> str:
    """sha256 of all that decides one generation. The key of the prompt counts only where something is drawn."""
    drawn = {} if sampling.temperature == 0 else {"stream": asked.key, "seed": sampling.seed}
    values = {
        "model": writer.identity,
        "prompt": writer.exact(asked),
        "sampling": {"temperature": sampling.temperature, "max_new_tokens": sampling.max_new_tokens},
        "stops": list(sampling.stops),
        "sample": sample,
        **drawn,
    }
    return hashlib.sha256(canonical_json(values)).hexdigest()


def written(writer: Writer, cache: Cache, asked: Sequence[Asked], sampling: Sampling) -> list[list[Generation]]:
    """The wanted samples of each prompt in order: from the cache, and what is not there from the model."""
    keys = [[key_of(writer, one, sample, sampling) for sample in one.samples] for one in asked]
    found = {key: kept for names in keys for key in names if (kept := cache.get(key)) is not None}
    missing, places = [], []
    for place, one in enumerate(asked):
        samples = tuple(s for s, key in zip(one.samples, keys[place], strict=True) if key not in found)
        if samples:
            missing.append(Asked(one.key, one.prompt, samples, one.written))
            places.append(place)
    by_sample = [dict(zip(one.samples, names, strict=True)) for one, names in zip(asked, keys, strict=True)]

    def keep(made: Sequence[tuple[int, int, Generation]]) -> None:
        entries = [(by_sample[places[place]][sample], one) for place, sample, one in made]
        cache.put(entries)
        found.update(entries)

    if missing:
        writer.write(missing, sampling, keep)
    return [[found[key] for key in names] for names in keys]
