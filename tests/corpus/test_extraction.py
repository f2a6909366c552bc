import hashlib
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commons.errors import DataError
from commons.files import remove_unfinished_files
from commons.shards import read_parquet
from corpus.extraction import extract_crawl, reading_counts
from corpus.reading.remote import Fetcher
from corpus.reading.sources import parts_of
from corpus.workers import Limits
from tests.corpus.warc_files import html, record, write_warc

SETTINGS = {"hashes": 16, "max_body_bytes": 1 << 20, "workers": 1, "limits": Limits(60.0, 1 << 30)}
FETCHER = Fetcher({})


def extract(crawl: Path, shards: Path, **settings) -> None:
    extract_crawl(parts_of(crawl, base="", fetcher=FETCHER), shards, **{**SETTINGS, **settings})


def contents(shards: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(shards.glob("*.parquet"))}


def test_a_killed_extraction_goes_on_at_the_next_file_whatever_the_workers(tmp_path):
    crawl, shards = tmp_path / "crawl", tmp_path / "shards"
    for name in ("a", "b"):
        write_warc(crawl / f"{name}.warc.gz", [(f"http://{name}.org/", "text/html", html("T", "Some words."))])
    write_warc(crawl / "empty.warc.gz", [])
    extract(crawl, shards)
    whole = contents(shards)
    assert len(whole) == 3
    rows = read_parquet(shards, ["url", "reason", "file", "offset", "digest_check"]).to_pylist()
    assert sorted((row["url"], row["reason"], row["file"]) for row in rows) == [
        ("", "not an archive", "empty.warc.gz"),
        ("http://a.org/", "", "a.warc.gz"),
        ("http://b.org/", "", "b.warc.gz"),
    ]
    assert reading_counts(shards) == {
        "payload_digests": {"none stated": 3},
        "captures_by_reason": {"not an archive": 1, "page": 2},
    }

    lost, kept, *_ = sorted(shards.iterdir())
    lost.unlink()
    age = kept.stat().st_mtime_ns
    extract(crawl, shards, workers=2)
    assert contents(shards) == whole
    assert kept.stat().st_mtime_ns == age


def test_a_damaged_record_is_a_row_and_the_file_goes_on(tmp_path):
    crawl = tmp_path / "a.warc"
    records = [record(f"http://a.org/{one}", "text/html", html("T", "Words."), status="200 OK") for one in range(3)]
    crawl.write_bytes(records[0] + records[1].replace(b"WARC/1.1", b"WARC?1.1") + records[2])
    extract(crawl, tmp_path / "shards")
    rows = read_parquet(tmp_path / "shards", ["url", "reason", "offset", "length"]).to_pylist()
    assert [(row["url"], row["reason"]) for row in rows] == [
        ("http://a.org/0", ""),
        ("", "unreadable record"),
        ("http://a.org/2", ""),
    ]
    assert rows[1]["offset"] == len(records[0])


def test_a_folder_without_warc_files_is_an_error(tmp_path):
    with pytest.raises(DataError, match="holds no WARC file"):
        extract(tmp_path, tmp_path / "shards")


@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform != "linux", reason="children end with a killed parent on Linux")
def test_kill_9_at_random_times_changes_nothing_and_repeats_nothing(tmp_path):
    crawl, shards = tmp_path / "crawl", tmp_path / "shards"
    draw = random.Random(7)
    for number in range(12):
        pages = [
            (f"http://a{number}.org/{one}", "text/html", html("T", " ".join(draw.choices("abcdefgh", k=300))))
            for one in range(20)
        ]
        write_warc(crawl / f"{number}.warc.gz", pages)
    extract(crawl, tmp_path / "whole")
    script = tmp_path / "run.py"
    script.write_text(
        "from pathlib import Path\n"
        "from tests.corpus.test_extraction import extract\n"
        "if __name__ == '__main__':\n"
        f"    extract(Path({str(crawl)!r}), Path({str(shards)!r}))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    ages: dict[str, int] = {}
    for most in (1, 5):
        process = subprocess.Popen([sys.executable, str(script)], env=environment)
        while process.poll() is None and len(contents(shards)) < most:
            time.sleep(draw.uniform(0.001, 0.02))
        time.sleep(draw.uniform(0.0, 0.05))
        process.kill()
        process.wait()
        for name, age in ages.items():
            assert (shards / name).stat().st_mtime_ns == age, "a finished file was made again"
        ages = {path.name: path.stat().st_mtime_ns for path in shards.glob("*.parquet")}
        remove_unfinished_files(shards)
    assert len(ages) >= 5
    extract(crawl, shards)
    assert contents(shards) == contents(tmp_path / "whole")
