"""How well the rounds find the mathematics of real pages, against labels that the corpus stage never opens.

`make bench NAME=web_quality` mines ../shared/data/web from its seeds.txt at several budgets, and a second domain from
seeds that are picked by URL, and prints JSON lines: precision and recall by page after each round, outside the sites of
the seed. Mathematics is a page of a site judged `math`, or a page of another site with three formulas or more.

    python -m bench.web_quality runs/web/corpus --labels ../shared/data/web    # a corpus that is there already
    python -m bench.web_quality runs/tiny/corpus --truth runs/tiny/crawl/truth/pages.tsv
"""

import argparse
import csv
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench.rl_gain import line
from commons.shards import read_jsonl, read_parquet

MATHS, OTHER = "math", "non-math"
MIN_FORMULAS = 3  # on a page of a site that is not judged math
# Shares of the deduplicated tokens in round 1, 2, ..; by plain text 46% are mathematics, and with our text 55.5% hold
# as many pages outside the seed's sites as are mathematics, so that there precision is recall.
BUDGETS = {"budget_30": [0.30], "budget_46": [0.46], "true_share_last": [0.46, 0.46, 0.46, 0.555]}
# Manuals of software by the sites' addresses: every third page is a seed page, the others are to be found.
MANUALS = ("fasttext.cc", "www.python-httpx.org", "datajuicer.github.io", "thudm.github.io")
RUNS = Path("runs/.bench/web_quality")
DATA = Path(os.environ.get("DSM_SHARED", "../shared")) / "data"


@dataclass(frozen=True, slots=True)
class Label:
    """What is known of a page: its site, whether that is judged math, and whether it has formulas elsewhere."""

    site: str
    of_maths_site: bool
    formulas_elsewhere: bool

    @property
    def maths(self) -> bool:
        """Either part."""
        return self.of_maths_site or self.formulas_elsewhere


def labels_of(folder: Path) -> dict[str, Label]:
    """URL -> label from pages.tsv (every page carries the judgement of sites.tsv)."""
    return {row["url"]: _label(row) for row in _rows(folder / "pages.tsv")}


def _label(row: Mapping[str, str]) -> Label:
    of_site = row["site_judgement"] == MATHS
    return Label(row["site"], of_site, not of_site and int(row["math_hits"]) >= MIN_FORMULAS)


def labels_of_truth(path: Path) -> dict[str, Label]:
    """URL -> label from those of the embedded crawl."""
    return {row["url"]: Label(row["site"], row["is_math"] in ("1", "True"), False) for row in _rows(path)}


def figures_of_round(found: set[str], labels: Mapping[str, Label]) -> dict[str, float]:
    """Precision and recall by page of what a round collected among `labels`, and recall of both parts."""
    maths = {url for url, label in labels.items() if label.maths}
    mine = found & labels.keys()
    parts = {
        "recall_maths_sites": {url for url in maths if labels[url].of_maths_site},
        "recall_formulas_elsewhere": {url for url in maths if labels[url].formulas_elsewhere},
    }
    return {
        "precision": _share(mine & maths, mine),
        "recall": _share(mine & maths, maths),
        **{name: _share(mine & part, part) for name, part in parts.items()},
        "pages": len(mine),
        "maths_pages": len(maths),
    }


def rounds_of(corpus: Path) -> Iterator[tuple[int, set[str]]]:
    """(number, URLs that it collected) of each round of a corpus."""
    for number in range(1, len(json.loads((corpus / "rounds.json").read_text())["rounds"]) + 1):
        table = read_parquet(corpus / "rounds" / f"round-{number}.parquet", ["url"])
        yield number, set(table.column("url").to_pylist())


def to_be_found(corpus: Path, labels: Mapping[str, Label], seed_sites: set[str]) -> dict[str, Label]:
    """The labels of the pages outside the seed's sites that are neither defects nor duplicates."""
    dropped = read_jsonl(corpus / "dropped" / "dropped.jsonl.zst")
    gone = {row["url"] for row in dropped if row["reason"] != "quotes benchmark"}
    gone -= {url for _, found in rounds_of(corpus) for url in found}
    return {url: label for url, label in labels.items() if label.site not in seed_sites and url not in gone}


def lines_of(corpus: Path, labels: Mapping[str, Label], seed_sites: set[str], name: str) -> Iterator[str]:
    """JSON lines of all rounds of a corpus."""
    wanted = to_be_found(corpus, labels, seed_sites)
    for number, found in rounds_of(corpus):
        row = figures_of_round(found, wanted)
        pages, maths = int(row.pop("pages")), int(row.pop("maths_pages"))
        for figure, value in row.items():
            yield line(f"{figure}_{name}_round_{number}", value, "fraction", pages if figure == "precision" else maths)


