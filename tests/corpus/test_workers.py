import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from corpus.workers import Limits, map_in_children

LIMITS = Limits(seconds=2.0, memory_bytes=256 << 20)


def work(item: int) -> str:
    if item == 3:
        ctypes.string_at(0)  # a segmentation fault
    if item == 5:
        time.sleep(60)
    if item == 7:
        raise ValueError("bad page")
    if item == 9:
        return str(len(bytearray(1 << 30)))
    return f"page {item}"


def fails_once(item: tuple[int, str]) -> str:
    number, folder = item
    marker = Path(folder) / str(number)
    if number % 5 == 0 and not marker.exists():
        marker.touch()
        os._exit(11)
    return f"page {number}"


def failed(item: object, reason: str, detail: str) -> str:
    return f"{reason}: {detail}".strip()


def test_a_page_that_hangs_crashes_raises_or_takes_all_memory_costs_that_page_only():
    answers = list(map_in_children(work, range(40), failed=failed, workers=2, limits=LIMITS))
    expected = [f"page {item}" for item in range(40)]
    expected[3], expected[5] = "extraction crashed: twice", "extraction timed out: twice"
    expected[7], expected[9] = "extraction failed: ValueError", "extraction out of memory: twice"
    assert answers == expected


def test_a_page_that_took_its_process_down_is_tried_once_more_alone(tmp_path):
    items = [(number, str(tmp_path)) for number in range(20)]
    answers = list(map_in_children(fails_once, items, failed=failed, workers=1, limits=LIMITS))
    assert answers == [f"page {number}" for number in range(20)]


def test_no_pages_are_no_answers():
    assert list(map_in_children(work, [], failed=failed, workers=1, limits=LIMITS)) == []


@pytest.mark.skipif(sys.platform != "linux", reason="prctl")
def test_children_do_not_outlive_a_killed_parent(tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(
        "from corpus.workers import Limits, map_in_children\n"
        "from tests.corpus.hanging import failed, hang\n"
        "if __name__ == '__main__':\n"
        f"    list(map_in_children(hang, [{str(tmp_path / 'pid')!r}], failed=failed, workers=1,\n"
        "         limits=Limits(60.0, 1 << 30)))\n"
    )
    root = Path(__file__).resolve().parents[2]
    parent = subprocess.Popen([sys.executable, str(script)], env={**os.environ, "PYTHONPATH": str(root)})
    while not (tmp_path / "pid").exists():
        time.sleep(0.05)
    child = int((tmp_path / "pid").read_text())
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 30
    while runs(child):
        assert time.monotonic() < deadline, "the child still runs"
        time.sleep(0.05)


def runs(process):
    """False for one that is gone or that only waits to be reaped."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False
