"""What a Common Crawl dump and the paper's 40 billion pages would cost, from the lines of `make bench NAME=corpus`.

    python -m bench.cost_model [runs/.bench/corpus/lines.jsonl]      prints tables in Markdown

Measured is what the steps took on the crawl of that run; everything about other sizes is extrapolated: cost per page
times pages, and for the steps that read HTML also cost per byte of HTML times bytes, since the pages of a dump are
longer. Bytes shuffled are those that leave the place where they were made: the light columns for each of the two
group-bys, band keys, and the distinct pages on their way to the shard of their id.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LINES = Path("runs/.bench/corpus/lines.jsonl")
PREFIX = "corpus_step_"
OF_HTML = ("read", "decode", "extract")  # steps whose cost grows with the bytes of HTML
FIXED = ("benchmark index",)  # once for a run, whatever the crawl
GROUP_BYS = 2  # by URL, by text
BANDS, BAND_BYTES = 16, 16  # a band key and an id
TEBI = 1 << 40


@dataclass(frozen=True, slots=True)
class Target:
    """A crawl to project to. `html_bytes` of one page (None: not known); `source` says where the figures are from."""

    name: str
    pages: float
    html_bytes: float | None
    source: str


DUMP = Target(
    "one dump (CC-MAIN-2024-51)",
    2.64e9,
    394 * TEBI / 2.64e9,
    "2.64 billion pages, 394 TiB uncompressed: blog.commoncrawl.org/blog/december-2024-crawl-archive-now-available; "
    "some 75 TB compressed: arXiv 2404.09770",
)
PAPER = Target("40 billion pages", 40e9, DUMP.html_bytes, "section 2.1; bytes of a page as in the dump")


@dataclass(frozen=True, slots=True)
class Step:
    """A measured step: processor seconds of its pages, peak MiB of a process, bytes that it left on disk."""

    name: str
    pages: int
    cpu_seconds: float
    memory_mib: int
    bytes: int
    light_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """The measured run: captures, bytes of HTML in them, its steps."""

    captures: int
    html_bytes: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """Core-hours with every step by pages, and with the steps of OF_HTML by bytes; bytes shuffled; bytes on disk."""

    core_hours: float
    core_hours_by_bytes: float | None
    shuffled: float
    disk: float


def sample_of(rows: Sequence[Mapping[str, Any]]) -> Sample:
    """The sample in the lines of the bench. Raises KeyError or StopIteration for lines of something else."""
    fields = ("pages", "cpu_seconds", "memory_mib", "bytes")
    steps = tuple(
        Step(name=row["step"], light_bytes=row.get("light_bytes", 0), **{name: row[name] for name in fields})
        for row in rows
        if row["figure"].startswith(PREFIX)
    )
    read = next(step for step in steps if step.name == "read")
    return Sample(read.pages, read.bytes, steps)


def core_hours(sample: Sample, step: Step, target: Target, *, by_bytes: bool) -> float:
    """A step at the size of a target. The share of pages that reach the step is that of the sample."""
    if step.name in FIXED:
        return step.cpu_seconds / 3600
    if by_bytes and step.name in OF_HTML and target.html_bytes is not None:
        return step.cpu_seconds / sample.html_bytes * target.html_bytes * target.pages / 3600
    return step.cpu_seconds / sample.captures * target.pages / 3600


def cost(sample: Sample, target: Target) -> Cost:
    """All steps at the size of a target."""
    by_pages = sum(core_hours(sample, step, target, by_bytes=False) for step in sample.steps)
    by_bytes = sum(core_hours(sample, step, target, by_bytes=True) for step in sample.steps)
    growth = target.pages / sample.captures
    fixed = sum(step.bytes for step in sample.steps if step.name in FIXED)
    disk = stored(sample) * growth + fixed
    return Cost(by_pages, by_bytes if target.html_bytes else None, shuffled(sample) * growth, disk)


def shuffled(sample: Sample) -> int:
    """Bytes that the sample moved."""
    known = {step.name: step for step in sample.steps}
    light = GROUP_BYS * known["workers"].light_bytes
    return light + band_bytes(sample) + known["deduplicate"].bytes


def stored(sample: Sample) -> int:
    """Bytes that the sample had on disk at its peak: nothing of the work is deleted before the corpus is finished."""
    kept = sum(step.bytes for step in sample.steps if step.name not in (*FIXED, "read"))
    return kept + band_bytes(sample)


def band_bytes(sample: Sample) -> int:
    """Bytes of the band keys: those of each page that the search for near-duplicates sees."""
    return next(step.pages for step in sample.steps if step.name == "deduplicate") * BANDS * BAND_BYTES


def step_table(sample: Sample) -> Iterator[str]:
    """What was measured, and what it is at the size of a dump."""
    total = sum(step.cpu_seconds for step in sample.steps)
    head = "| step | measured: pages | ms a page | pages/s/core | share | memory of a process "
    yield head + "| extrapolated: core-hours of one dump |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for step in sample.steps:
        pages, speed = (f"{step.pages:,}", f"{step.pages / step.cpu_seconds:,.0f}") if step.pages else ("once", "-")
        each = f"{1000 * step.cpu_seconds / step.pages:.2f}" if step.pages else f"{step.cpu_seconds:.1f} s"
        low, high = (core_hours(sample, step, DUMP, by_bytes=one) for one in (False, True))
        grown = f"{low:,.0f}" if low == high else f"{low:,.0f} by pages, {high:,.0f} by bytes"
        memory = f"{step.memory_mib:,} MiB" if step.memory_mib else "-"
        yield row(step.name, [pages, each, speed, f"{step.cpu_seconds / total:.1%}", memory, grown])


def cost_table(sample: Sample) -> Iterator[str]:
    """The totals of the sample beside those of the targets."""
    here = Target("measured", sample.captures, None, "")
    found = [cost(sample, target) for target in (here, DUMP, PAPER)]
    yield f"| | measured: {sample.captures:,} captures | extrapolated: {DUMP.name} | extrapolated: {PAPER.name} |"
    yield "|---|---:|---:|---:|"
    yield row("core-hours, all steps by pages", [hours(one.core_hours) for one in found])
    yield row("core-hours, reading steps by bytes of HTML", [hours(one.core_hours_by_bytes) for one in found])
    yield row("bytes shuffled", [size(one.shuffled) for one in found])
    yield row("peak disk beside the crawl", [size(one.disk) for one in found])


def row(name: str, cells: Sequence[str]) -> str:
    """A row of Markdown."""
    return f"| {name} | " + " | ".join(cells) + " |"


def hours(count: float | None) -> str:
    """Core-hours, with decimals where there are few."""
    return "-" if count is None else f"{count:,.0f}" if count >= 10 else f"{count:.4f}"


def size(count: float) -> str:
    """Bytes in the largest unit that leaves a number of one or more."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.3g} PB"


def main() -> None:
    """Prints both tables and the sources."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else LINES
    if not path.is_file():
        raise SystemExit(f"{path} is not there: `make bench NAME=corpus` writes it")
    sample = sample_of([json.loads(text) for text in path.read_text().splitlines()])
    print(*step_table(sample), "", *cost_table(sample), "", f"Sources: {DUMP.source}.", sep="\n")
    print(f"HTML of a page: measured {sample.html_bytes / sample.captures / 1000:.1f} kB, ", end="")
    print(f"of a dump {(DUMP.html_bytes or 0) / 1000:.1f} kB (headers included).")


if __name__ == "__main__":
    main()