def traces(corpus: Path, seed_sites: set[str], count: int) -> Iterator[str]:
    """Kept pages outside the seed's sites that entered by a pattern, from different domains, with their way."""
    rounds = {row["id"]: row for row in read_parquet(corpus / "pages").to_pylist()}
    shown: set[str] = set()
    for row in read_jsonl(corpus / "seed.jsonl"):
        kept = rounds.get(row["id"])
        if kept and row["provenance"] != "seed" and row["domain"] not in seed_sites | shown and len(shown) < count:
            shown.add(row["domain"])
            way = {"url": row["url"], "why": row["provenance"], "first_collected_in_round": kept["round"]}
            yield json.dumps(
                {**way, "score": round(kept["score"] or 0.0, 3), "text": " ".join(kept["text"].split())[:80]}
            )


def planted_items_found(corpus: Path, folder: Path) -> dict[str, str]:
    """How many planted quotations stand in decontamination.jsonl with their page and benchmark row."""
    report: dict[str, set[str]] = {}
    for row in read_jsonl(corpus / "decontamination.jsonl"):
        report.setdefault(row["url"], set()).add(row["benchmark"])
    planted = [row for row in _rows(folder / "planted.tsv") if row["kind"].startswith("quote_")]
    total = Counter(row["kind"] for row in planted)
    found = Counter(row["kind"] for row in planted if row["detail"] in report.get(row["url"], set()))
    return {kind: f"{found[kind]} of {total[kind]}" for kind in sorted(total)}


def mine(out: Path, seeds: Path, config: str, *settings: str) -> Path:
    """Mines the web pages into `out` unless that is done."""
    inputs = ("--crawl", str(DATA / "web"), "--seed-pages", str(seeds), "--benchmarks", str(DATA / "benchmarks"))
    command = [sys.executable, "-m", "corpus", "--config", config, *inputs, "--out", str(out), "--replace", *settings]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return out


def manuals(labels: Mapping[str, Label], folder: Path) -> tuple[Path, dict[str, Label]]:
    """The second domain: a seed list picked by URL, and labels by site of all other pages."""
    folder.mkdir(parents=True, exist_ok=True)
    seeds = sorted(url for url, label in labels.items() if label.site in MANUALS)[::3]
    (folder / "manuals.txt").write_text("".join(f"{url}\n" for url in seeds), encoding="utf-8")
    others = {url: one for url, one in labels.items() if url not in set(seeds)}
    return folder / "manuals.txt", {url: Label(one.site, one.site in MANUALS, False) for url, one in others.items()}


def sites_of(urls: Sequence[str], labels: Mapping[str, Label]) -> set[str]:
    """The sites of seed pages."""
    return {labels[url].site if url in labels else urlsplit(url).netloc for url in urls}


def bench() -> None:
    """Mines and prints one JSON line per figure."""
    labels = labels_of(DATA / "web")
    seeds = DATA / "web" / "seeds.txt"
    seed_sites = sites_of(seeds.read_text(encoding="utf-8").split(), labels)
    for name, shares in BUDGETS.items():
        corpus = mine(RUNS / name, seeds, "configs/tiny/corpus.toml", f"recall.budget_share={shares}")
        print(*lines_of(corpus, labels, seed_sites, name), sep="\n", flush=True)
    print(*traces(RUNS / "budget_46", seed_sites, 3), sep="\n", flush=True)
    seeds, by_site = manuals(labels, RUNS)
    corpus = mine(RUNS / "manuals", seeds, "configs/manuals/corpus.toml")
    print(*lines_of(corpus, by_site, set(), "manuals"), sep="\n", flush=True)


def main() -> None:
    """Runs the bench, or prints the figures of a corpus that is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="?")
    parser.add_argument("--labels", type=Path, help="folder with sites.tsv, pages.tsv, planted.tsv")
    parser.add_argument("--truth", type=Path, help="pages.tsv of the embedded crawl")
    flags = parser.parse_args()
    if flags.corpus is None:
        bench()
        return
    labels = labels_of(flags.labels) if flags.labels else labels_of_truth(flags.truth)
    seeds = [row["url"] for row in read_jsonl(flags.corpus / "seed.jsonl") if row["provenance"] == "seed"]
    seed_sites = sites_of(seeds, labels)
    print(*lines_of(flags.corpus, labels, seed_sites, "outside_seed_sites"), sep="\n")
    print(*lines_of(flags.corpus, labels, set(), "all_sites"), sep="\n")
    print(*traces(flags.corpus, seed_sites, 3), sep="\n")
    if flags.labels:
        print(json.dumps(planted_items_found(flags.corpus, flags.labels)))


def _share(part: set[str], whole: set[str]) -> float:
    return round(len(part) / len(whole), 4) if whole else 0.0


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


if __name__ == "__main__":
    main()
