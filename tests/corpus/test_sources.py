"""What --crawl may name, and pages chosen through the columnar index."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from commons.errors import DataError
from corpus.reading.columnar import Place, Read, Wanted, chosen, coalesced
from corpus.reading.remote import Fetcher, Pace
from corpus.reading.sources import parts_of
from corpus.reading.transports import Http
from tests.corpus.servers import site
from tests.corpus.warc_files import html, record

HOSTS = {"math.a.org": "a.org", "www.a.org": "a.org", "b.github.io": "github.io", "c.org": "c.org"}


def fetcher(tries: int = 3) -> Fetcher:
    return Fetcher({"http": Http(timeout_seconds=5.0)}, Pace(1e9, tries), sleep=lambda seconds: None)


def member(url: str) -> bytes:
    return gzip.compress(record(url, "text/html", html("T", f"Words of {url}"), status="200 OK"), mtime=0)


def crawl_and_index(status: int = 200) -> tuple[dict[str, bytes], list[dict[str, object]]]:
    """Two WARC files with three pages of each host, and the rows of their index."""
    files, rows = {}, []
    for name in ("warc/x.warc.gz", "warc/y.warc.gz"):
        data = b""
        for host, domain in HOSTS.items():
            for path in ("/", f"/wiki/{name[5]}", f"/forum/{name[5]}?q=1"):
                packed = member(f"https://{host}{path}")
                rows.append(
                    {
                        "url": f"https://{host}{path}",
                        "url_host_name": host,
                        "url_host_registered_domain": domain,
                        "url_path": path.split("?")[0],
                        "fetch_status": 404 if path == "/" and name[5] == "y" else status,
                        "content_mime_detected": "application/pdf" if "forum/y" in path else "text/html",
                        "warc_filename": name,
                        "warc_record_offset": len(data),
                        "warc_record_length": len(packed),
                    }
                )
                data += packed
        files["/" + name] = data
    return files, rows


def write(folder, files) -> None:
    for name, data in files.items():
        path = folder / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def read(path, *, base="https://data.commoncrawl.org/", tries=3):
    """(file, address, problem) of every span of a crawl."""
    found = []
    for part in parts_of(path, base=base, fetcher=fetcher(tries)):
        for file, span in part.spans(most_bytes=1 << 20):
            url = span.block.split(b"Target-URI: ")[1].split(b"\r\n")[0].decode() if span.block else ""
            found.append((file, url, span.problem))
    return found


def test_a_folder_gives_its_archives_at_any_depth_and_a_file_itself(tmp_path):
    files = {name: member("https://c.org/") for name in ("b.warc.gz", "deep/a.warc.wet.gz", "z.arc", "no.txt")}
    files |= {"metadata.warc.wat.gz": b"", "odd.bad": member("https://c.org/")}
    write(tmp_path, files)
    assert [file for file, _, _ in read(tmp_path)] == ["b.warc.gz", "deep/a.warc.wet.gz", "z.arc"]
    assert read(tmp_path / "odd.bad") == [("odd.bad", "https://c.org/", "")]
    with pytest.raises(DataError, match="holds no WARC file"):
        parts_of(tmp_path / "deep" / "..", base="", fetcher=fetcher()) and parts_of(
            _made(tmp_path / "none"), base="", fetcher=fetcher()
        )


def _made(folder):
    folder.mkdir()
    return folder


def test_a_list_of_paths_is_read_from_the_server_it_belongs_to(tmp_path):
    files, rows = crawl_and_index()
    (tmp_path / "warc.paths.gz").write_bytes(
        gzip.compress(b"warc/x.warc.gz\n# a comment\n\nwarc/y.warc.gz\nwarc/x.warc.gz\n")
    )
    with site(files, "503", "cut", "slow down") as served:
        found = read(tmp_path / "warc.paths.gz", base=served.address)
        assert [url for _, url, _ in found] == [row["url"] for row in rows]
        assert {file for file, _, _ in found} == {f"{served.address}/warc/{name}.warc.gz" for name in "xy"}


def test_a_file_that_is_not_there_is_counted_and_a_busy_server_ends_the_run(tmp_path):
    files, rows = crawl_and_index()
    (tmp_path / "list").write_text("warc/none.warc.gz\nwarc/y.warc.gz\n")
    with site(files) as served:
        found = read(tmp_path / "list", base=served.address)
        assert [problem for _, _, problem in found] == ["unreachable"] + [""] * (len(rows) // 2)
    with site(files, *["500"] * 4) as served, pytest.raises(DataError, match="the same command goes on"):
        read(tmp_path / "list", base=served.address)


def test_a_list_can_name_files_beside_it(tmp_path):
    files, rows = crawl_and_index()
    write(tmp_path, files)
    (tmp_path / "list.txt").write_text("warc/x.warc.gz\n")
    assert len(read(tmp_path / "list.txt")) == len(rows) // 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("warc.paths", b"part-00000.gz.parquet\n", "names no WARC, WET or ARC file"),
        ("warc.paths.gz", gzip.compress(b"x.warc.gz\n")[:-9], "neither an archive nor a list"),
        ("image.png", b"\x89PNG\xff\xfe", "neither an archive nor a list"),
        ("empty.paths", b"\n", "lists no file"),
        ("a.toml", b"[index]\nfiles = []\n", "index.files"),
        ("a.toml", b'[index]\nfiles = ["a"]\n[[pages]]\ndomain = "a"\nhost = "b"\n', "either `domain` or `host`"),
        ("a.toml", b'[index]\nfiles = ["a"]\nx = 1\n[[pages]]\ndomain = "a"\n', "index.x"),
        ("a.toml", b"index = [", "a.toml"),
    ],
)
def test_what_is_no_crawl_is_an_error_in_one_line(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        parts_of(tmp_path / name, base="https://data.commoncrawl.org/", fetcher=fetcher())


CHOICE = """
[index]
files = {files}

