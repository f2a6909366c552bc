import pytest

from corpus.crawl import read_captures, warc_files
from corpus.pages import page_of
from tests.corpus.warc_files import html, write_warc

LIMIT = 1 << 20
PAGE = html("Title", "Some words about the sum $a+b$ of two numbers, and some more of them in a row.")


def problems(path):
    return [(one.url, one.problem, one.detail) for one in read_captures(path, max_body_bytes=LIMIT)]


def test_every_response_is_a_page_or_a_problem_with_its_reason(tmp_path):
    path = tmp_path / "a.warc.gz"
    write_warc(
        path,
        [
            ("http://a.org/1", "text/html; charset=utf-8", PAGE),
            ("http://a.org/2", "application/pdf", b"%PDF"),
            ("http://a.org/3", "text/html", b"  "),
            ("http://a.org/4", "", PAGE),
            ("http://a.org/5", "text/html", b"x" * (LIMIT + 1)),
        ],
    )
    assert problems(path) == [
        ("http://a.org/1", "", ""),
        ("http://a.org/2", "not html", "application/pdf"),
        ("http://a.org/3", "empty body", ""),
        ("http://a.org/4", "", ""),
        ("http://a.org/5", "too large", f"more than {LIMIT} bytes"),
    ]


def test_an_error_status_is_counted(tmp_path):
    write_warc(tmp_path / "a.warc.gz", [("http://a.org/x", "text/html", PAGE)], status="404 Not Found")
    assert problems(tmp_path / "a.warc.gz") == [("http://a.org/x", "http status", "404")]


def test_a_cut_last_member_is_never_a_shorter_page(tmp_path):
    path = tmp_path / "a.warc.gz"
    noise = "".join(chr(97 + (number * number) % 26) for number in range(20_000))
    write_warc(path, [("http://a.org/1", "text/html", PAGE), ("http://a.org/2", "text/html", html("T", noise))])
    path.write_bytes(path.read_bytes()[:-120])
    found = problems(path)
    assert found[0] == ("http://a.org/1", "", "")
    assert all(problem in ("truncated", "unreadable record") for _, problem, _ in found[1:])
    assert len(found) == 2


@pytest.mark.parametrize("content", [b"", b"<Error><Code>SlowDown</Code></Error>", b"\x1f\x8b\x08 no gzip at all"])
def test_what_is_no_warc_file_is_one_row_or_none(tmp_path, content):
    (tmp_path / "a.warc.gz").write_bytes(content)
    found = problems(tmp_path / "a.warc.gz")
    assert len(found) <= 1
    assert all(problem for _, problem, _ in found)


def test_files_are_found_at_any_depth(tmp_path):
    write_warc(tmp_path / "warc" / "b.warc.gz", [])
    write_warc(tmp_path / "a.warc.gz", [])
    assert [path.name for path in warc_files(tmp_path)] == ["a.warc.gz", "b.warc.gz"]


def test_a_page_is_known_by_address_and_text(tmp_path):
    write_warc(tmp_path / "a.warc.gz", [("http://www.a.org/1?utm_source=x", "text/html", PAGE)])
    page = page_of(next(read_captures(tmp_path / "a.warc.gz", max_body_bytes=LIMIT)), hashes=128)
    assert (page.key, page.domain, page.language, page.reason) == ("www.a.org/1", "a.org", "en", "")
    assert "$a+b$" in page.text
    assert page.tokens > 10
    assert len(page.signature) == 4 * 128


def test_odd_archives_are_read_without_an_error(shared):
    for path in sorted((shared / "archives").rglob("*")):
        if path.name.endswith((".warc", ".warc.gz", ".arc", ".arc.gz", ".bad", ".lz4")):
            assert list(read_captures(path, max_body_bytes=LIMIT)) is not None
