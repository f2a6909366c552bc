import random

import numpy as np
import pyarrow as pa

from corpus.candidates import Groups
from corpus.compare import COLUMNS, duplicates

WORDS = [f"word{letter}{other}" for letter in "abcdefghijklmnopqrst" for other in "abcdefghijklmnopqrst"]


def rows(groups: int) -> list[dict[str, object]]:
    """Three pages of each group: two alike, one with another text; and one page without a group."""
    made = []
    for number in range(groups):
        text = " ".join(random.Random(number).choices(WORDS, k=100))
        other = " ".join(random.Random(-1 - number).choices(WORDS, k=90))
        for at, content in enumerate((text, f"{text} more", other)):
            name = f"{16 * number + at + 1:016x}" + "0" * 16
            made.append(
                {
                    "id": name,
                    "key": f"a.org/{number}/{at}",
                    "date": "",
                    "tokens": len(content.split()),
                    "text": content,
                    "frame": "",
                }
            )
    return [*made, {**made[0], "id": "f" * 32}]


def test_parts_and_batches_do_not_change_what_is_dropped_and_only_members_of_one_group_are_compared(tmp_path):
    everything = rows(9)
    short = np.array([int(str(row["id"])[:16], 16) for row in everything[:-1]], np.uint64)
    groups = Groups(short, short // np.uint64(16) * np.uint64(16) + np.uint64(1))
    found = []
    for batch, pages_per_part in ((100, 1000), (5, 4), (1, 1)):
        batches = [pa.RecordBatch.from_pylist(everything[at : at + batch]) for at in range(0, len(everything), batch)]
        texts = (one.select(list(COLUMNS)) for one in batches)
        gone = duplicates(texts, groups, tmp_path / "spill", threshold=0.8, pages_per_part=pages_per_part)
        found.append(sorted((one.kept_key, one.id, round(one.similarity, 3)) for one in gone))
        assert not list((tmp_path / "spill").iterdir())
    assert found[0] == found[1] == found[2]
    assert [(key, name[:16]) for key, name, _ in found[0]] == [(f"a.org/{n}/1", f"{16 * n + 1:016x}") for n in range(9)]


def test_without_groups_no_text_is_read(tmp_path):
    nothing = Groups(np.empty(0, np.uint64), np.empty(0, np.uint64))
    assert list(duplicates(iter(()), nothing, tmp_path / "spill", threshold=0.8)) == []
