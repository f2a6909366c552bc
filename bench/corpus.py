"""WARC to decontaminated Parquet beside datatrove 0.10 on the same files and two cores; the steps of our chain alone.

    make bench NAME=corpus                         all figures, on ../shared/data/web (DSM_SHARED)
    python -m bench.corpus --crawl FOLDER --seed-pages FILE --benchmarks FOLDER [--passes N] [--only steps|chain]

First the steps run one by one, each in a process of its own; the step `teach` (no part of the chain) leaves the
classifier that both sides are given. Then the whole chains run in turns, as commands: `python -m corpus --model` and
bench/peer_datatrove.py, from the start of the interpreter to the last file, the index of the benchmarks included. Both
keep what the same classifier puts above the same probability. Processor time counts all processes of a command; on a
loaded machine its ratio says more than that of the clock. Pages by step of both sides go to stderr. The lines are also
left in runs/.bench/corpus/lines.jsonl, for `python -m bench.cost_model`.
"""

import argparse
import ctypes
import json
import math
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.corpus_steps import STEPS, Job
from bench.peer_venv import python_of
from bench.rl_gain import line
from commons.tables import ENDINGS, read_rows
from corpus.benchmarks import is_question, items_of, stem

PEER = "datatrove 0.10.1"
PINS = ("datatrove[io,processing]==0.10.1", "spacy==3.8.18", "lxml_html_clean==0.4.6")
DATA = Path(os.environ.get("DSM_SHARED", "../shared")) / "data"
SCRATCH = Path("runs/.bench/corpus")
CORES = 2
BUDGET_SHARE = 0.46  # what plain text of this crawl has of mathematics
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux: processes that outlive their parent are ours to wait for
RUN_STEP = "from bench.corpus_steps import main; main()"  # no module that its own worker processes would import again


@dataclass(frozen=True, slots=True)
class Measured:
    """What a command took: seconds, processor seconds of all its processes, peak MiB of the largest one; its output."""

    seconds: float
    cpu_seconds: float
    memory_mib: float
    output: str


def measured(command: Sequence[str]) -> Measured:
    """Runs a command to its end, and to that of every process that it leaves behind."""
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - started
    if process.returncode:
        raise SystemExit(f"exit code {process.returncode}: {' '.join(command)}")
    cpu, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss
    for left in left_behind():
        cpu, memory = cpu + left.ru_utime + left.ru_stime, max(memory, left.ru_maxrss)
    return Measured(seconds, cpu, memory / 1024, output)


def left_behind() -> Iterator[Any]:
    """The use of each process that outlived its parent, once it has ended."""
    while True:
        try:
            yield os.wait4(-1, 0)[2]
        except ChildProcessError:
            return


def step_rows(job: Job, job_file: Path) -> list[dict[str, Any]]:
    """{step, cpu_seconds, pages, bytes, memory_mib} of each step, in order; what workers add is a step of its own."""
    rows: list[dict[str, Any]] = []
    for name in STEPS:
        done = measured([sys.executable, "-c", RUN_STEP, name, str(job_file)])
        found = [json.loads(text) for text in done.output.splitlines()]
        rows += [row | {"memory_mib": round(done.memory_mib)} for row in found]
    inside = sum(row["cpu_seconds"] for row in rows[: [row["step"] for row in rows].index("workers")])
    return [
        row | {"cpu_seconds": max(row["cpu_seconds"] - inside, 0.0)} if row["step"] == "workers" else row
        for row in rows
    ]


