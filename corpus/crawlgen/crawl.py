"""The crawl as a whole: every page of every site, what is planted among them, in the order in which it was fetched."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from commons.seeds import rng
from corpus.crawlgen.benchmarks import Row
from corpus.crawlgen.layout import plain_title
from corpus.crawlgen.maths_pages import KINDS as MATHS_KINDS
from corpus.crawlgen.maths_pages import maths_page
from corpus.crawlgen.other_pages import other_page
from corpus.crawlgen.planted import Page, Record, near_duplicate, planted_records, quotation, record_of
from corpus.crawlgen.sites import Site, load_sites, page_counts, page_url
from corpus.crawlgen.writer import Writer

# Sites whose pages serve as seeds of the first round.
SEED_SITES = ("numberloft-academy.org", "slowproofs-notebook.org", "drill-garden-sums.com", "xiaozhang-shuxueban.cn")


@dataclass(frozen=True, slots=True)
class Crawl:
    """Records in fetch order, and addresses of good maths pages to start from."""

    records: tuple[Record, ...]
    seed_urls: tuple[str, ...]


def make_crawl(
    seed: int,
    benchmarks: Mapping[str, Sequence[Row]],
    *,
    pages: int,
    near_duplicates: int,
    quotations: int,
    seed_pages: int,
) -> Crawl:
    """A crawl of so many ordinary pages and the planted ones."""
    sites = load_sites()
    ordinary = _quoting(_pages(seed, sites, pages), benchmarks, quotations, seed)
    by_site: dict[str, list[Page]] = {}
    for page, _ in ordinary:
        by_site.setdefault(page.site.host, []).append(page)
    records = []
    for page, item in ordinary:
        w = Writer(rng(seed, "frame", page.url), page.site.language)
        others = w.rng.sample(by_site[page.site.host], min(5, len(by_site[page.site.host])))
        record = record_of(page, [(other.url, plain_title(other.draft.title)) for other in others], w)
        records.append(replace(record, planted="quote_benchmark", of=item) if item else record)
    stream = rng(seed, "planted")
    clean = [page for page, item in ordinary if not item]
    copies = [_copy(seed, page, sites) for page in stream.sample(clean, near_duplicates)]
    planted = list(planted_records(records, stream))
    order = records + copies + planted
    rng(seed, "order").shuffle(order)
    return Crawl(tuple(order), _seed_urls(clean, seed_pages, rng(seed, "seeds")))


def _pages(seed: int, sites: Sequence[Site], pages: int) -> list[Page]:
    counts = page_counts(list(sites), pages)
    made: list[Page] = []
    taken: set[str] = set()
    for site in sites:
        number = 0
        for section in site.sections:
            for _ in range(counts[site.host, section.path]):
                number += 1
                stream = rng(seed, "page", site.host, number)
                w = Writer(stream, site.language)
                is_math = section.kind == "maths" or section.kind in MATHS_KINDS
                draft = maths_page(w, section.kind) if is_math else other_page(w, section.kind)
                made.append(Page(page_url(site, section, draft, number, stream, taken), site, draft, number))
    return made


def _quoting(
    pages: list[Page], benchmarks: Mapping[str, Sequence[Row]], quotations: int, seed: int
) -> list[tuple[Page, str]]:
    """The pages with the benchmark item each quotes; mostly maths pages, in the item's own language."""
    stream = rng(seed, "quotations")
    items = [(name[-2:], row) for name in sorted(benchmarks) for row in benchmarks[name]]
    chosen = [(language, row) for language, row in stream.sample(items, min(quotations, len(items)))]
    quoted: dict[str, tuple[Page, str]] = {}
    for language, row in chosen:
        fitting = [page for page in pages if page.site.language == language and page.url not in quoted]
        maths = [page for page in fitting if page.draft.is_math]
        page = stream.choice(maths if stream.random() < 0.8 else fitting)
        quoted[page.url] = quotation(page, row, Writer(stream, language)), row["id"]
    return [quoted.get(page.url, (page, "")) for page in pages]


def _copy(seed: int, page: Page, sites: Sequence[Site]) -> Record:
    w = Writer(rng(seed, "copy", page.url), page.site.language)
    fits = [
        site
        for site in sites
        if site.language == page.site.language and site.host != page.site.host and site.charset == "utf-8"
    ]
    return near_duplicate(page, w.rng.choice(fits or [page.site]), w)


def _seed_urls(pages: Sequence[Page], count: int, stream: random.Random) -> tuple[str, ...]:
    fitting = [page.url for page in pages if page.site.host in SEED_SITES and page.draft.is_math]
    return tuple(sorted(stream.sample(fitting, min(count, len(fitting)))))
