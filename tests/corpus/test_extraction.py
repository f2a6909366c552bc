import pytest

from commons.errors import DataError
from commons.shards import read_parquet
from corpus.extraction import extract_crawl
from tests.corpus.warc_files import html, write_warc

SETTINGS = {"hashes": 16, "max_body_bytes": 1 << 20, "workers": 1, "timeout_seconds": 60.0}


def test_a_killed_extraction_goes_on_at_the_next_warc_file(tmp_path):
    crawl, shards = tmp_path / "crawl", tmp_path / "shards"
    for name in ("a", "b"):
        write_warc(crawl / f"{name}.warc.gz", [(f"http://{name}.org/", "text/html", html("T", "Some words."))])
    write_warc(crawl / "empty.warc.gz", [])
    extract_crawl(crawl, shards, **SETTINGS)
    whole = {path.name: path.read_bytes() for path in shards.iterdir()}
    assert len(whole) == 3
    assert sorted(read_parquet(shards, ["url"])["url"].to_pylist()) == ["http://a.org/", "http://b.org/"]

    lost, kept, *_ = sorted(shards.iterdir())
    lost.unlink()
    age = kept.stat().st_mtime_ns
    extract_crawl(crawl, shards, **SETTINGS)
    assert {path.name: path.read_bytes() for path in shards.iterdir()} == whole
    assert kept.stat().st_mtime_ns == age


def test_a_folder_without_warc_files_is_an_error(tmp_path):
    with pytest.raises(DataError, match="holds no WARC file"):
        extract_crawl(tmp_path, tmp_path / "shards", **SETTINGS)