def step_lines(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """One line for each step: pages/s/core, with its share of the processor time of all."""
    total = sum(row["cpu_seconds"] for row in rows)
    for row in rows:
        name = row["step"].replace(" ", "_")
        speed = row["pages"] / row["cpu_seconds"] if row["cpu_seconds"] else 0.0
        share = {"share": round(row["cpu_seconds"] / total, 4)}
        yield json.dumps(json.loads(line(f"corpus_step_{name}", speed, "pages/s/core", row["pages"])) | row | share)


def our_command(job: Job, out: Path) -> list[str]:
    """The stage with the ready classifier."""
    inputs = {"crawl": job.crawl, "model": job.model, "benchmarks": job.benchmarks, "out": out}
    flags = [text for name, path in inputs.items() for text in (f"--{name}", str(path))]
    return [sys.executable, "-m", "corpus", *flags, *job.settings]


def peer_command(job: Job, least: float, out: Path) -> list[str]:
    """The same work by datatrove: what the classifier gives at least the probability `least` is kept."""
    rows, about = job.folder / "benchmark_rows.jsonl", job.folder / "peer.json"
    rows.write_text("".join(json.dumps(row) + "\n" for row in benchmark_rows(job)))
    facts = {"crawl": str(job.crawl), "benchmarks": str(rows), "model": str(job.model), "out": str(out)}
    about.write_text(json.dumps(facts | {"label": "maths", "least": least, "gram_tokens": gram_tokens(job)}))
    return [str(python_of("datatrove", PINS)), "bench/peer_datatrove.py", str(about.resolve())]


def gram_tokens(job: Job) -> int:
    """The length of a gram on both sides."""
    return job.config.decontamination.gram_tokens


def benchmark_rows(job: Job) -> Iterator[dict[str, str]]:
    """The protected texts as documents with a question and an answer."""
    rules = job.config.decontamination
    for path in sorted(path for path in job.benchmarks.rglob("*") if path.name.lower().endswith(ENDINGS)):
        for row in read_rows(path):
            items = list(
                items_of(path.name, row.number, row.fields, answers=rules.answers, gram_tokens=rules.gram_tokens)
            )
            texts = [" ".join(one.text for one in items if is_question(one) is kind) for kind in (True, False)]
            yield {"task": stem(path.name), "question": texts[0], "answer": texts[1]}


def chain_lines(job: Job, passes: int) -> Iterator[str]:
    """Whole chains in turns; the best pass of each counts."""
    ours, theirs = SCRATCH / "ours", SCRATCH / "datatrove"
    peer = None
    mine, others = [], []
    for _ in range(passes):
        shutil.rmtree(ours, ignore_errors=True)
        shutil.rmtree(theirs, ignore_errors=True)
        mine.append(measured(our_command(job, ours)))
        peer = peer or peer_command(job, least_probability(ours), theirs.resolve())
        others.append(measured(peer))
    assert peer is not None
    pages = json.loads((ours / "manifest.json").read_text())["counts"]["captures"]
    print(others[-1].output, file=sys.stderr)
    for name, unit, what in (("", "pages/s", "seconds"), ("_core", "pages/s/core", "cpu_seconds")):
        best = [min(getattr(one, what) for one in runs) for runs in (mine, others)]
        yield line(f"chain_pages_per_second{name}", pages / best[0], unit, pages, PEER, pages / best[1])
    yield line("chain_memory_mib", min(one.memory_mib for one in mine), "MiB", pages, PEER, others[0].memory_mib)
    start, peer_start = measured([sys.executable, "-m", "corpus", "--help"]), measured(peer[:2])
    yield line("chain_start_seconds", start.seconds, "s", 1, PEER, peer_start.seconds)
    yield line("chain_start_cpu_seconds", start.cpu_seconds, "s", 1, PEER, peer_start.cpu_seconds)
    shutil.rmtree(SCRATCH / "index", ignore_errors=True)
    index = [sys.executable, "-m", "corpus.index", "--benchmarks", str(job.benchmarks), "--out", str(SCRATCH / "index")]
    stages = json.loads(others[-1].output.splitlines()[-1])["seconds"]
    yield line("chain_index_seconds", measured(index).seconds, "s", 1, PEER, stages["index"])


def least_probability(corpus: Path) -> float:
    """The probability of the last page that our chain kept, by its log-odds."""
    score = json.loads((corpus / "rounds.json").read_text())["rounds"][0]["cutoff_score"]
    return 1 / (1 + math.exp(-score))


def sample_line(job: Job) -> str:
    """The size of the crawl, for projections: compressed bytes of its WARC files."""
    size = sum(path.stat().st_size for path in job.crawl.glob("*.warc.gz"))
    return line("corpus_sample_bytes", size, "bytes", 1)


def main() -> None:
    """Prints one JSON line per figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crawl", type=Path, default=DATA / "web")
    parser.add_argument("--seed-pages", type=Path, default=DATA / "web" / "seeds.txt")
    parser.add_argument("--benchmarks", type=Path, default=DATA / "benchmarks")
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--only", choices=("steps", "chain"), help="`chain` takes the classifier of an earlier run")
    flags = parser.parse_args()
    ctypes.CDLL(None).prctl(SUBREAPER, 1)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    os.environ["OMP_NUM_THREADS"] = "1"
    crawl, benchmarks, seed_pages = (path.resolve() for path in (flags.crawl, flags.benchmarks, flags.seed_pages))
    job = Job(crawl, benchmarks, seed_pages, (SCRATCH / "steps").resolve(), BUDGET_SHARE)
    if flags.only != "chain":
        shutil.rmtree(SCRATCH, ignore_errors=True)
    job.folder.mkdir(parents=True, exist_ok=True)
    with (SCRATCH / "lines.jsonl").open("a") as kept:
        for text in lines_of(job, flags.only, flags.passes):
            print(text, flush=True)
            kept.write(text + "\n")


def lines_of(job: Job, only: str | None, passes: int) -> Iterator[str]:
    """The lines of the parts that are asked for."""
    if only != "chain":
        job_file = job.folder / "job.json"
        job_file.write_text(json.dumps(job.row()))
        yield sample_line(job)
        yield from step_lines(step_rows(job, job_file))
    if only != "steps":
        yield from chain_lines(job, passes)


if __name__ == "__main__":
    main()
