"""Records as WARC files whose bytes depend on the records alone."""

import datetime
import uuid
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from commons.files import atomic_file
from corpus.crawlgen.planted import Record

START = datetime.datetime(2024, 3, 4, tzinfo=datetime.UTC)  # of the crawl; any fixed day will do
NAMESPACE = uuid.UUID("7a1d7f0e-3f0b-5a7e-9a53-5c0d2b6e4f11")


def record_id(record: Record, position: int) -> str:
    """The WARC-Record-ID: from the address, the body and the place in the crawl."""
    name = f"{position}\n{record.url}\n".encode().hex() + record.body.hex()
    return f"<urn:uuid:{uuid.uuid5(NAMESPACE, name)}>"


def write_warcs(folder: Path, records: Sequence[Record], files: int) -> list[tuple[str, str]]:
    """Deals the records to `crawl-00000.warc.gz` and so on; returns file name and record id of each record."""
    ids = [record_id(record, position) for position, record in enumerate(records)]
    for number in range(files):
        name = f"crawl-{number:05d}.warc.gz"
        with atomic_file(folder / name) as file:
            writer = WARCWriter(file, gzip=True)
            info = {"software": "corpus.sample", "description": "pages of our own making; no such site exists"}
            warcinfo = writer.create_warcinfo_record(name, info)
            warcinfo.rec_headers.replace_header("WARC-Date", _date(0))
            warcinfo.rec_headers.replace_header("WARC-Record-ID", f"<urn:uuid:{uuid.uuid5(NAMESPACE, name)}>")
            writer.write_record(warcinfo)
            for position in range(number, len(records), files):
                _write(writer, records[position], ids[position], position)
    return [(f"crawl-{position % files:05d}.warc.gz", ids[position]) for position in range(len(records))]


def _date(position: int) -> str:
    return (START + datetime.timedelta(seconds=7 * position)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _write(writer: WARCWriter, record: Record, identifier: str, position: int) -> None:
    headers = [("Server", "httpd"), ("Content-Type", record.content_type), *record.headers]
    if not any(name == "Transfer-Encoding" for name, _ in headers):
        headers.append(("Content-Length", str(len(record.body))))
    about = {
        "WARC-Record-ID": identifier,
        "WARC-Date": _date(position),
        "WARC-IP-Address": f"192.0.2.{len(record.site.host)}",
    }
    if record.truncated:
        about["WARC-Truncated"] = "length"
    http = StatusAndHeaders(record.status, headers, protocol="HTTP/1.1")
    made = writer.create_warc_record(
        record.url,
        "response",
        payload=BytesIO(record.body),
        length=len(record.body),  # known, or warcio copies the body to a temporary file
        http_headers=http,
        warc_headers_dict=about,
    )
    writer.write_record(made)
