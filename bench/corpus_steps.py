"""One step of the corpus chain in a process of its own: the real function, its processor time, the pages it looked at.

`bench/corpus.py` starts these one after the other on one folder, `main` with the arguments STEP JOB.json, and reads the
peak memory of each process. A step prints JSON lines {step, cpu_seconds, pages, bytes}.
"""

import json
import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from commons.metrics import MetricsLog
from commons.shards import read_parquet, write_parquet
from corpus import frames, mined, outputs, release, round_frames
from corpus.charset import decode
from corpus.config import CorpusConfig
from corpus.crawl import Capture, capture_of, is_capture
from corpus.decontaminate import Rule
from corpus.deduplicate import text_digest
from corpus.distinct import write_distinct
from corpus.extract import extract
from corpus.extraction import MOST_HEADERS, extract_crawl
from corpus.index import build_index, load_index
from corpus.iterate import iterate, recall_with
from corpus.language import language_of
from corpus.minhash import signature
from corpus.pages import content_id
from corpus.reading.sources import Part
from corpus.rounds import read_state
from corpus.selftest import checked, self_test
from corpus.stage import crawl_parts
from corpus.tokens import count_tokens
from corpus.urls import domain_of, url_key
from corpus.workers import Limits


@dataclass(frozen=True, slots=True)
class Job:
    """Where things lie; the best `budget_share` of the deduplicated tokens is kept."""

    crawl: Path
    benchmarks: Path
    seed_pages: Path
    folder: Path
    budget_share: float
    workers: int = 2

    @property
    def model(self) -> Path:
        """The classifier that step `teach` makes and both sides of the comparison are given."""
        return self.folder / "taught" / "round-1" / "model.bin"

    def row(self) -> dict[str, Any]:
        """As JSON; `read_job` is the inverse."""
        return {name: str(value) if isinstance(value, Path) else value for name, value in asdict(self).items()}

    @property
    def settings(self) -> list[str]:
        """What differs from the default config, as words of the command."""
        return [f"recall.budget_share=[{self.budget_share}]", "recall.rounds=1", f"workers={self.workers}"]

    @property
    def config(self) -> CorpusConfig:
        """The config that `settings` gives."""
        recall = {"rounds": 1, "budget_share": [self.budget_share]}
        return CorpusConfig.model_validate({"recall": recall, "workers": self.workers})


def read_job(path: Path) -> Job:
    """The job that `bench/corpus.py` wrote."""
    row = json.loads(path.read_text())
    return Job(**row | {name: Path(row[name]) for name in ("crawl", "benchmarks", "seed_pages", "folder")})


def page_work(job: Job) -> None:
    """What a worker does for one page after another (`corpus.pages.page_of_span`), each part of it clocked."""
    spent: defaultdict[str, float] = defaultdict(float)
    counts: Counter[str] = Counter()
    for part in crawl_parts(job.crawl, job.config.reading):
        for capture in clocked_captures(part, job.config, spent):
            counts["captures"] += 1
            counts["html"] += len(capture.body)
            if not capture.problem and (key := url_key(capture.url)) is not None:
                counts["texts"] += page_of(capture, key, job.config.duplicates.hashes, spent)
    for step, seconds in spent.items():
        first = step == "read"
        found = {"pages": counts["captures" if first else "texts"], "bytes": counts["html"] if first else 0}
        say(step, seconds, found)


def clocked_captures(part: Part, config: CorpusConfig, spent: defaultdict[str, float]) -> Iterator[Capture]:
    """The captures of a part: splitting, decompressing and parsing are clocked as `read`."""
    spans = part.spans(most_bytes=config.reading.max_body_bytes + MOST_HEADERS)
    while True:
        with clock(spent, "read"):
            found = next(spans, None)
            span = found[1] if found is not None and is_capture(found[1]) else None
            capture = capture_of(span, max_body_bytes=config.reading.max_body_bytes) if span is not None else None
        if found is None:
            return
        if capture is not None:
            yield capture


def page_of(capture: Capture, key: str, hashes: int, spent: defaultdict[str, float]) -> bool:
    """Does the parts of `corpus.pages.page_of`; whether there was any text."""
    with clock(spent, "decode"):
        html = decode(capture.body, capture.content_type)
    with clock(spent, "extract"):
        text = extract(html).text
    if not text:
        return False
    with clock(spent, "language"):
        language_of(text)
    with clock(spent, "count and digest"):
        content_id(key, text), domain_of(key), count_tokens(text), text_digest(text)
    with clock(spent, "signature"):
        signature(text, hashes=hashes)
    return True


def pool(job: Job) -> None:
    """Reading and page work as the stage does them, with worker processes; the sum over all processes."""
    config = job.config
    with total("workers", job) as found:
        extract_crawl(
            crawl_parts(job.crawl, config.reading),
            job.folder / "captures",
            hashes=config.duplicates.hashes,
            max_body_bytes=config.reading.max_body_bytes,
            workers=config.workers,
            limits=Limits(config.reading.timeout_seconds, config.reading.memory_bytes),
        )
        found["pages"] = read_parquet(job.folder / "captures", ["reason"]).num_rows
        found["bytes"] = bytes_in(job.folder / "captures")
        found["light_bytes"] = light_bytes(job.folder / "captures")


