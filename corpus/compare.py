"""Groups of candidates -> duplicates to drop: texts are spilled by group, then compared one part at a time."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from corpus.candidates import Groups, short_ids
from corpus.deduplicate import Candidate, Duplicate, claim, near_duplicates
from corpus.minhash import shingles

COLUMNS = ("id", "key", "date", "tokens", "text", "frame")
PAGES_PER_PART = 20_000  # whose texts are held at once, unless one group has more
MOST_PARTS = 512  # files open at once


def duplicates(
    texts: Iterable[pa.RecordBatch],
    groups: Groups,
    spill: Path,
    *,
    threshold: float,
    pages_per_part: int = PAGES_PER_PART,
) -> Iterator[Duplicate]:
    """The pages to drop, group by group. `texts` holds COLUMNS of all pages; uses and empties the folder `spill`."""
    if not len(groups.ids):
        return
    spill.mkdir(parents=True, exist_ok=True)
    parts = min(MOST_PARTS, 1 + len(groups.ids) // pages_per_part)
    for path in _by_part(texts, groups, spill, parts):
        rows = pq.read_table(path).to_pylist()
        path.unlink()
        for _, group in groupby(sorted(rows, key=lambda row: (row["group"], row["id"])), key=lambda row: row["group"]):
            yield from near_duplicates([_candidate(row) for row in group], threshold=threshold)


def _by_part(texts: Iterable[pa.RecordBatch], groups: Groups, spill: Path, parts: int) -> list[Path]:
    """Writes the pages that are in a group, with its number, to one file for each part of the groups."""
    schema = pa.schema(
        [("group", pa.uint64()), *((name, pa.int64() if name == "tokens" else pa.string()) for name in COLUMNS)]
    )
    numbers = np.unique(groups.firsts, return_inverse=True)[1]
    paths = [spill / f"part-{number:04d}.parquet" for number in range(parts)]
    with ExitStack() as stack:
        writers = [stack.enter_context(pq.ParquetWriter(path, schema, compression="zstd")) for path in paths]
        for batch in texts:
            ids = short_ids(batch.column("id"))
            at = np.minimum(np.searchsorted(groups.ids, ids), len(groups.ids) - 1)
            inside = groups.ids[at] == ids
            for part in np.unique(numbers[at[inside]] % parts):
                chosen = inside & (numbers[at] % parts == part)
                columns = [pa.array(numbers[at[chosen]]), *(batch.column(name).filter(chosen) for name in COLUMNS)]
                rows = pa.Table.from_arrays(
                    [column.cast(field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
                )
                writers[part].write_table(rows)
    return paths


def _candidate(row: dict[str, object]) -> Candidate:
    identity, text, tokens = str(row["id"]), str(row["frame"] or row["text"]), row["tokens"]
    assert isinstance(tokens, int)
    return Candidate(identity, str(row["key"]), claim(tokens, str(row["date"]), identity), shingles(text))
