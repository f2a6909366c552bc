"""The files of the corpus artifact (docs/artifacts.md)."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commons.shards import write_jsonl
from corpus import frames, release
from corpus.config import Decontamination
from corpus.decontaminate import passages_from_json
from corpus.distinct import Dropped
from corpus.frames import Frame, col, lit
from corpus.index import facts_of
from corpus.pages import PLACE
from corpus.selftest import SelfTest

COLUMNS = ("id", "url", "domain", "language", "text", "tokens", "score", "round", "provenance", *PLACE)


@dataclass(frozen=True, slots=True)
class Kept:
    """What one folder of the corpus holds; personal data is counted as it was found, before any masking."""

    pages: int
    tokens: int
    languages: Mapping[str, int]
    emails: int
    ip_addresses: int
    pages_with_personal_data: int


def write_kept(
    frame: Frame, folder: Path, scratch: Path, *, shards: int, mask_emails: bool, mask_ip_addresses: bool
) -> Kept:
    """Writes `pages/` or `general/`: the clean pages of a frame with COLUMNS. `scratch` is a folder for it alone."""
    clean = frame.where(~col("contaminated")).select(*COLUMNS)
    masked = release.masked_text(clean, emails=mask_emails, ip_addresses=mask_ip_addresses)
    done = frames.stored(masked, scratch)
    frames.write_shards(done.select(*COLUMNS), folder, shards=shards)
    personal = done.select("emails", "ip_addresses").where((col("emails") > 0) | (col("ip_addresses") > 0))
    with_personal = list(frames.rows(personal))
    tally = frames.tally(done.with_column("collected", lit(True)), "language")
    return Kept(
        pages=sum(row["pages"] for row in tally),
        tokens=sum(row["tokens"] for row in tally),
        languages={row["language"]: row["pages"] for row in tally},
        emails=sum(row["emails"] for row in with_personal),
        ip_addresses=sum(row["ip_addresses"] for row in with_personal),
        pages_with_personal_data=len(with_personal),
    )


def pages_by_domain(mine: Frame) -> list[tuple[str, int]]:
    """The domains with the most clean recalled pages, most first."""
    tally = frames.tally(mine.where(~col("contaminated")).with_column("collected", lit(True)), "domain")
    return sorted(((row["domain"], row["pages"]) for row in tally), key=lambda one: (-one[1], one[0]))


def write_dropped(path: Path, dropped: Iterable[Dropped]) -> int:
    """Writes one row for each capture that is in neither folder because of a defect, in an order of their own.

    A duplicate has `survivor`, the id of the distinct page that stands for it, and `similarity`, that of its text and
    the text of the page in `detail` (null where the address alone decided).
    """
    rows = sorted(dropped, key=lambda row: (row["reason"], row["url"], row["id"], row["detail"]))
    names = ("id", "url", "reason", "detail", "survivor", "similarity")
    return write_jsonl(path, ({name: row[name] for name in names if name in row} for row in rows))


def quotation_rows(pages: Frame) -> list[dict[str, Any]]:
    """decontamination.jsonl: one row for each run of benchmark grams, over all distinct pages.

    `removed` is what went because of it: `page`, `segment`, or nothing when a guard let it through.
    """
    found = pages.where(col("quoted") != "").select("id", "url", "language", "quoted", "contaminated")
    return [
        {
            "url": row["url"],
            "benchmark": one.benchmark,
            "field": one.field,
            "rule": one.rule,
            "gram": one.gram,
            "grams": one.grams,
            "segments": list(one.segments),
            "removed": "" if one.let_through else "page" if row["contaminated"] else "segment",
            "let_through": one.let_through,
            "language": row["language"],
            "id": row["id"],
        }
        for row in sorted(frames.rows(found), key=lambda row: (row["url"], row["id"]))
        for one in passages_from_json(row["quoted"])
    ]


def resembling_rows(pages: Frame, index: Path, *, share: float) -> Iterator[dict[str, Any]]:
    """resembling.jsonl: pages that stay and hold many short grams of a benchmark text."""
    found = release.with_resembling(pages.where(~col("contaminated")), index, share=share)
    for row in sorted(frames.rows(found), key=lambda row: (row["url"], row["id"])):
        for benchmark, field, part in json.loads(row["items"]):
            yield {"url": row["url"], "benchmark": benchmark, "field": field, "share": part, "id": row["id"]}


def decontamination_facts(
    quotations: Sequence[Mapping[str, Any]], index: Path, tested: SelfTest, rules: Decontamination
) -> dict[str, Any]:
    """decontamination.json: the rule, the benchmark files, what the rule did and let through, the self-test."""
    counting = [row for row in quotations if row["removed"]]
    cut = {(row["id"], number) for row in counting if row["removed"] == "segment" for number in row["segments"]}
    sources = facts_of(index)["sources"]
    return {
        "rule": rules.model_dump(mode="json"),
        "texts": sum(sum(source["texts"].values()) for source in sources),
        "sources": sources,
        "pages_that_quote": len({row["id"] for row in counting}),
        "pages_removed": len({row["id"] for row in counting if row["removed"] == "page"}),
        "pages_cut": len({page for page, _ in cut}),
        "segments_removed": len(cut),
        "let_through": {
            reason: {
                "passages": passages,
                "pages": len({row["id"] for row in quotations if row["let_through"] == reason}),
            }
            for reason, passages in sorted(Counter(row["let_through"] for row in quotations).items())
            if reason
        },
        "self_test": tested.row(),
    }


def quoting_rows(mine: Frame) -> list[Dropped]:
    """The recalled pages that are dropped because they quote a benchmark, with the first row and gram as detail."""
    found = mine.where(col("contaminated")).select("id", "url", "key", "quoted")
    return [
        {name: row[name] for name in ("id", "url", "key")}
        | {"reason": "quotes benchmark", "detail": f"{first.benchmark}: {first.gram}"}
        for row in frames.rows(found)
        for first in [one for one in passages_from_json(row["quoted"]) if not one.let_through][:1]
    ]


def capped(other: Frame, *, tokens: int, seed: int) -> Frame:
    """A random sample of the clean pages that were not recalled, of at most so many tokens."""
    clean = frames.with_draw(other.where(~col("contaminated")), seed=seed).select("draw", "id", "tokens")
    chosen: list[str] = []
    for row in sorted(frames.rows(clean), key=lambda row: (row["draw"], row["id"])):
        tokens -= row["tokens"]
        if tokens < 0:
            break
        chosen.append(row["id"])
    return frames.with_ids(other, chosen)
