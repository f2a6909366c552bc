"""Captures -> distinct pages: one for each URL key, one for each text, one of each group of near duplicates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus import frames
from corpus.deduplicate import Candidate, Duplicate, components, near_duplicates
from corpus.frames import Frame, col, lit
from corpus.funnel import Step, count_of, reasons
from corpus.pages import PLACE

COLUMNS = ("id", "url", "key", "domain", "language", "text", "tokens", *PLACE)
Dropped = dict[str, str]  # id, url, key, reason, detail; the detail of a duplicate is the key that was kept


@dataclass(frozen=True, slots=True)
class Distinct:
    """The steps of the funnel so far, and every capture that is gone. The pages themselves lie in the folder given."""

    steps: tuple[Step, ...]
    dropped: tuple[Dropped, ...]


def write_distinct(captures: Path, pages: Path, *, similarity: float, band_ranges: int, shards: int) -> Distinct:
    """Writes the distinct pages of the folder `captures` to the folder `pages` and says what was dropped."""
    everything = frames.scan(captures)
    unread = list(_dropped(everything.where(col("reason") != "")))
    read = everything.where(col("reason") == "").exclude("text")
    by_key = frames.newest_captures(read).collect()
    repeats = list(_dropped(by_key.where(~col("newest")), "same url", "key"))
    by_text = frames.first_of_each_text(by_key.where(col("newest")).exclude("newest")).collect()
    copies = list(_dropped(by_text.where(col("key") != col("kept_key")), "same text", "kept_key"))
    kept = by_text.where(col("key") == col("kept_key")).collect()
    alike = _near(everything, kept, similarity=similarity, band_ranges=band_ranges)
    left = frames.without_ids(kept, [row["id"] for row in alike]).select("row")
    frames.write_shards(everything.join(left, on="row", how="semi").select(*COLUMNS), pages, shards=shards)
    steps = (
        _step("pages with text", read, unread),
        _step("one of each url", by_key.where(col("newest")), repeats),
        _step("one of each text", kept, copies),
        _step("no near duplicates", frames.scan(pages), alike),
    )
    return Distinct(steps, (*unread, *repeats, *copies, *alike))


def _near(everything: Frame, kept: Frame, *, similarity: float, band_ranges: int) -> list[Dropped]:
    groups = components(frames.similar_pairs(kept, ranges=band_ranges))
    if not groups:
        return []
    wanted = kept.select("row", "id").where(col("id").is_in([name for group in groups for name in group]))
    texts = everything.join(wanted.select("row"), on="row", how="semi")
    rows = {row["id"]: row for row in frames.rows(texts.select("id", "url", "key", "signature", "text"))}
    found: list[Dropped] = []
    for group in groups:
        pages = [Candidate(name, rows[name]["key"], rows[name]["signature"], rows[name]["text"]) for name in group]
        found += [_alike(rows[one.id], one) for one in near_duplicates(pages, threshold=similarity)]
    return found


def _alike(row: dict[str, str], one: Duplicate) -> Dropped:
    return {"id": one.id, "url": row["url"], "key": row["key"], "reason": "near duplicate", "detail": one.kept_key}


def _dropped(frame: Frame, reason: str = "", detail: str = "") -> Iterator[Dropped]:
    """Rows for the dropped pages of a frame: its own reasons, or one `reason` with a column as detail."""
    if reason:
        frame = frame.with_columns({"reason": lit(reason), "detail": col(detail)})
    yield from frames.rows(frame.select("id", "url", "key", "reason", "detail"))


def _step(name: str, frame: Frame, dropped: Sequence[Dropped]) -> Step:
    languages = frames.tally(frame.with_column("collected", lit(True)), "language")
    return Step(name, count_of(languages), reasons(dropped))
