"""What the first steps of the corpus make of the duplicates planted in a crawl with labels that no stage opens.

    python -m bench.web_dedup ../shared/data/web [--captures FOLDER]

Reads the crawl up to the distinct pages and prints JSON lines: planted repeats and near-duplicates found (a planted
page counts as found when it and its original have one survivor), each missed one with the true Jaccard similarity of
the two texts, and the removals whose similarity, computed anew from strings, is below the threshold. The text of a page
with next to none of its own is all that it shows, as in the comparison (`corpus.pages.Page.frame`).
"""

import argparse
import csv
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.rl_gain import line
from commons.shards import read_parquet
from corpus.config import CorpusConfig
from corpus.distinct import write_distinct
from corpus.extraction import extract_crawl
from corpus.stage import crawl_parts
from corpus.tokens import tokens_of
from corpus.workers import Limits

CONFIG = CorpusConfig()
KINDS = ("repeat_same_url", "repeat_tracking", "near_duplicate")


@dataclass(frozen=True, slots=True)
class Found:
    """The captures by url (newest last) and where each dropped one went."""

    captures: dict[str, list[dict[str, Any]]]
    survivors: dict[str, str]
    dropped: list[dict[str, Any]]
    texts: dict[str, str]

    def survivor(self, url: str) -> set[str]:
        """Ids of the pages that stand for the captures of this URL in the result."""
        return {self.survivors.get(row["id"], row["id"]) for row in self.captures.get(url, [])}


def mined(crawl: Path, folder: Path) -> Found:
    """Reads the crawl into `folder` (what is there already is kept) and removes its duplicates."""
    extract_crawl(
        crawl_parts(crawl, CONFIG.reading),
        folder / "captures",
        hashes=CONFIG.duplicates.hashes,
        max_body_bytes=CONFIG.reading.max_body_bytes,
        workers=CONFIG.workers,
        limits=Limits(CONFIG.reading.timeout_seconds, CONFIG.reading.memory_bytes),
    )
    distinct = write_distinct(folder / "captures", folder / "pages", CONFIG.duplicates, shards=CONFIG.shards)
    captures: dict[str, list[dict[str, Any]]] = {}
    for row in read_parquet(folder / "captures", ["id", "url", "key", "text", "frame", "reason"]).to_pylist():
        captures.setdefault(row["url"], []).append(row)
    every = [row for rows in captures.values() for row in rows]
    dropped = [row for row in distinct.dropped if "survivor" in row]
    survivors = {row["id"]: row["survivor"] for row in dropped}
    return Found(captures, survivors, dropped, {row["id"]: _compared(row) for row in every})


def similarity(left: str, right: str) -> float:
    """Jaccard similarity of the runs of five tokens, from strings."""
    mine, other = runs(left), runs(right)
    return len(mine & other) / len(mine | other) if mine and other else 0.0


def runs(text: str) -> set[str]:
    """The runs of five tokens of a text; the whole of a shorter one."""
    tokens = tokens_of(text)
    return {" ".join(tokens[at : at + 5]) for at in range(max(len(tokens) - 4, 1))} if tokens else set()


def planted_figures(found: Found, planted: list[dict[str, str]]) -> Iterator[str]:
    """One line for each kind, and one for each planted page that was missed."""
    for kind in KINDS:
        rows = [row for row in planted if row["kind"] == kind]
        missed = [row for row in rows if not is_found(found, row)]
        yield line(f"planted_{kind}_found", len(rows) - len(missed), "pages", len(rows))
        for row in missed:
            yield json.dumps({"missed": row["url"], "of": row["of"], "detail": row["detail"]} | why(found, row))


def is_found(found: Found, row: dict[str, str]) -> bool:
    """Whether the planted page and its original came to one page (or to two captures of one, of which one is gone)."""
    if row["url"] == row["of"]:
        return len(found.captures[row["url"]]) > 1 and len(found.survivor(row["url"])) == 1
    return len(found.survivor(row["url"]) | found.survivor(row["of"])) == 1


def why(found: Found, row: dict[str, str]) -> dict[str, Any]:
    """The true similarity of a missed pair, and the reasons of captures without text."""
    absent = {"text": "", "frame": "", "reason": "absent"}
    pair = [found.captures.get(row[name], [absent])[-1] for name in ("url", "of")]
    reasons = [one["reason"] for one in pair if one["reason"]]
    tokens = [len(tokens_of(one["text"])) for one in pair]
    return {"similarity": round(similarity(*map(_compared, pair)), 4), "tokens": tokens, "reasons": reasons}


def _compared(row: dict[str, Any]) -> str:
    return str(row["frame"] or row["text"])


def removal_figures(found: Found) -> Iterator[str]:
    """Near-duplicate removals whose two texts are less alike than the threshold, or whose reported figure is wrong."""
    rows = [row for row in found.dropped if row["reason"] == "near duplicate"]
    true = [similarity(found.texts[row["id"]], found.texts[row["survivor"]]) for row in rows]
    false = sum(value < CONFIG.duplicates.similarity for value in true)
    wrong = sum(abs(value - row["similarity"]) > 1e-9 for value, row in zip(true, rows, strict=True))
    yield line("near_duplicate_removals", len(rows), "pages", len(found.texts))
    yield line("false_removals", false / max(len(rows), 1), "fraction", len(rows))
    yield line("removals_with_a_wrong_similarity", wrong, "pages", len(rows))


def main() -> None:
    """Prints one JSON line per figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crawl", type=Path, help="folder with WARC files and planted.tsv")
    parser.add_argument("--captures", type=Path, help="work here, and keep what was read (default: a temporary folder)")
    flags = parser.parse_args()
    with (flags.crawl / "planted.tsv").open(encoding="utf-8", newline="") as file:
        planted = list(csv.DictReader(file, delimiter="\t"))
    with tempfile.TemporaryDirectory() as folder:
        found = mined(flags.crawl, flags.captures or Path(folder))
    print(*planted_figures(found, planted), sep="\n")
    print(*removal_figures(found), sep="\n")


if __name__ == "__main__":
    main()