[[pages]]
domain = "a.org"
path = "/wiki/*"

[[pages]]
host = "b.github.io"
"""
WANTED = [
    ("warc/x.warc.gz", "https://math.a.org/wiki/x", ""),
    ("warc/x.warc.gz", "https://www.a.org/wiki/x", ""),
    ("warc/x.warc.gz", "https://b.github.io/", ""),
    ("warc/x.warc.gz", "https://b.github.io/wiki/x", ""),
    ("warc/x.warc.gz", "https://b.github.io/forum/x?q=1", ""),
    ("warc/y.warc.gz", "https://math.a.org/wiki/y", ""),
    ("warc/y.warc.gz", "https://www.a.org/wiki/y", ""),
    ("warc/y.warc.gz", "https://b.github.io/wiki/y", ""),
]


def test_chosen_pages_come_from_local_files(tmp_path):
    files, rows = crawl_and_index()
    write(tmp_path, files)
    pq.write_table(pa.Table.from_pylist(rows[:14]), _made(tmp_path / "index") / "1.parquet")
    pq.write_table(pa.Table.from_pylist(rows[10:]), tmp_path / "index" / "2.parquet")
    (tmp_path / "choice.toml").write_text(CHOICE.format(files='["index"]'))
    assert read(tmp_path / "choice.toml", base=str(tmp_path)) == WANTED


def test_chosen_pages_come_from_a_server_that_misbehaves_with_few_requests(tmp_path):
    files, rows = crawl_and_index()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "index.parquet")
    files["/cc-index/part-0.parquet"] = (tmp_path / "index.parquet").read_bytes()
    (tmp_path / "choice.toml").write_text(CHOICE.format(files='["cc-index/part-0.parquet"]'))
    with site(files, "503", "short", "cut") as served:
        parts = parts_of(tmp_path / "choice.toml", base=served.address, fetcher=fetcher())
        served.asked.clear()
        served.faults[:] = ["slow down", "short", "cut"]
        found = [(file, span.problem) for part in parts for file, span in part.spans(most_bytes=1 << 20)]
    assert found == [(file, problem) for file, _, problem in WANTED]
    assert len(served.asked) == 2 + 3, "one request a file and one after each fault"


def test_a_place_that_holds_no_record_is_counted(tmp_path):
    files, rows = crawl_and_index()
    write(tmp_path, {**files, "/warc/y.warc.gz": b"<html>gone</html>" * 1000})
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "index.parquet")
    (tmp_path / "choice.toml").write_text(CHOICE.format(files='["index.parquet"]'))
    found = read(tmp_path / "choice.toml", base=str(tmp_path))
    assert found[:5] == WANTED[:5]
    assert all(problem for _, _, problem in found[5:])


def test_an_index_without_the_wanted_pages_is_an_error(tmp_path):
    _, rows = crawl_and_index(status=301)
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "index.parquet")
    (tmp_path / "choice.toml").write_text(CHOICE.format(files='["index.parquet"]'))
    with pytest.raises(DataError, match="no successful HTML capture"):
        parts_of(tmp_path / "choice.toml", base=str(tmp_path), fetcher=fetcher())


def test_an_index_that_cannot_be_read_is_an_error_in_one_line(tmp_path):
    (tmp_path / "choice.toml").write_text(CHOICE.format(files='["index.parquet"]'))
    for content in (b"no parquet", b""):
        (tmp_path / "index.parquet").write_bytes(content)
        with pytest.raises(DataError, match="cannot be read"):
            parts_of(tmp_path / "choice.toml", base=str(tmp_path), fetcher=fetcher())
    pq.write_table(pa.table({"url": ["http://a.org"]}), tmp_path / "index.parquet")
    with pytest.raises(DataError, match="cannot be read"):
        parts_of(tmp_path / "choice.toml", base=str(tmp_path), fetcher=fetcher())
    pq.write_table(pa.Table.from_pylist(crawl_and_index()[1]), tmp_path / "whole.parquet")
    (tmp_path / "choice.toml").write_text(CHOICE.format(files='["part.parquet"]'))
    data = (tmp_path / "whole.parquet").read_bytes()
    with (
        site({"/part.parquet": data}, "", "changed", "410") as served,
        pytest.raises(DataError, match="cannot be read"),
    ):
        parts_of(tmp_path / "choice.toml", base=served.address, fetcher=fetcher())


def test_near_ranges_become_one_request_and_far_or_large_ones_do_not():
    places = [Place("a", 0, 10, ""), Place("a", 15, 10, ""), Place("a", 200, 10, ""), Place("b", 205, 10, "")]
    reads = coalesced(places, gap=50, most=1000)
    assert [(read.file, read.offset, read.length, len(read.places)) for read in reads] == [
        ("a", 0, 25, 2),
        ("a", 200, 10, 1),
        ("b", 205, 10, 1),
    ]
    assert [read.length for read in coalesced(places, gap=50, most=20)] == [10, 10, 10, 10]
    inside = [Place("a", 0, 100, ""), Place("a", 10, 5, "")]
    assert coalesced(inside) == [Read("a", 0, 100, tuple(inside))]


def test_a_page_that_two_patterns_want_comes_once(tmp_path):
    _, rows = crawl_and_index()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "index.parquet")
    twice = chosen([tmp_path / "index.parquet"] * 2, [Wanted(domain="c.org"), Wanted(host="c.org", path="/wiki/?")])
    assert len(twice) == 4
    assert twice == sorted(twice)
