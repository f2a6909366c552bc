"""Every archive of the shared test data: pages, and the reasons why the other captures are none."""

from collections import Counter

import pytest

from corpus.crawl import capture_of, is_capture
from corpus.reading.sources import LocalFile

NOTHING: dict[str, int] = {}
EXAMPLE = {"page": 1, "revisit": 1, "http status": 1}
EXPECTED = {
    "dolma/sample-0000.warc.gz": {"page": 22, "not html": 2},
    "dolma/sample-0001.warc.gz": {"page": 15, "not html": 2},
    "jwarc/cc.warc.gz": {"page": 1},
    "jwarc/gzip_extra_sl.warc.gz": NOTHING,
    "pywb/dupes.warc.gz": {"page": 1, "http status": 1, "revisit": 9, "not html": 1},
    "pywb/example-bad.warc.gz.bad": EXAMPLE,
    "pywb/example-extra.warc": {"page": 1, "revisit": 2, "truncated": 1},
    "pywb/example-url-agnostic-orig.warc.gz": {"page": 1},
    "pywb/example-url-agnostic-revisit.warc.gz": {"revisit": 1},
    "pywb/example-wget-1-14.warc.gz": {"page": 1, "not html": 3},
    "pywb/example-wpull.warc.gz": {"page": 1, "not html": 1},
    "pywb/example.arc": {"page": 1},
    "pywb/example.arc.gz": {"page": 1},
    "pywb/example.warc": EXAMPLE,
    "pywb/example.warc.gz": EXAMPLE,
    "pywb/example2.warc.gz": {"page": 1},
    "pywb/httpbin-resource.warc.gz": {"not html": 1},
    "pywb/iana.warc.gz": {"page": 16, "not html": 28, "revisit": 123, "http status": 4},
    "resiliparse/block-sized-records.warc": NOTHING,
    "resiliparse/block-sized-records.warc.gz": NOTHING,
    "resiliparse/block-sized-records.warc.lz4": NOTHING,
    "resiliparse/clipped.warc.gz": {"truncated": 1},
    "resiliparse/clueweb-quirk.warc.gz": {"page": 29},
    "resiliparse/warcfile.warc": {"page": 16},
    "resiliparse/warcfile.warc.gz": {"page": 16},
    "resiliparse/warcfile.warc.lz4": {"page": 16},
    "warcio/bad.arc": {"no http response": 3},
    "warcio/example-bad-non-chunked.warc.gz": {"page": 1, "revisit": 1},
    "warcio/example-bad.warc.gz.bad": EXAMPLE,
    "warcio/example-digest.warc": NOTHING,
    "warcio/example-iana.org-chunked.warc": {"page": 1},
    "warcio/example-resource.warc.gz": {"page": 1},
    "warcio/example-space-in-target-uri.warc.gz": {"not html": 1},
    "warcio/example-space-in-url.arc": {"truncated": 1},
    "warcio/example-trunc.warc": {"truncated": 1},
    "warcio/example-wget-bad-target-uri.warc.gz": {"page": 1, "not html": 2},
    "warcio/example-wrong-chunks.warc.gz": {"truncated": 1},
    "warcio/example.arc": {"page": 1},
    "warcio/example.arc.gz": {"page": 1},
    "warcio/example.warc": {"page": 1, "revisit": 1},
    "warcio/example.warc.gz": {"page": 1, "revisit": 1},
    "warcio/post-test.warc.gz": {"not html": 3},
    "whirlwind/CC-MAIN-2024-22.warc.paths.gz": {"not an archive": 1},
    "whirlwind/whirlwind.warc": {"page": 1},
    "whirlwind/whirlwind.warc.gz": {"page": 1},
    "whirlwind/whirlwind.warc.wat": NOTHING,
    "whirlwind/whirlwind.warc.wat.gz": NOTHING,
    "whirlwind/whirlwind.warc.wet": {"page": 1},
    "whirlwind/whirlwind.warc.wet.gz": {"page": 1},
}


def captures(folder, name):
    return [
        capture
        for _, span in LocalFile(name, folder / name).spans(most_bytes=9 << 20)
        if is_capture(span) and (capture := capture_of(span, max_body_bytes=8 << 20))
    ]


def test_the_table_names_every_archive(shared):
    files = (path for path in (shared / "archives").rglob("*") if path.is_file())
    assert {path.relative_to(shared / "archives").as_posix() for path in files} == EXPECTED.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_each_archive_is_read_or_refused_with_a_reason(shared, name):
    assert Counter(one.problem or "page" for one in captures(shared / "archives", name)) == EXPECTED[name]


def test_no_page_of_the_archives_is_cut_or_of_another_digest(shared):
    for name in EXPECTED:
        for one in captures(shared / "archives", name):
            assert one.problem or (not one.truncated and one.digest_check in ("", "verified")), (name, one.url)


def test_the_same_pages_come_from_each_container(shared):
    bodies = [
        [one.body for one in captures(shared / "archives", f"resiliparse/warcfile.warc{ending}")]
        for ending in ("", ".gz", ".lz4")
    ]
    assert bodies[0] == bodies[1] == bodies[2]


def test_odd_addresses_are_read(shared):
    folder = shared / "archives"
    wget = [one.url for one in captures(folder, "warcio/example-wget-bad-target-uri.warc.gz") if not one.problem]
    assert wget == ["http://example.com/"]
    arc = captures(folder, "warcio/example-space-in-url.arc")[0]
    assert arc.url.startswith("http://example.com/index.cfm?FuseAction=Email&EmailTitle=Examples")


def test_a_chunked_body_has_no_chunk_sizes(shared):
    page = captures(shared / "archives", "warcio/example-iana.org-chunked.warc")[0]
    assert page.body.startswith(b"<!doctype html>")
    assert page.body.rstrip().endswith(b"</html>")
