"""Run by the python of `.venv-bench/datatrove`: WARC files -> decontaminated Parquet, as datatrove's own steps do it.

    python bench/peer_datatrove.py JOB.json         prints one JSON line: seconds of each stage, pages in and out

Two tasks on two workers; one task where datatrove wants a single one. The order is that of its own recipes: read,
extract, classify, MinHash in four stages, decontaminate, write. Its n-gram index asks for lighteval to fetch tasks by
name; the benchmark rows are here already, so the hashes of each are made by its own function and saved in its format.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STARTED = time.perf_counter()

import numpy as np  # noqa: E402
from datatrove.data import Document  # noqa: E402
from datatrove.executor import LocalPipelineExecutor  # noqa: E402
from datatrove.pipeline.base import PipelineStep  # noqa: E402
from datatrove.pipeline.decont import n_grams  # noqa: E402
from datatrove.pipeline.dedup import minhash  # noqa: E402
from datatrove.pipeline.extractors import Trafilatura  # noqa: E402
from datatrove.pipeline.filters import FastTextClassifierFilter  # noqa: E402
from datatrove.pipeline.readers import JsonlReader, WarcReader  # noqa: E402
from datatrove.pipeline.writers import JsonlWriter, ParquetWriter  # noqa: E402
from datatrove.utils.hashing import create_hash_func  # noqa: E402
from datatrove.utils.typeshelper import Languages  # noqa: E402
from datatrove.utils.word_tokenizers import load_word_tokenizer  # noqa: E402
from loguru import logger  # noqa: E402

WORKERS = 2
TIMEOUT_SECONDS = 60  # as on our side; with its own 1 s a loaded machine drops every page


@dataclass(frozen=True, slots=True)
class Job:
    """Where things lie and what is asked: see `bench/corpus.py::peer_job`."""

    crawl: str
    benchmarks: str
    model: str
    label: str
    least: float
    gram_tokens: int
    out: str


class Indexer(PipelineStep):
    """datatrove's index of benchmark n-grams from rows alone: its own class refuses to exist without lighteval."""

    compute_hashes = n_grams.NGramsDecontIndexer.compute_hashes

    def __init__(self, folder: str, config: n_grams.NGramsDecontConfig) -> None:
        super().__init__()
        self.folder, self.config = Path(folder), config
        self.tokenizer = load_word_tokenizer(Languages.english)
        self.hash_func = create_hash_func(config.hash_config)

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> None:
        """Saves the hashes of the rows of each task."""
        found: dict[str, set[int]] = {}
        for row in data:
            hashes = self.compute_hashes(row.text, row.metadata["query"])
            found.setdefault(row.metadata["task"], set()).update(hashes)
        self.folder.mkdir(parents=True)
        for task, hashes in found.items():
            np.array(list(hashes), self.config.hash_config.np_descr).tofile(self.folder / f"{task}.index.hashes")


def benchmark_rows(path: str) -> Callable[..., Iterator[Document]]:
    """A first step that gives the benchmark rows as documents: the answer as text, the question as `query`."""

    def rows(data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        with open(path, encoding="utf-8") as file:
            for number, text in enumerate(file):
                row = json.loads(text)
                about = {"query": row["question"], "task": row["task"]}
                yield Document(text=row["answer"], id=str(number), metadata=about)

    return rows


def run(name: str, steps: list[Any], *, tasks: int, out: Path) -> tuple[float, dict[str, dict[str, float]]]:
    """(seconds, counts by step) of one executor."""
    started = time.perf_counter()
    workers = min(tasks, WORKERS)
    stats = LocalPipelineExecutor(steps, tasks=tasks, workers=workers, logging_dir=str(out / "logs" / name)).run()
    return time.perf_counter() - started, {one.name: _counts(one) for one in stats.stats}


def _counts(step: Any) -> dict[str, float]:
    return {name: value.total for name, value in step.stats.items() if not name.startswith(("contaminated", "doc_len"))}


def stages(job: Job) -> Iterator[tuple[str, list[Any], int]]:
    """(name, steps, tasks) in the order in which they run."""
    out = Path(job.out)
    decont = n_grams.NGramsDecontConfig(n_grams=job.gram_tokens, find_query_ngrams=True)
    texts, signatures, buckets, removed = (str(out / name) for name in ("texts", "signatures", "buckets", "removed"))
    yield "index", [benchmark_rows(job.benchmarks), Indexer(str(out / "index"), config=decont)], 1
    first = [
        WarcReader(job.crawl, glob_pattern="*.warc.gz"),
        Trafilatura(timeout=TIMEOUT_SECONDS),
        FastTextClassifierFilter(job.model, keep_labels=(job.label, job.least), newline_replacement=" "),
        JsonlWriter(texts),
        minhash.MinhashDedupSignature(signatures),
    ]
    yield "read, extract, classify, sign", first, WORKERS
    yield "buckets", [minhash.MinhashDedupBuckets(signatures, buckets)], minhash.MinhashConfig().num_buckets
    yield "cluster", [minhash.MinhashDedupCluster(buckets, removed)], 1
    last = [
        JsonlReader(texts),
        minhash.MinhashDedupFilter(removed),
        n_grams.NGramsDecontFilter(str(out / "index"), config=decont),
        ParquetWriter(str(out / "pages")),
    ]
    yield "filter, decontaminate, write", last, WORKERS


def main() -> None:
    """Runs the job and says what it took; without one, nothing but the imports."""
    if len(sys.argv) < 2:
        return
    job = Job(**json.loads(Path(sys.argv[1]).read_text()))
    logger.remove()
    seconds = {"start": time.perf_counter() - STARTED}
    counts = {}
    for name, steps, tasks in stages(job):
        seconds[name], counts[name] = run(name, steps, tasks=tasks, out=Path(job.out))
    print(json.dumps({"seconds": seconds, "counts": counts}))


if __name__ == "__main__":
    main()
