"""Files that are whole or absent: written beside their name, flushed, then renamed; and their sha256."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from uuid import uuid4


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """A binary file that appears under `path` whole when the block ends; after an error nothing appears."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Process numbers repeat on the machines that share a file system.
    unfinished = path.with_name(f".{path.name}.{uuid4().hex[:12]}.tmp")
    try:
        with unfinished.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def remove_unfinished_files(folder: Path) -> None:
    """Deletes what `atomic_file` left below `folder` when its process was killed; nobody may be writing there."""
    for path in folder.rglob(".*.tmp"):
        path.unlink(missing_ok=True)


def write_atomic(path: Path, data: bytes | str) -> None:
    """Writes `data` (text as UTF-8) under `path` in one step."""
    with atomic_file(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)


def write_json(path: Path, value: Any) -> None:
    """Writes `value` as readable JSON with sorted keys, in one step."""
    write_atomic(path, json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def canonical_json(value: Any) -> bytes:
    """The one spelling of a JSON value that digests are taken of: sorted keys, no blanks, UTF-8, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def sha256_of_file(path: Path) -> str:
    """Hexadecimal sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync_folder(path: Path) -> None:
    """Makes renames inside `path` durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
