"""How bytes come: https through urllib3, s3 through Arrow's own client."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import urllib3
from pyarrow import fs

from corpus.reading.remote import Fetcher, Pace, Reply, Transient, Unreachable, retry_after

CHUNK = 1 << 18
BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
RANGE = re.compile(r"bytes\s+(\d+)-(\d+)/(\d+|\*)")
S3_REFUSED = ("ACCESS_DENIED", "NoSuchBucket", "NO_SUCH_BUCKET", "HTTP status 403", "InvalidAccessKeyId")


class Http:
    """http and https. The agent's name tells a server whom to ask."""

    def __init__(self, *, timeout_seconds: float, agent: str = "deepseekmath-recipe/0.1 (corpus reader)") -> None:
        self._made_with: dict[str, Any] = {"timeout_seconds": timeout_seconds, "agent": agent}
        self._pool = urllib3.PoolManager(
            timeout=timeout_seconds,
            # Redirects alone: waiting and trying again is the fetcher's.
            retries=urllib3.Retry(
                total=5, connect=0, read=0, status=0, other=0, redirect=5, respect_retry_after_header=False
            ),
            headers={"User-Agent": agent, "Accept-Encoding": "identity"},
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Http, **self._made_with), ()  # connections stay with their process

    @contextmanager
    def open(self, url: str, first: int, end: int | None, version: str) -> Iterator[Reply]:
        """See remote.Transport."""
        headers = dict(self._pool.headers)
        if first or end is not None:
            headers["Range"] = f"bytes={first}-{'' if end is None else end - 1}"
            if version:
                headers["If-Range"] = version
        try:
            response = self._pool.request("GET", url, headers=headers, preload_content=False)
            try:
                yield self._reply(response, first)
            finally:
                response.close()  # a connection with bytes left on it is of no use
        except urllib3.exceptions.HTTPError as error:
            raise Transient(f"{type(error).__name__}") from None

    def _reply(self, response: Any, first: int) -> Reply:
        status, headers = response.status, response.headers
        if status in BUSY or status == 403:  # 403 is also what CloudFront says to those that are too fast
            wait = retry_after(headers.get("Retry-After", ""), time.time())
            slower = status in (403, 429, 503)
            raise Transient(f"HTTP status {status}", wait_seconds=wait, slower=slower, final=status == 403)
        version = headers.get("ETag", "")
        chunks = response.stream(CHUNK, decode_content=False)
        if status == 206:
            found = RANGE.match(headers.get("Content-Range", ""))
            if not found:
                raise Transient("a part of the file without its Content-Range")
            total = None if found.group(3) == "*" else int(found.group(3))
            return Reply(int(found.group(1)), total, version, chunks)
        if status != 200:
            raise Unreachable(f"HTTP status {status}")
        length = headers.get("Content-Length", "")
        return Reply(0, int(length) if length.isdigit() else None, version, chunks)


class S3:
    """s3://bucket/key with the usual AWS credentials; AWS_ENDPOINT_URL names another service."""

    def __init__(self, *, timeout_seconds: float) -> None:
        self._timeout = timeout_seconds
        self._system: fs.S3FileSystem | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(S3, timeout_seconds=self._timeout), ()  # a client stays with its process

    @contextmanager
    def open(self, url: str, first: int, end: int | None, version: str) -> Iterator[Reply]:
        """See remote.Transport. The version is the time of the last change."""
        path = url.partition("://")[2]
        try:
            info = self._client().get_file_info(path)
            if info.type != fs.FileType.File:
                raise Unreachable("no such object")
            with self._client().open_input_file(path) as file:
                last = info.size if end is None else min(end, info.size)
                yield Reply(first, info.size, str(info.mtime_ns or ""), _blocks(file, first, last))
        except FileNotFoundError:
            raise Unreachable("no such object") from None
        except OSError as error:
            if any(name in str(error) for name in S3_REFUSED):
                raise Unreachable(f"refused by S3 ({str(error)[:120]})") from None
            raise Transient(f"S3: {str(error)[:120]}", slower="SLOW_DOWN" in str(error)) from None

    def _client(self) -> fs.S3FileSystem:
        if self._system is None:
            self._system = fs.S3FileSystem(
                region=os.environ.get("AWS_DEFAULT_REGION", "us-east-1"),
                endpoint_override=os.environ.get("AWS_ENDPOINT_URL"),
                request_timeout=self._timeout,
                connect_timeout=self._timeout,
                retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=1),  # the waits are the fetcher's
            )
        return self._system


def _blocks(file: Any, first: int, end: int) -> Iterator[bytes]:
    while first < end:
        block = file.read_at(min(CHUNK, end - first), first)
        if not block:
            return
        first += len(block)
        yield block


def fetcher(pace: Pace, *, timeout_seconds: float) -> Fetcher:
    """A fetcher of http, https and s3 addresses."""
    http = Http(timeout_seconds=timeout_seconds)
    return Fetcher({"http": http, "https": http, "s3": S3(timeout_seconds=timeout_seconds)}, pace)
