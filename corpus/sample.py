"""python -m corpus.sample: the embedded default, a crawl of our own making in real WARC files.

Every word of it is ours, no site in it exists. Its labels lie in `truth/`, which the corpus stage never opens."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from commons.config import Config
from commons.files import write_atomic
from commons.shards import write_jsonl
from commons.stage import Inputs, Outcome, Stage, Work, main
from corpus.crawlgen.benchmarks import benchmark_rows
from corpus.crawlgen.crawl import make_crawl
from corpus.crawlgen.planted import HTML, Record
from corpus.crawlgen.warcs import write_warcs


class SampleConfig(Config):
    """What the made-up crawl holds."""

    seed: int = Field(0, ge=0)
    """Seed of every random choice. [-; ours]"""
    pages: int = Field(3400, ge=600)
    """Ordinary pages, before anything is planted. [pages; ours]"""
    warc_files: int = Field(8, ge=1)
    """WARC files the records are dealt to. [files; ours]"""
    near_duplicates: int = Field(90, ge=0)
    """Pages that appear once more on another site, slightly changed. [pages; ours]"""
    quotations: int = Field(30, ge=0)
    """Pages that quote a benchmark question whole. [pages; ours]"""
    seed_pages: int = Field(180, ge=1)
    """Addresses in seeds.txt, the positives of the first round. [pages; ours]"""
    english_questions: int = Field(200, ge=1)
    """Benchmark questions in English. [questions; ours]"""
    chinese_questions: int = Field(100, ge=1)
    """Benchmark questions in Chinese. [questions; ours]"""
    short_questions: int = Field(12, ge=0)
    """Benchmark questions of 3 to 9 grams in English; half as many in Chinese. [questions; ours]"""


def make_sample(work: Work, config: SampleConfig, inputs: Inputs) -> Outcome:
    """Writes the crawl, its seed list, the benchmarks it leaks and the labels."""
    benchmarks = benchmark_rows(
        config.seed, english=config.english_questions, chinese=config.chinese_questions, short=config.short_questions
    )
    crawl = make_crawl(
        config.seed,
        benchmarks,
        pages=config.pages,
        near_duplicates=config.near_duplicates,
        quotations=config.quotations,
        seed_pages=config.seed_pages,
    )
    places = write_warcs(work.folder / "warc", crawl.records, config.warc_files)
    write_atomic(work.folder / "seeds.txt", "".join(f"{url}\n" for url in crawl.seed_urls))
    for name, rows in benchmarks.items():
        write_jsonl(work.folder / "benchmarks" / f"{name}.jsonl", rows)
    _write_truth(work.folder / "truth", crawl.records, places)
    counts = crawl_counts(crawl.records)
    return Outcome(
        {**counts, "seed_pages": len(crawl.seed_urls), "questions": sum(map(len, benchmarks.values()))},
        f"{counts['pages']} pages on {counts['domains']} sites in {config.warc_files} WARC files, "
        f"{counts['maths_pages']} with mathematics",
    )


def crawl_counts(records: Sequence[Record]) -> dict[str, object]:
    """What the crawl holds: records, good answers in HTML, sites, languages, planted ones by kind."""
    pages = [record for record in records if _is_page(record)]
    return {
        "records": len(records),
        "pages": len(pages),
        "maths_pages": sum(record.is_math for record in pages),
        "domains": len({record.site.host for record in pages}),
        "languages": dict(sorted(Counter(record.site.language for record in pages).items())),
        "planted": dict(sorted(Counter(record.planted for record in records if record.planted).items())),
    }


def _is_page(record: Record) -> bool:
    return record.status.startswith("200") and record.content_type.startswith(HTML)


def _write_truth(folder: Path, records: Sequence[Record], places: Sequence[tuple[str, str]]) -> None:
    pages = [("url", "site", "is_math", "language", "kind", "planted")]
    planted = [("kind", "url", "of", "detail", "file", "record_id")]
    for record, (file, identifier) in zip(records, places, strict=True):
        if _is_page(record):
            label = record.planted or "-"
            pages.append(
                (record.url, record.site.host, str(int(record.is_math)), record.site.language, record.kind, label)
            )
        if record.planted:
            planted.append((record.planted, record.url, record.of, record.detail, file, identifier))
    write_atomic(folder / "pages.tsv", _table(pages))
    write_atomic(folder / "planted.tsv", _table(planted))


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    return "".join("\t".join(row) + "\n" for row in (rows[0], *sorted(rows[1:])))


STAGE = Stage(
    name="corpus.sample",
    about="Writes the embedded default crawl: pages of our own making in WARC files, with seeds and benchmarks.",
    config=SampleConfig,
    run=make_sample,
    makes="crawl",
)

if __name__ == "__main__":
    raise SystemExit(main(STAGE))
