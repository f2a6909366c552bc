"""Near-duplicate search on 2 and 20 million synthetic signatures: recall, memory, time; and text -> signature.

`make bench NAME=near_dedup` writes signatures to runs/.bench/near_dedup (15 GB at the most, deleted afterwards). 5% of
the pages lie in clusters of 2 to 5,000, each of whose pages shares 80, 85, 90 or 95% of its values with the first one;
the others are random. A child process does only the search (start included), reading files that are not in the page
cache; its memory is the peak of its resident set. Recall is the share of pages that end in one group with the first
page of their cluster; the band formula is exact for clusters of two and a lower bound for larger ones, where a third
page may join what the formula misses.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.near_dedup_child import shape
from bench.rl_gain import line
from corpus.minhash import candidate_share

SIZES = (2_000_000, 20_000_000)
SCRATCH = Path("runs/.bench/near_dedup")


def recalls(folder: Path) -> Iterator[tuple[str, float, float, int]]:
    """(name, recall, band formula, pages) for clusters of two and for all clusters."""
    truth, groups = np.load(folder / "truth.npz"), np.load(folder / "groups.npz")
    ids, cluster, similarity = truth["ids"], truth["cluster"], truth["similarity"]
    at = np.minimum(np.searchsorted(groups["ids"], ids), len(groups["ids"]) - 1)
    group = np.where(groups["ids"][at] == ids, groups["firsts"][at], ids)
    first = similarity == 1.0
    group_of_first = np.zeros(cluster.max() + 1, np.uint64)
    group_of_first[cluster[first]] = group[first]
    joined = group == group_of_first[cluster]
    formula = candidate_share(similarity.astype(np.float64), *shape())
    for name, chosen in (("pairs", np.bincount(cluster)[cluster] == 2), ("all", np.ones(len(ids), bool))):
        mine = chosen & ~first
        yield name, float(joined[mine].mean()), float(formula[mine].mean()), int(mine.sum())


def in_child(*arguments: str) -> str:
    """Output of `bench.near_dedup_child`, at one thread."""
    command = [sys.executable, "-m", "bench.near_dedup_child", *arguments]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout


def measure(pages: int) -> dict[str, float]:
    """Prints the recall figures of one size; returns its seconds, CPU seconds and GB."""
    shutil.rmtree(SCRATCH, ignore_errors=True)
    name = f"{pages // 1_000_000}m"
    try:
        in_child("generate", str(SCRATCH), str(pages))
        start, used = time.perf_counter(), cpu_seconds_of_children()
        memory = float(in_child("search", str(SCRATCH)))
        seconds, used = time.perf_counter() - start, cpu_seconds_of_children() - used
        for which, recall, formula, count in recalls(SCRATCH):
            print(line(f"recall_{which}_{name}", recall, "fraction", count, "band formula", formula), flush=True)
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
    return {"seconds": seconds, "cpu_seconds": used, "memory_gb": memory}


def main() -> None:
    """Prints one JSON line per figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, nargs="*", default=SIZES)
    flags = parser.parse_args()
    subprocess.run([sys.executable, "-m", "bench.signature_speed"], check=True)
    before: dict[str, float] = {}
    for pages in flags.pages:
        found = measure(pages)
        for figure, value in found.items():
            name, unit = f"{figure}_{pages // 1_000_000}m", "GB" if figure == "memory_gb" else "s"
            peer = f"{figure} of the size before" if before else ""
            print(line(name, value, unit, pages, peer, before.get(figure, 0.0)), flush=True)
        before = found


def cpu_seconds_of_children() -> float:
    """User and system time of the children that have ended: the clock shows what else the machine does."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
