"""Transfer and content codings, and archives that took them off and kept the headers."""

import gzip
import zlib

import brotli
import pytest
import zstandard

from corpus.reading.bodies import BAD_CODING, CUT_CHUNKS, CUT_CODING, body_of

PAGE = b"<!doctype html><html><body>" + b"".join(b"<p>Line %d of a page.</p>" % one for one in range(300)) + b"</html>"


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


CODINGS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


def body(payload: bytes, most: int = 1 << 20, **headers: str):
    named = {name.replace("_", "-").lower(): value for name, value in headers.items()}
    return body_of(payload, lambda name: named.get(name.lower(), ""), most_bytes=most)


def chunked(data: bytes, size: int = 700) -> bytes:
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    return b"".join(b"%x;name=value\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize("coding", CODINGS)
def test_each_content_coding_is_taken_off(coding):
    assert body(CODINGS[coding](PAGE), content_encoding=coding) == body(PAGE)


@pytest.mark.parametrize("coding", CODINGS)
def test_a_body_that_the_archive_decoded_is_left_as_it_is(coding):
    found = body(PAGE, content_encoding=coding, content_length=str(len(PAGE) + 9), transfer_encoding="chunked")
    assert (found.data, found.truncated) == (PAGE, "")


@pytest.mark.parametrize("coding", CODINGS)
def test_a_cut_coded_body_is_marked(coding):
    found = body(CODINGS[coding](PAGE)[:-20], content_encoding=coding)
    assert found.truncated == CUT_CODING
    assert found.data != PAGE


def test_a_damaged_coded_body_is_marked():
    damaged = bytearray(gzip.compress(PAGE))
    damaged[-6] ^= 1
    assert body(bytes(damaged), content_encoding="gzip").truncated == BAD_CODING


def test_deflate_without_its_wrapper_codings_in_a_row_and_unknown_ones():
    assert body(bare_deflate(PAGE), content_encoding="deflate").data == PAGE
    assert body(brotli.compress(gzip.compress(PAGE)), content_encoding="gzip, br").data == PAGE
    assert body(PAGE, content_encoding="utf-8").data == PAGE
    assert body(gzip.compress(PAGE[:500]) + gzip.compress(PAGE[500:]), content_encoding="gzip").data == PAGE


def test_a_gzip_body_without_its_header_is_still_a_page():
    assert body(gzip.compress(PAGE), content_type="text/html").data == PAGE


def test_w6_chunk_sizes_never_become_text():
    assert body(chunked(PAGE), transfer_encoding="chunked") == body(PAGE)
    assert body(chunked(gzip.compress(PAGE)), transfer_encoding="Chunked", content_encoding="gzip").data == PAGE
    assert body(chunked(PAGE)).data == PAGE, "also where the header was lost"


def test_w6_a_chunked_body_that_was_cut_is_marked():
    for cut in (3, 8, 900):
        assert body(chunked(PAGE)[:-cut], transfer_encoding="chunked").truncated == CUT_CHUNKS


def test_a_text_that_begins_like_a_chunk_size_stays():
    text = b"10\r\nten green bottles, hanging on the wall"
    assert body(text).data == text
    assert body(text, transfer_encoding="chunked").data == text
    assert body(b"0\n").data == b"0\n"


def test_a_body_shorter_than_announced_is_marked_and_a_longer_one_is_not():
    assert body(PAGE[:-9], content_length=str(len(PAGE))).truncated
    assert not body(PAGE, content_length=str(len(PAGE) - 9)).truncated


@pytest.mark.parametrize("coding", CODINGS)
def test_no_more_comes_out_of_a_bomb_than_the_limit_and_a_byte(coding):
    assert len(body(CODINGS[coding](bytes(4_000_000)), most=1000, content_encoding=coding).data) == 1001
