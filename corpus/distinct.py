"""Captures -> distinct pages: one for each URL key, one for each text, one of each set of near duplicates."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus import frames
from corpus.candidates import candidate_groups, ranges_for, signed
from corpus.compare import COLUMNS as COMPARED
from corpus.compare import duplicates
from corpus.config import Duplicates
from corpus.frames import Frame, col, lit, stored
from corpus.funnel import Step, count_of, reasons
from corpus.minhash import bands_and_rows
from corpus.pages import PLACE

COLUMNS = ("id", "url", "key", "domain", "language", "text", "tokens", *PLACE)
# id, url, key, reason, detail (of a duplicate the key of the page that was kept instead); a duplicate also has
# `survivor`, the id of the page of the result that stands for it, and `similarity` (0 to 1, None: not compared).
Dropped = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Distinct:
    """The steps of the funnel so far, and every capture that is gone. The pages themselves lie in the folder given."""

    steps: tuple[Step, ...]
    dropped: tuple[Dropped, ...]


def write_distinct(captures: Path, pages: Path, rules: Duplicates, *, shards: int) -> Distinct:
    """Writes the distinct pages of the folder `captures` to the folder `pages` and says what was dropped, and for what.

    Of equal pages the one with the longest text, then the newest, then the smallest id is kept (`deduplicate.claim`).
    """
    everything = frames.scan(captures)
    unread = list(_unread(everything.where(col("reason") != "")))
    read = everything.where(col("reason") == "")
    by_key = stored(frames.best_of_each(read.exclude("text", "frame", "signature"), "key"), pages.parent / "by-key")
    repeats = list(_copies(by_key, "same url"))
    by_text = stored(frames.best_of_each(_kept(by_key), "text_digest"), pages.parent / "by-text")
    copies = list(_copies(by_text, "same text"))
    kept = stored(_kept(by_text), pages.parent / "kept")
    shape = bands_and_rows(rules.hashes, similarity=rules.similarity, missed_weight=rules.missed_weight)
    rows = read.join(kept.select("row"), on="row", how="semi")
    alike = _near(rows, kept, pages.parent / "near", shape, similarity=rules.similarity, range_mb=rules.range_mb)
    left = frames.without_ids(kept, [row["id"] for row in alike]).select("row")
    frames.write_shards(read.join(left, on="row", how="semi").select(*COLUMNS), pages, shards=shards)
    steps = (
        _step("pages with text", read, unread),
        _step("one of each url", _kept(by_key), repeats),
        _step("one of each text", kept, copies),
        _step("no near duplicates", frames.scan(pages), alike),
    )
    return Distinct(steps, (*unread, *_with_survivors([*repeats, *copies, *alike])))


def _near(
    rows: Frame, kept: Frame, spill: Path, shape: tuple[int, int], *, similarity: float, range_mb: int
) -> list[Dropped]:
    """The near duplicates among the kept pages, whose text and signature are in `rows`."""
    shutil.rmtree(spill, ignore_errors=True)  # what a killed run left
    bands, values = shape
    ranges = ranges_for(kept.count_rows(), bands, memory_mb=range_mb)
    signatures = (signed(batch) for batch in frames.batches(rows.select("id", "signature")))
    groups = candidate_groups(signatures, spill, bands=bands, rows=values, ranges=ranges)
    found = {
        one.id: one for one in duplicates(frames.batches(rows.select(*COMPARED)), groups, spill, threshold=similarity)
    }
    shutil.rmtree(spill)
    gone = frames.with_ids(kept, sorted(found)).select("id", "url", "key")
    return [
        row
        | _duplicate("near duplicate", found[row["id"]].kept_key, found[row["id"]].kept_id, found[row["id"]].similarity)
        for row in frames.rows(gone)
    ]


def _kept(chosen: Frame) -> Frame:
    return chosen.where(col("row") == col("kept_row")).exclude("kept_row", "kept_id", "kept_key", "kept_digest")


def _unread(frame: Frame) -> Iterator[Dropped]:
    yield from frames.rows(frame.select("id", "url", "key", "reason", "detail"))


def _copies(chosen: Frame, reason: str) -> Iterator[Dropped]:
    """Rows for the pages of `best_of_each` that are not the best."""
    for row in frames.rows(frames.beaten(chosen)):
        similarity = 1.0 if row["text_digest"] == row["kept_digest"] else None
        page = {name: row[name] for name in ("id", "url", "key")}
        yield page | _duplicate(reason, row["kept_key"], row["kept_id"], similarity)


def _duplicate(reason: str, kept_key: str, kept_id: str, similarity: float | None) -> Dropped:
    return {"reason": reason, "detail": kept_key, "survivor": kept_id, "similarity": similarity}


def _with_survivors(dropped: Sequence[Dropped]) -> list[Dropped]:
    """The rows with `survivor` followed to a page that stays: the copy kept of a text may be a near duplicate."""
    above = {row["id"]: row["survivor"] for row in dropped if row["id"] != row["survivor"]}
    return [row | {"survivor": _followed(row["survivor"], above)} for row in dropped]


def _followed(identity: str, above: dict[str, str]) -> str:
    while identity in above:
        identity = above[identity]
    return identity


def _step(name: str, frame: Frame, dropped: Sequence[Dropped]) -> Step:
    languages = frames.tally(frame.with_column("collected", lit(True)), "language")
    return Step(name, count_of(languages), reasons(dropped))