def deduplicate(job: Job) -> None:
    """One page of each URL, of each text, of near-duplicates."""
    with total("deduplicate", job) as found:
        captures, pages = job.folder / "captures", job.folder / "pages"
        distinct = write_distinct(captures, pages, job.config.duplicates, shards=job.config.shards)
        found["pages"] = distinct.steps[0].left.pages
        found["bytes"] = bytes_in(job.folder / "pages")


def teach(job: Job) -> None:
    """A classifier of the seed pages; no step of the chain."""
    listed = (url_key(text.strip()) for text in job.seed_pages.read_text(encoding="utf-8").splitlines())
    keys = sorted({key for key in listed if key})
    pages = frames.scan(job.folder / "pages").select("id", "key")
    given = frozenset(row["id"] for row in frames.rows(pages.where(frames.col("key").is_in(keys))))
    with MetricsLog(job.folder / "taught") as log:
        iterate(job.folder / "pages", job.folder / "taught", given, job.config, reviewed=(), log=log)


def recall(job: Job) -> None:
    """Scores by the ready classifier, and the cut."""
    with total("score and cut", job) as found:
        recall_with(job.model, job.folder / "pages", job.folder, frozenset(), job.config)
        found["pages"] = frames.scan(job.folder / "pages").count_rows()
        found["bytes"] = bytes_in(job.folder / "round-1")


def benchmark_index(job: Job) -> None:
    """The index of benchmark grams and its self-test: once for a run, whatever the crawl."""
    rules = job.config.decontamination
    with total("benchmark index", job) as found:
        folder = job.folder / "index"
        build_index(job.benchmarks, folder, answers=rules.answers, gram_tokens=rules.gram_tokens)
        checked(self_test(load_index(folder), Rule(rules.removes), per_file=rules.self_test_items, seed=0))
        found["bytes"] = bytes_in(folder)


def decontaminate(job: Job) -> None:
    """What each distinct page quotes of the benchmarks."""
    with total("decontaminate", job) as found:
        pages = frames.scan(job.folder / "pages").select("id", "text")
        rule = Rule(job.config.decontamination.removes)
        quoted = release.with_quotations(pages, job.folder / "index", rule).exclude("text").to_arrow()
        write_parquet(job.folder / "quoted" / "quoted.parquet", quoted.sort_by("id"))
        found["pages"] = quoted.num_rows
        found["bytes"] = bytes_in(job.folder / "quoted")


def write(job: Job) -> None:
    """The Parquet files of the corpus."""
    with total("write", job) as found:
        state = read_state(job.folder / "round-1")
        assert state is not None
        joined = frames.scan(job.folder / "pages").join(frames.scan(job.folder / "quoted"), on="id")
        pages = release.cleaned(joined).collect()
        mine, other = round_frames.with_rounds(pages, mined.collected_folders(job.folder, state))
        mine = round_frames.with_provenance(mine, {}).collect()
        general = outputs.capped(other.collect(), tokens=job.config.general_tokens, seed=0)
        for name, frame in (("pages", mine), ("general", general)):
            folder = job.folder / "corpus" / name
            scratch = job.folder / f"writing-{name}"
            outputs.write_kept(
                frame, folder, scratch, shards=job.config.shards, mask_emails=False, mask_ip_addresses=False
            )
        found["pages"] = pages.count_rows()
        found["bytes"] = bytes_in(job.folder / "corpus")


def bytes_in(folder: Path) -> int:
    """Bytes of the files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def light_bytes(folder: Path) -> int:
    """Compressed bytes of all columns but text and signature: what a group-by moves."""
    files = [pq.ParquetFile(path).metadata for path in folder.glob("*.parquet")]
    columns = (
        one.row_group(group).column(number)
        for one in files
        for group in range(one.num_row_groups)
        for number in range(one.num_columns)
    )
    return sum(one.total_compressed_size for one in columns if one.path_in_schema not in ("text", "signature"))


def say(step: str, cpu_seconds: float, counts: Mapping[str, int]) -> None:
    """One JSON line."""
    both = {name: counts[name] for name in ("pages", "bytes")}
    print(json.dumps({"step": step, "cpu_seconds": cpu_seconds, **both, **counts}), flush=True)


@contextmanager
def clock(spent: defaultdict[str, float], step: str) -> Iterator[None]:
    """Adds the processor time of its block to a step."""
    started = time.process_time()
    yield
    spent[step] += time.process_time() - started


@contextmanager
def total(step: str, job: Job) -> Iterator[Counter[str]]:
    """Prints the processor time of its block, children included, with the `pages` and `bytes` that it fills in."""
    found: Counter[str] = Counter()
    started = used()
    yield found
    say(step, used() - started, found)


def used() -> float:
    """Processor time of this process and of its children that have ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


STEPS: dict[str, Callable[[Job], None]] = {
    "page_work": page_work,
    "pool": pool,
    "deduplicate": deduplicate,
    "teach": teach,
    "recall": recall,
    "index": benchmark_index,
    "decontaminate": decontaminate,
    "write": write,
}


def main() -> None:
    """Runs the step that the command names."""
    STEPS[sys.argv[1]](read_job(Path(sys.argv[2])))
