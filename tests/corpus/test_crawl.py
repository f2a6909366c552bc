"""Records -> captures: what a page is, and each reason why a capture is none."""

import base64
import gzip
import hashlib

import pytest

from corpus.crawl import capture_of, is_capture
from corpus.pages import page_of
from corpus.reading.split import split
from tests.corpus.warc_files import html, record

LIMIT = 1 << 20
PAGE = html("Title", "Some words about the sum $a+b$ of two numbers, and some more of them in a row.")


def captures(*records: bytes):
    spans = split([b"".join(records)], most_bytes=LIMIT * 2)
    return [one for span in spans if is_capture(span) and (one := capture_of(span, max_body_bytes=LIMIT))]


def response(content_type="text/html; charset=utf-8", body=PAGE, *, status="200 OK", url="http://a.org/1"):
    return gzip.compress(record(url, content_type, body, status=status), mtime=0)


def with_header(line: str, body: bytes = PAGE) -> bytes:
    plain = record("http://a.org/1", "text/html", body, status="200 OK")
    return plain.replace(b"WARC-Type: response\r\n", b"WARC-Type: response\r\n" + line.encode() + b"\r\n", 1)


def outcome(*records: bytes):
    return [(one.problem, one.detail) for one in captures(*records)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (response(), ("", "")),
        (response(""), ("", "")),
        (response("application/pdf", b"%PDF"), ("not html", "application/pdf")),
        (response("text/html", b"  "), ("empty body", "")),
        (response("text/html", b"x" * (LIMIT + 1)), ("too large", f"more than {LIMIT} bytes")),
        (response(status="404 Not Found"), ("http status", "404")),
        (response(status="HTTP-less"), ("http status", "HTTP-less")),
    ],
)
def test_every_response_is_a_page_or_a_problem_with_its_reason(given, expected):
    assert outcome(given) == [expected]


def test_records_that_hold_no_page_are_passed_over():
    others = [
        with_header("").replace(b"WARC-Type: response", b"WARC-Type: " + kind)
        for kind in (b"request", b"metadata", b"warcinfo", b"continuation")
    ]
    assert captures(*others) == []
    assert outcome(with_header("").replace(b"Type: response", b"Type: revisit"))[0][0] == "revisit"


def test_w3_a_record_without_length_is_a_page():
    bare = record("http://a.org/1", "text/html", PAGE, status="200 OK").replace(b"Content-Length", b"X-Length", 1)
    for packed in (bare, gzip.compress(bare)):
        found = captures(packed)
        assert [(one.problem, one.body) for one in found] == [("", PAGE)]


def test_w4_a_record_without_an_address_is_counted():
    bare = record("http://a.org/1", "text/html", PAGE, status="200 OK").replace(b"WARC-Target-URI", b"X-URI", 1)
    assert outcome(bare, response()) == [("no url", ""), ("", "")]


@pytest.mark.parametrize("reason", ["length", "time", "disconnect", "unspecified"])
def test_w12_what_the_crawler_cut_is_marked(reason):
    found = captures(with_header(f"WARC-Truncated: {reason}"))
    assert [(one.problem, one.truncated, one.body) for one in found] == [("truncated", reason, b"")]


def test_the_first_of_several_segments_is_not_a_whole_page():
    assert outcome(with_header("WARC-Segment-Number: 1")) == [("truncated", "first segment only")]


def test_a_body_shorter_than_its_announced_length_is_marked():
    short = record("http://a.org/1", "text/html", PAGE, status="200 OK").replace(
        f"text/html\r\nContent-Length: {len(PAGE)}".encode(), f"text/html\r\nContent-Length: {len(PAGE)}0".encode()
    )
    short = short.replace(b"Content-Length: 2", b"Content-Length: 2", 1)
    declared = len(short.split(b"\r\n\r\n", 1)[1]) - 4
    short = short.replace(b"msgtype=response\r\nContent-Length: ", b"msgtype=response\r\nX: ", 1)
    short = short.replace(b"WARC-Type", f"Content-Length: {declared}\r\nWARC-Type".encode(), 1)
    assert outcome(short)[0][0] == "truncated"


def sha1(data: bytes) -> bytes:
    return hashlib.sha1(data).digest()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"WARC-Payload-Digest: sha1:{base64.b32encode(sha1(PAGE)).decode()}", "verified"),
        (f"WARC-Payload-Digest: SHA-1:{sha1(PAGE).hex()}", "verified"),
        (f"WARC-Payload-Digest: sha256:{hashlib.sha256(PAGE).hexdigest().upper()}", "verified"),
        (f"WARC-Payload-Digest: md5:{base64.b64encode(hashlib.md5(PAGE).digest()).decode()}", "verified"),
        (f"WARC-Payload-Digest: sha1:{sha1(b'other').hex()}", "mismatch"),
        (f"WARC-Block-Digest: sha1:{sha1(b'other').hex()}", "mismatch"),
        ("WARC-Payload-Digest: crc7:ab", ""),
        ("X: y", ""),
    ],
)
def test_stated_digests_are_checked(line, expected):
    found = captures(with_header(line))[0]
    assert (found.problem, found.digest_check) == ("", expected)
    assert found.digest == "sha1:" + base64.b32encode(sha1(PAGE)).decode()


def test_arc_records_of_both_versions_are_pages():
    http = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE
    first = b"filedesc://a.arc 0.0.0.0 20200101000000 text/plain 10\n1 0 Tests\n\n"
    old = b"http://a.org/1 1.2.3.4 20200102030405 text/html %d\n%s\n" % (len(http), http)
    new = b"http://a.org/2 1.2.3.4 20200102030405 text/html 200 - - 99 a.arc %d\n%s\n" % (len(http), http)
    found = captures(first, old, new)
    assert [(one.url, one.date, one.problem, one.body) for one in found] == [
        (f"http://a.org/{number}", "2020-01-02T03:04:05Z", "", PAGE) for number in (1, 2)
    ]


def test_a_wet_record_is_text_already():
    text = b"Un texto. a < b & c \xc3\xa9 <meta charset=gbk>"
    wet = (
        b"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a.org/w\r\nWARC-Date: 2024-05-18T01:58:10Z\r\n"
        b"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (len(text), text)
    )
    page = page_of(captures(wet)[0], "a.wet.gz", hashes=16)
    assert (page.text, page.url, page.reason) == (text.decode(), "http://a.org/w", "")


def test_a_page_is_known_by_address_and_text_and_names_its_place():
    found = captures(response(url="http://www.a.org/1?utm_source=x"))[0]
    page = page_of(found, "a.warc.gz", hashes=128)
    assert (page.key, page.domain, page.language, page.reason) == ("www.a.org/1", "a.org", "en", "")
    assert "$a+b$" in page.text
    assert page.tokens > 10
    assert len(page.signature) == 4 * 128
    assert (page.file, page.offset, page.length) == (
        "a.warc.gz",
        0,
        len(response(url="http://www.a.org/1?utm_source=x")),
    )


def test_http_answers_of_odd_versions_are_read():
    for version in (b"HTTP/2 200", b"HTTP/1.0 200", b"ICY 200 OK"):
        plain = record("http://a.org/1", "text/html", PAGE, status="200 OK").replace(b"HTTP/1.1 200 OK", version, 1)
        fixed = plain.replace(b"WARC/1.1", b"WARC/1.0", 1)
        length = len(fixed.split(b"\r\n\r\n", 1)[1]) - 4
        stated = fixed.split(b"Content-Length: ")[1].split(b"\r\n")[0]
        assert outcome(fixed.replace(stated, str(length).encode(), 1)) == [("", "")]
