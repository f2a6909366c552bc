"""Signatures -> groups of pages that may be near duplicates, in memory that does not grow with the crawl.

Band keys go to one file for each hash range; a range is read, sorted and forgotten. A bucket of pages with the same
key yields one edge from its smallest id to each other page, never all pairs; union-find over the edges gives the
groups. Pages of one bucket always end in one group, so a pair reaches the comparison at least as often as the band
formula says, and nothing depends on the order of the pages or on the number of ranges.

A page is the first 64 bits of its id here. Should two pages share them, their groups become one: a comparison more.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from corpus.minhash import Hashes, band_keys

Signed: TypeAlias = tuple[Hashes, NDArray[np.uint32]]  # ids [pages], signatures [pages, hashes]
Pairs: TypeAlias = NDArray[np.uint64]  # [pairs, 2]
BYTES_PER_KEY = 16  # a key and an id
EDGES_AT_ONCE = 1 << 20
MOST_RANGES = 512  # files open at once


@dataclass(frozen=True, slots=True)
class Groups:
    """The pages with a rival, in order of their ids, and for each the smallest id of its group.  [pages] each"""

    ids: Hashes
    firsts: Hashes


def ranges_for(pages: int, bands: int, *, memory_mb: int) -> int:
    """Hash ranges so that the keys of one fill `memory_mb` MiB; sorting them needs three times as much."""
    return min(MOST_RANGES, 1 + (pages * bands * BYTES_PER_KEY >> 20) // memory_mb)


def candidate_groups(signed: Iterable[Signed], spill: Path, *, bands: int, rows: int, ranges: int) -> Groups:
    """The groups of pages that share a band, directly or through others. Uses and empties the folder `spill`."""
    spill.mkdir(parents=True, exist_ok=True)
    _scatter(signed, spill, bands=bands, rows=rows, ranges=ranges)
    edges = spill / "edges.bin"
    nodes = _write_edges((_range_file(spill, number) for number in range(ranges)), edges)
    parents = np.arange(len(nodes))
    for pairs in _read_pairs(edges):
        left, right = np.searchsorted(nodes, pairs).T
        union(parents, left, right)
    edges.unlink()
    return Groups(nodes, nodes[parents])


def short_ids(ids: pa.Array) -> Hashes:
    """The first 64 bits of page ids (32 hexadecimal digits each) as numbers in the same order."""
    letters = _bytes_of(ids, width=32)[:, :16]
    digits = np.where(letters >= ord("a"), letters - (ord("a") - 10), letters - ord("0")).astype(np.uint64)
    weights = np.uint64(1) << np.arange(60, -1, -4, dtype=np.uint64)
    short: Hashes = digits @ weights
    return short


def signed(batch: pa.RecordBatch) -> Signed:
    """The pages of a batch (columns `id`, `signature`) that have a signature."""
    present = pc.greater(pc.binary_length(batch.column("signature")), 0)
    if not pc.all(present).as_py():
        batch = batch.filter(present)
    signatures = batch.column("signature")
    if not len(signatures):
        return np.empty(0, np.uint64), np.empty((0, 0), np.uint32)
    return short_ids(batch.column("id")), _bytes_of(signatures, width=len(signatures[0].as_py())).view("<u4")


def bucket_edges(pairs: Pairs) -> Pairs:
    """(smallest id, other id) for each other id of each bucket of (key, id) pairs, sorted, each once."""
    if not len(pairs):
        return pairs
    order = np.argsort(pairs[:, 0])
    keys = pairs[order, 0]
    same = keys[1:] == keys[:-1]
    shared = order[np.append(False, same) | np.append(same, False)]
    keys, ids = pairs[shared].T
    order = np.lexsort((ids, keys))
    keys, ids = keys[order], ids[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    firsts = np.repeat(ids[starts], np.diff(np.append(starts, len(keys))))
    edges = np.stack([firsts, ids], axis=1)[ids != firsts]
    return _distinct_rows(edges)


def union(parents: NDArray[np.intp], left: NDArray[np.intp], right: NDArray[np.intp]) -> None:
    """Joins the groups of each pair, in place; afterwards each node points at the smallest node of its group.

    Every pass hooks at least one root below a smaller one, so it ends, and it ends only when no pair is apart.
    """
    while True:
        _flatten(parents)
        left, right = parents[left], parents[right]
        apart = left != right
        left, right = np.minimum(left, right)[apart], np.maximum(left, right)[apart]
        if not len(left):
            return
        np.minimum.at(parents, right, left)


def _flatten(parents: NDArray[np.intp]) -> None:
    while not np.array_equal(above := parents[parents], parents):  # halves the longest way to a root
        parents[:] = above


def _scatter(signed: Iterable[Signed], spill: Path, *, bands: int, rows: int, ranges: int) -> None:
    """Appends (key, id) of every band of every page to the file of the key's range."""
    with ExitStack() as stack:
        files = [stack.enter_context(_range_file(spill, number).open("wb")) for number in range(ranges)]
        for ids, signatures in signed:
            keys = band_keys(signatures, bands, rows).ravel()
            numbers = ((keys >> np.uint64(32)) * np.uint64(ranges) >> np.uint64(32)).astype(np.uint16)
            order = np.argsort(numbers, kind="stable")
            pairs = np.stack([keys[order], np.repeat(ids, bands)[order]], axis=1)
            ends = np.cumsum(np.bincount(numbers, minlength=ranges))
            for file, start, end in zip(files, [0, *ends[:-1]], ends, strict=True):
                file.write(pairs[start:end].data)


def _write_edges(files: Iterable[Path], target: Path) -> Hashes:
    """Writes the edges of every range to one file and returns the ids that have any, sorted."""
    known, fresh, waiting = np.empty(0, np.uint64), list[Hashes](), 0
    with target.open("wb") as out:
        for path in files:
            edges = bucket_edges(np.fromfile(path, np.uint64).reshape(-1, 2))
            path.unlink()
            out.write(edges.data)
            fresh.append(np.unique(edges))
            waiting += len(fresh[-1])
            if waiting > max(len(known), EDGES_AT_ONCE):  # so that each id is merged a few times, not once a range
                known, fresh, waiting = np.unique(np.concatenate([known, *fresh])), [], 0
    return np.unique(np.concatenate([known, *fresh]))


def _read_pairs(path: Path) -> Iterator[Pairs]:
    with path.open("rb") as file:
        while len(pairs := np.fromfile(file, np.uint64, 2 * EDGES_AT_ONCE)):
            yield pairs.reshape(-1, 2)


def _range_file(spill: Path, number: int) -> Path:
    return spill / f"range-{number:04d}.bin"


def _distinct_rows(edges: Pairs) -> Pairs:
    edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
    if not len(edges):
        return edges
    return edges[np.append(True, np.any(edges[1:] != edges[:-1], axis=1))]


def _bytes_of(column: pa.Array, *, width: int) -> NDArray[np.uint8]:
    """The values of a string or binary column that are all `width` bytes long, not copied.  [rows, width]"""
    if not len(column):
        return np.empty((0, width), np.uint8)
    large = pa.types.is_large_string(column.type) or pa.types.is_large_binary(column.type)
    _, offsets, content = column.buffers()
    bounds = np.frombuffer(offsets, np.int64 if large else np.int32)[column.offset : column.offset + len(column) + 1]
    if np.any(np.diff(bounds) != width):
        raise ValueError(f"values of {np.unique(np.diff(bounds))} bytes where all should have {width}")
    return np.frombuffer(content, np.uint8)[bounds[0] : bounds[-1]].reshape(-1, width)
