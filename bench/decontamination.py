"""How fast pages are searched for benchmark grams, beside a plain search of a Python set, on the same pages.

    python -m bench.decontamination [--corpus runs/web/corpus] [--benchmarks ../shared/data/benchmarks]

Both sides get the same texts and benchmarks, one thread, CPU seconds. The first peer does what most pipelines do: a set
of strings of ten lower-case words or Chinese characters and no rule for short texts; the second one has both rules.
`planted_texts_found` plants 200 texts of each file, or all with --all, in every form of the self-test.
"""

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.rl_gain import line
from commons.ngrams import ngrams
from commons.quotations import quotations
from commons.shards import read_parquet
from corpus.decontaminate import Index, Rule, finding
from corpus.index import build_index, load_index, protected_texts
from corpus.selftest import self_test

BATCH = 256
PEERS = {"set of 10-grams": [10], "set of 10-grams and short texts": [10, *range(3, 10)]}
WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")


def plain_pages_per_second(pages: list[str], index: Index, lengths: list[int]) -> float:
    """The peer: runs of words as strings in a set, page by page until one is found; below 10 words only whole texts."""
    texts = [WORD.findall(item.text.lower()) for item in index.items]
    known = {gram for text in texts for gram in ngrams(text, 10)}
    known |= {" ".join(text) for text in texts if len(text) in lengths}
    started = time.process_time()
    for page in pages:
        words = WORD.findall(page.lower())
        any(gram in known for length in lengths for gram in ngrams(words, length))
    return len(pages) / (time.process_time() - started)


def our_pages_per_second(pages: list[str], index: Index) -> float:
    """Scan and decision of `corpus.decontaminate`, as a worker of the corpus stage runs them."""
    quotations(pages[:1], index.grams)  # the lookup tables are made on first use
    started = time.process_time()
    for start in range(0, len(pages), BATCH):
        some = pages[start : start + BATCH]
        for page, hits in zip(some, quotations(some, index.grams), strict=True):
            finding(page, hits, index, Rule())
    return len(pages) / (time.process_time() - started)


def figures(pages: list[str], folder: Path, per_file: int) -> Iterator[str]:
    """The JSON lines of the bench."""
    with tempfile.TemporaryDirectory() as scratch:
        started = time.process_time()
        build_index(folder, Path(scratch), answers="long", gram_tokens=10)
        seconds = time.process_time() - started
        index = load_index(Path(scratch))
        size = sum(path.stat().st_size for path in Path(scratch).rglob("*") if path.is_file())
        yield line("index_build_seconds", round(seconds, 2), "s", len(index.items))
        yield line("index_megabytes", round(size / 1e6, 1), "MB", len(index.grams.hashes))
        for name, classes in protected_texts(index, 10).items():
            yield json.dumps({"figure": "protected_texts", "benchmark": name, **classes})
        ours = round(our_pages_per_second(pages, index), 1)
        for peer, lengths in PEERS.items():
            value = round(plain_pages_per_second(pages, index, lengths), 1)
            yield line("scan_pages_per_second", ours, "pages/s/core", len(pages), peer, value)
        tested = self_test(index, Rule(), per_file=per_file, seed=0)
        yield line("planted_texts_found", tested.found / max(tested.planted, 1), "fraction", tested.planted)
        yield line("clean_pages_flagged", float(len(tested.flagged)), "pages", tested.clean_pages)


def main() -> None:
    """Prints the figures as JSON lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=Path("runs/web/corpus"))
    parser.add_argument("--benchmarks", type=Path, default=Path("../shared/data/benchmarks"))
    parser.add_argument("--all", action="store_true")
    flags = parser.parse_args()
    if not (flags.corpus / "pages").is_dir():
        parser.error(f"no corpus at {flags.corpus}: make corpus RUN=web CRAWL=../shared/data/web ..., or give --corpus")
    pages = [text for part in ("pages", "general") for text in read_parquet(flags.corpus / part)["text"].to_pylist()]
    for one in figures(pages, flags.benchmarks, 1 << 30 if flags.all else 200):
        print(one, flush=True)


if __name__ == "__main__":
    main()
