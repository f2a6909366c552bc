"""Remote bytes from a server that misbehaves, and from S3."""

import random

import pytest
from moto.server import ThreadedMotoServer
from pyarrow import fs

from commons.errors import DataError
from corpus.reading.remote import Fetcher, Pace, Unreachable, retry_after
from corpus.reading.transports import S3, Http
from tests.corpus.servers import site

DATA = random.Random(0).randbytes(2_000_000)
FILES = {"/a": DATA, "/empty": b""}


def fetcher(waits, *, tries=5, **transports):
    http = Http(timeout_seconds=5.0)
    pace = Pace(requests_per_second=1e9, tries=tries)
    return Fetcher({"http": http, **transports}, pace, sleep=waits.append)


def get(served, *, tries=5, first=0, end=None):
    waits: list[float] = []
    data = b"".join(fetcher(waits, tries=tries).stream(served.address + "/a", first, end))
    return data, [wait for wait in waits if wait > 1e-6]


@pytest.mark.parametrize(
    ("faults", "waits"),
    [
        ((), 0),
        (("503",), 1),
        (("500", "502", "429"), 3),
        (("403", "403"), 2),
        (("cut",), 1),
        (("cut", "cut", "503", "cut"), 4),
        (("slow down", "slow down"), 2),
        (("cut", "short", "short", "cut"), 4),
        (("cut", "no ranges"), 1),
    ],
)
def test_what_passes_is_waited_for_and_the_file_is_whole(faults, waits):
    with site(FILES, *faults) as served:
        data, waited = get(served)
    assert data == DATA
    assert len(waited) == waits


def test_a_cut_file_goes_on_where_it_was_cut():
    with site(FILES, "cut", "cut") as served:
        get(served)
    assert served.asked == ["", "bytes=1000000-1999999", "bytes=1500000-1999999"]


def test_a_range_that_comes_short_is_completed():
    with site(FILES, "short", "cut", "no ranges") as served:
        data, _ = get(served, first=1000, end=9000)
    assert data == DATA[1000:9000]
    assert served.asked == ["bytes=1000-8999", "bytes=5000-8999", "bytes=7000-8999"]


def test_the_wait_that_a_server_asks_for_is_kept():
    with site(FILES, "503") as served:
        _, waited = get(served)
    assert waited == [7.0]
    assert retry_after("Thu, 01 Jan 1970 00:01:40 GMT", 40.0) == 60.0
    assert retry_after("soon", 0.0) == 0.0


def test_waits_grow_while_a_server_stays_busy_and_then_the_run_ends():
    with site(FILES, *["500"] * 5) as served:
        waits: list[float] = []
        with pytest.raises(DataError, match=r"HTTP status 500 \(5 tries in a row\); the same command goes on"):
            b"".join(fetcher(waits).stream(served.address + "/a"))
    growing = [wait for wait in waits if wait > 1e-6]
    assert [2**number / 2 <= wait <= 2**number for number, wait in enumerate(growing)] == [True] * 4


def test_requests_keep_their_distance_and_a_larger_one_after_a_refusal():
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    with site(FILES, "", "429", "") as served:
        polite = Fetcher(
            {"http": Http(timeout_seconds=5.0)}, Pace(requests_per_second=0.5), sleep=sleep, clock=lambda: now[0]
        )
        for _ in range(2):
            polite.read(served.address + "/a", 0, 10)
        assert now[0] >= 2.0 + 7.0
        before = now[0]
        polite.read(served.address + "/a", 0, 10)
        polite.read(served.address + "/a", 0, 10)
        assert now[0] - before >= 4.0 - 1e-6, "half as many requests a second"


@pytest.mark.parametrize(
    ("path", "faults", "reason"),
    [
        ("/none", (), "HTTP status 404"),
        ("/a", ("410",), "HTTP status 410"),
        ("/a", ("no key",), "NoSuchKey in place of the file"),
        ("/a", ("cut", "changed"), "it changed while it was read"),
        ("/a", ("403",) * 5, "HTTP status 403, 5 times"),
    ],
)
def test_what_does_not_pass_is_told_at_once(path, faults, reason):
    with site(FILES, *faults) as served, pytest.raises(Unreachable, match=reason):
        b"".join(fetcher([]).stream(served.address + path))


def test_a_range_behind_the_end_and_an_unknown_scheme_are_told():
    with site(FILES) as served, pytest.raises(Unreachable, match="it ends at 2000000"):
        fetcher([]).read(served.address + "/a", 1_999_000, 5000)
    with pytest.raises(Unreachable, match="ftp://"):
        fetcher([]).read("ftp://a.org/a", 0, 1)


def test_a_server_that_is_not_there_ends_the_run():
    with site(FILES) as served:
        pass
    with pytest.raises(DataError, match="tries in a row"):
        fetcher([], tries=2).read(served.address + "/a", 0, 1)


def test_sizes_and_empty_files():
    with site(FILES, "503") as served:
        assert fetcher([]).size(served.address + "/a") == len(DATA)
        assert b"".join(fetcher([]).stream(served.address + "/empty")) == b""


def test_s3_is_read_whole_by_range_and_refusals_are_told(monkeypatch):
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        address = f"http://{host}:{port}"
        for name, value in (
            ("AWS_ENDPOINT_URL", address),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "test"),
            ("AWS_EC2_METADATA_DISABLED", "true"),
        ):
            monkeypatch.setenv(name, value)
        system = fs.S3FileSystem(endpoint_override=address, region="us-east-1", allow_bucket_creation=True)
        system.create_dir("crawl")
        with system.open_output_stream("crawl/a") as file:
            file.write(DATA)
        reads = fetcher([], tries=2, s3=S3(timeout_seconds=20.0))
        assert b"".join(reads.stream("s3://crawl/a")) == DATA
        assert reads.read("s3://crawl/a", 1000, 5000) == DATA[1000:6000]
        assert reads.size("s3://crawl/a") == len(DATA)
        with pytest.raises(Unreachable, match="no such object"):
            reads.read("s3://crawl/none", 0, 1)
    finally:
        server.stop()
    with pytest.raises(DataError, match="tries in a row"):
        reads.read("s3://crawl/a", 0, 1)
