"""Precision and recall of a mined corpus against labels that the corpus stage never opens.

    python -m bench.web_quality runs/web/corpus --labels ../shared/data/web
    python -m bench.web_quality runs/tiny/corpus --truth runs/tiny/crawl/truth/pages.tsv

Pages of mixed sites are left out of the first kind of figures: their label belongs to the site, not to the page.
"""

import argparse
import csv
import json
from collections import Counter
from pathlib import Path

from commons.shards import read_jsonl, read_parquet
from corpus.language import LANGUAGES, group_of

MATHS, OTHER = "math", "non-math"


def labels_of_sites(folder: Path) -> dict[str, str]:
    """URL -> judgement of its site, from pages.tsv (every page carries the judgement of sites.tsv)."""
    return {row["url"]: row["site_judgement"] for row in _rows(folder / "pages.tsv")}


def labels_of_truth(path: Path) -> dict[str, str]:
    """URL -> `math` or `non-math` from the labels of the embedded crawl."""
    labels = {}
    for row in _rows(path):
        value = (row["is_math"]).lower()
        labels[row["url"]] = MATHS if value in ("1", "true") else OTHER
    return labels


def figures(labels: dict[str, str], kept: dict[str, str], gone: set[str]) -> dict[str, float | int]:
    """Precision, recall and F1 of the kept pages among the labelled ones that are no defect or duplicate (`gone`)."""
    counts = Counter(labels[url] for url in kept if url in labels)
    reachable = sum(label == MATHS and url not in gone for url, label in labels.items())
    precision = counts[MATHS] / max(counts[MATHS] + counts[OTHER], 1)
    recall = counts[MATHS] / max(reachable, 1)
    return {
        "kept": len(kept),
        **{f"kept {name}": number for name, number in sorted(counts.items())},
        "maths pages that could be kept": reachable,
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(2 * precision * recall / max(precision + recall, 1e-9), 4),
    }


def planted_items_found(corpus: Path, folder: Path) -> dict[str, str]:
    """How many planted quotations stand in decontamination.jsonl with their page and benchmark row."""
    report: dict[str, set[str]] = {}
    for row in read_jsonl(corpus / "decontamination.jsonl"):
        report.setdefault(row["url"], set()).add(row["benchmark"])
    planted = [row for row in _rows(folder / "planted.tsv") if row["kind"].startswith("quote_")]
    total = Counter(row["kind"] for row in planted)
    found = Counter(row["kind"] for row in planted if row["detail"] in report.get(row["url"], set()))
    return {kind: f"{found[kind]} of {total[kind]}" for kind in sorted(total)}


def main() -> None:
    """Prints the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--labels", type=Path, help="folder with sites.tsv, pages.tsv, planted.tsv")
    parser.add_argument("--truth", type=Path, help="pages.tsv of the embedded crawl")
    flags = parser.parse_args()
    table = read_parquet(flags.corpus / "pages", ["url", "language"]).to_pylist()
    kept = {row["url"]: row["language"] for row in table}
    gone = {row["url"] for row in read_jsonl(flags.corpus / "dropped" / "dropped.jsonl.zst")} - kept.keys()
    labels = labels_of_sites(flags.labels) if flags.labels else labels_of_truth(flags.truth)
    result: dict[str, object] = {"all": figures(labels, kept, gone)}
    for language in LANGUAGES:
        mine = {url: one for url, one in kept.items() if group_of(one) == language}
        counts = Counter(labels.get(url, "no label") for url in mine)
        result[f"kept {language}"] = dict(sorted(counts.items()))
    if flags.labels:
        result["planted quotations found"] = planted_items_found(flags.corpus, flags.labels)
    print(json.dumps(result, indent=1, ensure_ascii=False))


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


if __name__ == "__main__":
    main()
