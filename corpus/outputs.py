"""The files of the corpus artifact (docs/artifacts.md)."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from commons.shards import write_jsonl
from corpus import frames
from corpus.decontaminate import quoted_from_json
from corpus.distinct import Dropped
from corpus.frames import Frame, col
from corpus.pages import PLACE

COLUMNS = ("id", "url", "domain", "language", "text", "tokens", "score", "round", *PLACE)


def write_kept(frame: Frame, folder: Path, *, shards: int) -> int:
    """Writes `pages/` or `general/`: the clean pages of a frame with COLUMNS."""
    return frames.write_shards(frame.where(col("quoted") == "").select(*COLUMNS), folder, shards=shards)


def write_dropped(path: Path, dropped: Iterable[Dropped]) -> int:
    """Writes one row for each capture that is in neither folder because of a defect, in an order of their own."""
    rows = sorted(dropped, key=lambda row: (row["reason"], row["url"], row["id"], row["detail"]))
    return write_jsonl(path, ({name: row[name] for name in ("id", "url", "reason", "detail")} for row in rows))


def quotation_rows(pages: Frame) -> list[dict[str, Any]]:
    """decontamination.jsonl: one row for each page and benchmark row that it quotes, over all distinct pages."""
    found = pages.where(col("quoted") != "").select("id", "url", "language", "quoted")
    return [
        {
            "url": row["url"],
            "benchmark": one.benchmark,
            "field": one.field,
            "gram": one.gram,
            "grams": one.grams,
            "language": row["language"],
            "id": row["id"],
        }
        for row in sorted(frames.rows(found), key=lambda row: (row["url"], row["id"]))
        for one in quoted_from_json(row["quoted"])
    ]


def quoting_rows(mine: Frame) -> list[Dropped]:
    """The recalled pages that are dropped because they quote a benchmark, with the first row and gram as detail."""
    found = mine.where(col("quoted") != "").select("id", "url", "key", "quoted")
    return [
        {name: row[name] for name in ("id", "url", "key")}
        | {"reason": "quotes benchmark", "detail": f"{first.benchmark}: {first.gram}"}
        for row in frames.rows(found)
        for first in quoted_from_json(row["quoted"])[:1]
    ]


def capped(other: Frame, *, tokens: int, seed: int) -> Frame:
    """A random sample of the clean pages that were not recalled, of at most so many tokens."""
    clean = frames.with_draw(other.where(col("quoted") == ""), seed=seed).select("draw", "id", "tokens")
    chosen: list[str] = []
    for row in sorted(frames.rows(clean), key=lambda row: (row["draw"], row["id"])):
        tokens -= row["tokens"]
        if tokens < 0:
            break
        chosen.append(row["id"])
    return frames.with_ids(other, chosen)
