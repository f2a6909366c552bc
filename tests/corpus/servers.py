"""A web server on 127.0.0.1 that misbehaves as told: each request takes the next fault of its list."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SLOW_DOWN = b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>SlowDown</Code><Message>Reduce.</Message></Error>'
NO_KEY = b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code></Error>'


@dataclass
class Site:
    """Files by path, faults in the order in which they come, and what was asked."""

    files: dict[str, bytes]
    faults: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    etag: str = '"one"'
    address: str = ""


@contextmanager
def site(files: dict[str, bytes], *faults: str) -> Iterator[Site]:
    """A running server."""
    served = Site(files, list(faults))
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"served": served}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    served.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    served: Site
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        asked = self.headers.get("Range", "")
        self.served.asked.append(asked)
        fault = self.served.faults.pop(0) if self.served.faults else ""
        data = self.served.files.get(self.path)
        if data is None:
            self._send(404, b"none")
        elif fault.isdigit():
            self._send(int(fault), b"busy", **({"Retry-After": "7"} if fault in ("503", "429") else {}))
        elif fault in ("slow down", "no key"):
            self._send(200, SLOW_DOWN if fault == "slow down" else NO_KEY)
        else:
            self._file(data, asked, fault)

    def _file(self, data: bytes, asked: str, fault: str) -> None:
        if fault == "changed":
            self.served.etag = '"two"'
        changed = self.headers.get("If-Range", self.served.etag) != self.served.etag
        first, last = 0, len(data) - 1
        if asked and not changed and fault != "no ranges":
            start, _, end = asked.removeprefix("bytes=").partition("-")
            first, last = int(start), min(int(end) if end else last, last)
        part = data[first : last + 1]
        if fault == "short":
            part, last = part[: len(part) // 2], first + len(part) // 2 - 1
        range_ = {"Content-Range": f"bytes {first}-{last}/{len(data)}"} if asked and not changed else {}
        if fault == "no ranges":
            range_ = {}
        sent = part[: len(part) // 2] if fault == "cut" else part
        self._send(206 if range_ else 200, sent, announced=len(part), ETag=self.served.etag, **range_)
        if fault == "cut":
            self.close_connection = True

    def _send(self, status: int, data: bytes, announced: int | None = None, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data) if announced is None else announced))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        pass
