"""The sites of the crawl and the addresses of their pages."""

import random
import re
import unicodedata
from dataclasses import dataclass

from corpus.crawlgen.drafts import Draft
from corpus.crawlgen.formula import MARKED
from corpus.crawlgen.writer import TEXT


@dataclass(frozen=True, slots=True)
class Section:
    """Pages of one kind under one path; `weight` is their share of the crawl."""

    path: str
    kind: str
    weight: int


@dataclass(frozen=True, slots=True)
class Site:
    """One host.

    `form` is how its formulas are written, `charset` how its bytes are; with `charset_in_page_only` no header tells."""

    host: str
    language: str
    layout: str
    form: str
    charset: str
    charset_in_page_only: bool
    sections: tuple[Section, ...]


def load_sites() -> list[Site]:
    """The sites of `text/sites.txt`, in its order."""
    lines = (TEXT / "sites.txt").read_text(encoding="utf-8").splitlines()
    return [_site(line) for line in lines if line.strip() and not line.startswith("#")]


def _site(line: str) -> Site:
    host, language, layout, form, charset, sections = (part.strip() for part in line.split(";"))
    found = []
    for section in sections.split():
        path, _, kind = section.rpartition("=")
        name, _, weight = kind.partition(":")
        found.append(Section(path, name, int(weight)))
    return Site(host, language, layout, form, charset.rstrip("*"), charset.endswith("*"), tuple(found))


def page_counts(sites: list[Site], pages: int) -> dict[tuple[str, str], int]:
    """How many pages each (host, path) gets of `pages` in all, by weight; the rounding is carried on."""
    sections = [(site.host, section) for site in sites for section in site.sections]
    total, before, counts = sum(section.weight for _, section in sections), 0, {}
    for host, section in sections:
        after = before + section.weight
        counts[host, section.path] = after * pages // total - before * pages // total
        before = after
    return counts


def slug(title: str, most_words: int = 7) -> str:
    """ASCII words of a title joined by hyphens; empty for a Chinese one."""
    plain = unicodedata.normalize("NFKD", MARKED.sub(" ", title)).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain.lower())[:most_words])


def page_url(site: Site, section: Section, draft: Draft, number: int, rng: random.Random, taken: set[str]) -> str:
    """An address no other page has; it is added to `taken`."""
    words = slug(draft.title) or f"page-{number}"
    values = {
        "slug": words,
        "Slug": words.replace("-", "_").capitalize(),
        "id": str(1000 + number * 37 + rng.randrange(37)),
        "n": str(number),
        "topic": draft.topic or "general",
        "year": str(rng.randint(2011, 2024)),
        "month": f"{rng.randint(1, 12):02d}",
    }
    path = re.sub(r"\{(\w+)\}", lambda hole: values[hole[1]], section.path)
    if f"https://{site.host}{path}" in taken:
        stem, dot, ending = path.rpartition(".") if re.search(r"\.\w{3,5}$", path) else (path, "", "")
        path = f"{stem.rstrip('/')}-{number}{dot}{ending}{'/' if path.endswith('/') else ''}"
    url = f"https://{site.host}{path}"
    taken.add(url)
    return url
