"""The pages of `bench.near_dedup` and the search in them, each in a process of its own with few imports.

python -m bench.near_dedup_child generate FOLDER PAGES
python -m bench.near_dedup_child search FOLDER
"""

import binascii
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from corpus.candidates import Signed, candidate_groups, ranges_for, short_ids, signed
from corpus.config import Duplicates
from corpus.minhash import bands_and_rows

CLUSTERED = 0.05
LARGEST = 5000
SIMILARITIES = (0.80, 0.85, 0.90, 0.95)
ROWS_AT_ONCE = 20_000
ROWS_PER_FILE = 1_000_000
CONFIG = Duplicates()


def cluster_sizes(total: int, draw: np.random.Generator) -> NDArray[np.int64]:
    """Sizes from 2 to LARGEST that fall off with their square and sum to about `total`; the largest is among them."""
    sizes = np.arange(2, LARGEST + 1)
    weights = sizes**-2.0 / np.sum(sizes**-2.0)
    drawn = draw.choice(sizes, size=total, p=weights)
    return np.append(LARGEST, drawn[np.cumsum(drawn) <= total - LARGEST])


def generate(folder: Path, pages: int) -> None:
    """Writes `pages` rows (id, signature) to Parquet files, and to truth.npz who belongs to which cluster."""
    draw = np.random.default_rng(pages)
    sizes = cluster_sizes(int(CLUSTERED * pages), draw)
    cluster = np.full(pages, -1, np.int64)
    cluster[: sizes.sum()] = np.repeat(np.arange(len(sizes)), sizes)
    kept = np.full(pages, 0.0, np.float32)
    kept[: sizes.sum()] = draw.choice(np.array(SIMILARITIES, np.float32), size=sizes.sum())
    kept[np.cumsum(sizes) - sizes] = 1.0  # the first page of each cluster
    order = draw.permutation(pages)
    cluster, kept = cluster[order], kept[order]
    (folder / "pages").mkdir(parents=True)
    found: list[NDArray[np.uint64]] = []
    for start in range(0, pages, ROWS_PER_FILE):
        part = slice(start, min(start + ROWS_PER_FILE, pages))
        found.append(write_file(folder / "pages" / f"part-{start:09d}.parquet", cluster[part], kept[part], draw))
    inside = cluster >= 0
    np.savez(folder / "truth.npz", ids=np.concatenate(found), cluster=cluster[inside], similarity=kept[inside])


def write_file(
    path: Path, cluster: NDArray[np.int64], kept: NDArray[np.float32], draw: np.random.Generator
) -> NDArray[np.uint64]:
    """Writes one file and drops it from the page cache; returns the short ids of its clustered pages."""
    found = []
    schema = pa.schema([("id", pa.string()), ("signature", pa.binary())])
    with path.open("wb") as file:
        with pq.ParquetWriter(file, schema, compression="none", use_dictionary=False) as writer:
            for start in range(0, len(cluster), ROWS_AT_ONCE):
                part = slice(start, start + ROWS_AT_ONCE)
                values = signatures_of(cluster[part], kept[part], draw)
                letters = binascii.hexlify(draw.bytes(16 * len(values)))
                ids = fixed_width(letters, 32, pa.string())
                found.append(short_ids(ids)[cluster[part] >= 0])
                row = fixed_width(values.tobytes(), 4 * CONFIG.hashes, pa.binary())
                writer.write_table(pa.Table.from_arrays([ids, row], schema=schema))
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return np.concatenate(found)


def signatures_of(
    cluster: NDArray[np.int64], kept: NDArray[np.float32], draw: np.random.Generator
) -> NDArray[np.uint32]:
    """Random signatures; a page of a cluster has each value of its first page with chance `kept`."""
    values = draw.integers(0, 1 << 32, (len(cluster), CONFIG.hashes), dtype=np.uint32)
    inside = np.flatnonzero(cluster >= 0)
    numbers = cluster[inside, None].astype(np.uint64) * np.uint64(CONFIG.hashes) + np.arange(
        CONFIG.hashes, dtype=np.uint64
    )
    spread = np.multiply(numbers + np.uint64(1), np.uint64(0x9E3779B97F4A7C15), dtype=np.uint64)
    first = (spread ^ np.uint64(0x5DEECE66D)) * np.uint64(0xD6E8FEB86659FD93)
    same = draw.random((len(inside), CONFIG.hashes)) < kept[inside, None]
    values[inside] = np.where(same, (first >> np.uint64(32)).astype(np.uint32), values[inside])
    return values


def fixed_width(content: bytes, width: int, kind: pa.DataType) -> pa.Array:
    """A column of values of one width."""
    offsets = np.arange(0, len(content) + 1, width, dtype=np.int32)
    return pa.Array.from_buffers(kind, len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(content)])


def search(folder: Path) -> None:
    """The child: groups of the pages in `folder`, written to groups.npz; prints its peak memory."""
    files = sorted((folder / "pages").glob("*.parquet"))
    pages = sum(pq.read_metadata(file).num_rows for file in files)
    bands, rows = shape()
    ranges = ranges_for(pages, bands, memory_mb=CONFIG.range_mb)
    groups = candidate_groups(batches(files), folder / "spill", bands=bands, rows=rows, ranges=ranges)
    np.savez(folder / "groups.npz", ids=groups.ids, firsts=groups.firsts)
    peak = next(row for row in Path("/proc/self/status").read_text().splitlines() if row.startswith("VmHWM"))
    print(int(peak.split()[1]) / 1e6)


def batches(files: list[Path]) -> Iterator[Signed]:
    """The signatures of the files, ROWS_AT_ONCE at a time."""
    for file in files:
        with pq.ParquetFile(file) as parquet:
            yield from (signed(batch) for batch in parquet.iter_batches(ROWS_AT_ONCE, columns=["id", "signature"]))


def shape() -> tuple[int, int]:
    """Bands and rows of the default config."""
    return bands_and_rows(CONFIG.hashes, similarity=CONFIG.similarity, missed_weight=CONFIG.missed_weight)


if __name__ == "__main__":
    if sys.argv[1] == "generate":
        generate(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        search(Path(sys.argv[2]))
