"""The splitter on damage, each case a small archive made here."""

import gzip
import random
import zlib

import lz4.frame
import pytest
import zstandard

from corpus.reading import codecs, members
from corpus.reading.split import split
from tests.corpus.warc_files import record

MOST = 1 << 20


def page(number: int, size: int = 3000) -> bytes:
    """A record whose body does not compress to nothing."""
    noise = "".join(random.Random(number).choices("abcdefghijklmnop \n", k=size))
    return record(f"http://a.org/{number}", "text/html", f"<html>{noise}".encode(), status="200 OK")


RECORDS = [page(number) for number in range(4)]


def spans(data: bytes, *, step: int = 1 << 18, most: int = MOST):
    return list(split((data[at : at + step] for at in range(0, len(data), step)), most_bytes=most))


def summary(data: bytes, **settings):
    """(number of the page, problem) of each span."""
    return [(_number(span.block), span.problem) for span in spans(data, **settings)]


def _number(block: bytes) -> int | None:
    return int(block.split(b"http://a.org/")[1].split(b"\r\n")[0]) if b"http://a.org/" in block else None


GOOD = [(number, "") for number in range(4)]
FORMS = {
    "gzip": lambda parts: b"".join(gzip.compress(part, mtime=0) for part in parts),
    "plain": b"".join,
    "lz4": lambda parts: b"".join(lz4.frame.compress(part) for part in parts),
    "zstd": lambda parts: b"".join(zstandard.compress(part) for part in parts),
    "one gzip member": lambda parts: gzip.compress(b"".join(parts)),
    "members of two": lambda parts: gzip.compress(parts[0] + parts[1]) + gzip.compress(parts[2] + parts[3]),
    "members cut anywhere": lambda parts: b"".join(
        gzip.compress(b"".join(parts)[at : at + 1111]) for at in range(0, sum(map(len, parts)), 1111)
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("step", [97, 1 << 18])
def test_records_are_found_however_they_are_packed(form, step):
    data = FORMS[form](RECORDS)
    found = spans(data, step=step)
    assert [span.problem for span in found] == [""] * 4
    assert [span.block.rstrip() for span in found] == [one.rstrip() for one in RECORDS]


@pytest.mark.parametrize("form", ["gzip", "plain", "lz4", "zstd"])
def test_offset_and_length_read_the_record_again(form):
    data = FORMS[form](RECORDS)
    for span in spans(data):
        again = spans(data[span.offset : span.offset + span.length])
        assert [one.block for one in again] == [span.block]


def test_records_that_share_a_member_have_its_offset_and_no_length():
    found = spans(FORMS["members of two"](RECORDS))
    assert [span.length for span in found] == [0] * 4
    assert found[0].offset == found[1].offset == 0
    assert found[2].offset == found[3].offset > 0


@pytest.mark.parametrize("form", ["gzip", "lz4", "zstd"])
def test_w1_a_cut_last_member_is_marked(form):
    data = FORMS[form](RECORDS)
    last = len(FORMS[form](RECORDS[3:]))
    for cut in (3, last // 2, last - 30):
        found = summary(data[:-cut])
        assert found[:3] == GOOD[:3]
        assert all(problem for _, problem in found[3:])
        assert len(found) == 4


def test_w1_a_cut_plain_record_is_marked():
    assert summary(b"".join(RECORDS)[:-500]) == [*GOOD[:3], (3, "truncated")]


@pytest.mark.parametrize("place", [1, 12, 300, -6])
@pytest.mark.parametrize("form", ["gzip", "lz4", "zstd"])
def test_w2_a_damaged_member_costs_that_record(form, place):
    parts = [FORMS[form]([one]) for one in RECORDS]
    middle = bytearray(parts[1])
    middle[place] ^= 0xFF
    found = summary(b"".join([parts[0], bytes(middle), *parts[2:]]))
    good = [one for one in found if not one[1]]
    if form != "gzip" and len(good) == 4:
        return  # these frames have no checksum: the digest of the payload is what finds such damage
    assert good == [GOOD[0], *GOOD[2:]]
    assert len(found) == 4 or form == "lz4"  # of which what follows a damaged end mark is a second span


def test_w2_a_member_cut_in_the_middle_of_the_file_costs_that_record():
    parts = [gzip.compress(one) for one in RECORDS]
    found = summary(b"".join([parts[0], parts[1][:200], *parts[2:]]))
    assert [one for one in found if not one[1]] == [GOOD[0], *GOOD[2:]]


def test_w2_any_damage_of_one_gzip_member_leaves_the_others_as_they_were():
    draw = random.Random(1)
    parts = [gzip.compress(page(number, size=400), mtime=0) for number in range(4)]
    whole = [span.block for span in spans(b"".join(parts))]
    for _ in range(300):
        hit = draw.randrange(4)
        member = bytearray(parts[hit])
        start = draw.randrange(len(member))
        member[start : start + draw.choice((1, 1, 8))] = draw.randbytes(draw.choice((0, 1, 1, 8, 30)))
        found = spans(b"".join([*parts[:hit], bytes(member), *parts[hit + 1 :]]))
        good = [span.block for span in found if not span.problem]
        assert good in (whole, whole[:hit] + whole[hit + 1 :])
        assert good == whole or len(found) > len(good)


def test_w2_rubbish_between_members_is_counted():
    parts = [gzip.compress(one) for one in RECORDS]
    found = spans(b"".join([parts[0], b"\x00" * 700, parts[1], b"\x1f\x8b\x08 no member", *parts[2:]]))
    assert [one.problem for one in found] == ["", "unreadable record", "", "unreadable record", "", ""]
    assert found[1].detail == "700 bytes between members"


def test_an_uncompressed_record_between_members_is_read():
    parts = [gzip.compress(one) for one in RECORDS]
    for mixed in ([parts[0], RECORDS[1], *parts[2:]], [RECORDS[0], *parts[1:]]):
        found = spans(b"".join(mixed))
        assert [span.block.rstrip() for span in found] == [one.rstrip() for one in RECORDS]
        assert b"".join(mixed)[found[3].offset : found[3].offset + found[3].length] == mixed[3]


@pytest.mark.parametrize("wrong", [-5, 5, 9000, 10**9])
@pytest.mark.parametrize("form", ["plain", "gzip", "one gzip member"])
def test_a_wrong_length_costs_that_record(form, wrong):
    if form == "one gzip member" and wrong == 10**9:
        return  # a body larger than what is kept could itself hold an archive: only its end is believed there
    stated = RECORDS[1].split(b"Content-Length: ", 1)[1].split(b"\r\n")[0]
    changed = RECORDS[1].replace(stated, str(int(stated) + wrong).encode(), 1)
    found = summary(FORMS[form]([RECORDS[0], changed, *RECORDS[2:]]))
    assert [one for one in found if not one[1]] == [GOOD[0], *GOOD[2:]]
    assert (1, "truncated") in found


def test_w3_a_record_without_length_reaches_to_the_next():
    bare = [one.replace(b"Content-Length: ", b"X-Length: ", 1) for one in RECORDS]
    for form in ("gzip", "plain", "one gzip member"):
        found = spans(FORMS[form](bare))
        assert [span.problem for span in found] == [""] * 4
        assert [span.block.rstrip() for span in found] == [one.rstrip() for one in bare]


def test_a_damaged_header_of_a_plain_record_costs_that_record():
    broken = b"X" + RECORDS[1][1:]
    assert summary(b"".join([RECORDS[0], broken, *RECORDS[2:]])) == [GOOD[0], (None, "unreadable record"), *GOOD[2:]]


@pytest.mark.parametrize("form", ["plain", "one gzip member", "members of two"])
def test_any_damage_of_an_unpacked_record_leaves_the_others_as_they_were(form):
    draw = random.Random(2)
    parts = [page(number, size=400) for number in range(4)]
    for _ in range(150):
        hit = draw.randrange(4)
        changed = bytearray(parts[hit])
        start = draw.choice((draw.randrange(len(changed)), draw.randrange(280), len(changed) - draw.randrange(1, 9)))
        changed[start : start + draw.choice((1, 1, 8))] = draw.randbytes(draw.choice((0, 1, 1, 8, 30)))
        good = {span.block.strip() for span in spans(FORMS[form]([*parts[:hit], bytes(changed), *parts[hit + 1 :]]))}
        assert {one.strip() for number, one in enumerate(parts) if number != hit} <= good


def test_a_record_larger_than_the_limit_is_named_and_not_kept():
    large = page(1, size=200_000)
    for form in ("gzip", "plain"):
        found = spans(FORMS[form]([RECORDS[0], large, *RECORDS[2:]]), most=50_000)
        assert [span.problem for span in found] == ["", "too large", "", ""]
        assert len(found[1].block) < 70_000


def test_a_bomb_is_read_in_bounded_memory():
    head = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 60000000\r\n\r\n"
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = packer.compress(head) + b"".join(packer.compress(bytes(2_000_000)) for _ in range(30)) + packer.flush()
    found = summary(bomb + gzip.compress(RECORDS[0]))
    assert found == [(None, "too large"), GOOD[0]]


@pytest.mark.parametrize(
    "content",
    [b"", b"<?xml version='1.0'?><Error><Code>SlowDown</Code></Error>", b"\x1f\x8b\x08 no gzip at all", b"\x00" * 99],
)
def test_w8_what_is_no_archive_is_one_span_that_says_so(content):
    assert summary(content) == [(None, "not an archive")]


def test_an_arc_file_is_split_at_its_lines():
    body = b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<html>one</html>"
    lines = [b"http://a.org/%d x y 1.2.3.4 20200101000000 text/html %d\n" % (one, len(body)) for one in range(3)]
    first = b"filedesc://a.arc 0.0.0.0 20200101000000 text/plain 10\n1 0 Tests\n\n"
    data = first + b"\n".join(line + body for line in lines) + b"\n"
    assert [span.problem for span in spans(data)] == [""] * 4
    wrong = data.replace(b"text/html %d\n" % len(body), b"text/html abc\n", 1)
    assert [span.problem for span in spans(wrong)] == [""] * 4


def test_a_zstd_dictionary_in_front_is_used():
    samples = [page(number) for number in range(60)]
    dictionary = zstandard.train_dictionary(8192, samples)
    packer = zstandard.ZstdCompressor(dict_data=dictionary)
    raw = dictionary.as_bytes()
    front = codecs.DICTIONARY_FRAME + len(raw).to_bytes(4, "little") + raw
    assert summary(front + b"".join(packer.compress(one) for one in RECORDS)) == GOOD


def test_damage_behind_more_bytes_than_are_kept_still_ends_at_a_member(monkeypatch):
    monkeypatch.setattr(members, "MOST_KEPT", 1 << 12)
    large = bytearray(gzip.compress(page(1, size=3_000_000), compresslevel=0))
    large[2_000_000] ^= 0xFF
    parts = [gzip.compress(one) for one in RECORDS]
    found = summary(b"".join([parts[0], bytes(large), *parts[2:]]), most=1 << 23)
    assert [one for one in found if not one[1]] == [GOOD[0], *GOOD[2:]]
