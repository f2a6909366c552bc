"""Captures -> distinct pages on some 40 captures; D7 is an item of the notes' list of failures elsewhere."""

import random
from dataclasses import asdict

import pyarrow as pa
import pytest

from commons.shards import read_parquet, write_parquet
from corpus.config import Duplicates
from corpus.crawl import Capture
from corpus.distinct import write_distinct
from corpus.extraction import SCHEMA
from corpus.pages import page_of
from tests.corpus.warc_files import html

RULES = Duplicates(hashes=128, similarity=0.8, missed_weight=0.95, range_mb=64)
WORDS = [f"word{letter}{other}" for letter in "abcdefghijklmnopqrst" for other in "abcdefghijklmnopqrst"]
DATE = "2024-03-{:02d}T00:00:00Z"


def prose(seed: int) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=200))


def capture(address: str, text: str, day: int = 1) -> Capture:
    return Capture(f"https://{address}", DATE.format(day), "text/html", html("Page", text))


def captures() -> list[Capture]:
    made = [capture(f"site{number}.org/page", prose(number)) for number in range(20)]
    made += [capture("a.org/news", prose(100), 1), capture("a.org/news?utm_source=mail", f"{prose(101)} and more", 1)]
    made += [capture("b.org/x", prose(102), 1), capture("b.org/x?gclid=7", prose(102), 5)]
    made += [capture("c.org/copy", prose(103), 1), capture("d.org/original", prose(103), 2)]
    made += [capture("e.org/print/p", f"To print. {prose(104)}"), capture("e.org/p", prose(104), 9)]
    made += [
        capture("f.org/short", "Two words."),
        capture("f.org/shorter", "Two other."),
        Capture("https://f.org/empty", DATE.format(1), "text/html", b"<p></p>"),
    ]
    made += [capture("g.org/cut", prose(105) + " more text at the end of it", 3), capture("h.org/same", prose(105), 3)]
    made += [capture("h.org/same#top", prose(105), 4)]
    return made


def mined(folder, order: list[Capture], files: int, *, rules: Duplicates = RULES, shards: int = 3):
    """(rows of the pages by id, dropped rows in an order of their own) for captures spread over some files."""
    for number in range(files):
        rows = [
            asdict(page_of(one, "a.warc.gz", hashes=128)) | {"row": f"{number}:{at}"}
            for at, one in enumerate(order[number::files])
        ]
        write_parquet(folder / "captures" / f"{number}.parquet", pa.Table.from_pylist(rows, schema=SCHEMA))
    found = write_distinct(folder / "captures", folder / "pages", rules, shards=shards)
    return (
        read_parquet(folder / "pages"),
        sorted(found.dropped, key=lambda row: (row["url"], row["detail"])),
        found.steps,
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return mined(tmp_path_factory.mktemp("whole"), captures(), 1)


def test_each_dropped_capture_names_its_survivor_and_the_similarity(whole):
    pages, dropped, _ = whole
    key = dict(zip(pages["id"].to_pylist(), pages["key"].to_pylist(), strict=True))
    copies = [row for row in dropped if row["reason"] != "no text"]
    assert [(row["url"], row["reason"], row["detail"], key[row["survivor"]]) for row in copies] == [
        ("https://a.org/news", "same url", "a.org/news", "a.org/news"),
        ("https://b.org/x", "same url", "b.org/x", "b.org/x"),
        ("https://c.org/copy", "same text", "d.org/original", "d.org/original"),
        ("https://e.org/p", "near duplicate", "e.org/print/p", "e.org/print/p"),
        ("https://h.org/same", "same url", "h.org/same", "g.org/cut"),  # whose other capture is a near duplicate
        ("https://h.org/same#top", "near duplicate", "g.org/cut", "g.org/cut"),
    ]
    # the texts of a.org/news differ: its address alone decided
    assert [row["similarity"] for row in copies] == [
        None,
        1.0,
        1.0,
        pytest.approx(197 / 200, abs=0.01),
        1.0,
        pytest.approx(196 / 204, abs=0.01),
    ]


def test_short_pages_stay_and_empty_ones_go_with_a_reason(whole):
    pages, dropped, steps = whole
    assert {"f.org/short", "f.org/shorter"} <= set(pages["key"].to_pylist())
    assert [row["url"] for row in dropped if row["reason"] == "no text"] == ["https://f.org/empty"]
    assert steps[0].left.pages - sum(sum(step.dropped.values()) for step in steps[1:]) == pages.num_rows


@pytest.mark.parametrize(("files", "seed", "range_mb", "shards"), [(2, 1, 64, 3), (5, 2, 1, 3), (7, 3, 64, 3)])
def test_d7_files_order_and_hash_ranges_do_not_change_the_survivors(tmp_path, whole, files, seed, range_mb, shards):
    order = captures()
    random.Random(seed).shuffle(order)
    pages, dropped, steps = mined(
        tmp_path, order, files, rules=RULES.model_copy(update={"range_mb": range_mb}), shards=shards
    )
    assert pages == whole[0]
    assert dropped == whole[1]
    assert steps == whole[2]


def test_more_shards_hold_the_same_pages_in_order_of_their_ids(tmp_path, whole):
    pages = mined(tmp_path, captures(), 2, shards=8)[0]
    assert pages["id"].to_pylist() == sorted(whole[0]["id"].to_pylist())


def index_page(address: str, first: int, *, banner: str = "") -> Capture:
    """A page of links alone; a banner is the only sentence on it."""
    links = "".join(
        f'<li><a href="/{number}">A talk on {WORDS[number]}</a></li>' for number in range(first, first + 40)
    )
    body = f"<html><body>{banner}<h1>Talks</h1><ul>{links}</ul></body></html>"
    return Capture(f"https://{address}", DATE.format(1), "text/html", body.encode())


def test_pages_without_text_of_their_own_are_compared_by_all_that_they_show(tmp_path):
    banner = "<div>Mirror 2 of 3. Last synchronised 4 March.</div>"
    pages = [
        index_page("a.org/talks", 0, banner="<div>Talks of the year.</div>"),
        index_page("b.org/talks", 0, banner=banner),
        index_page("c.org/talks", 200, banner=banner.replace("2", "3")),
    ]
    kept, dropped, _ = mined(tmp_path, pages, 1)
    assert [(row["url"], row["reason"], row["detail"]) for row in dropped] == [
        ("https://a.org/talks", "near duplicate", "b.org/talks")
    ]
    assert 0.8 < dropped[0]["similarity"] < 1
    assert all("A talk on" not in text for text in kept.column("text").to_pylist())
