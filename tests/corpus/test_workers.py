import os
import time

from corpus.workers import map_in_children


def work(item: int) -> str:
    if item == 3:
        os._exit(11)
    if item == 5:
        time.sleep(60)
    if item == 7:
        raise ValueError("bad page")
    return f"page {item}"


def failed(item: int, reason: str, detail: str) -> str:
    return f"{reason} {detail}".strip()


def test_a_page_that_hangs_crashes_or_raises_costs_that_page_only():
    answers = list(map_in_children(work, range(40), failed=failed, workers=2, timeout_seconds=8.0))
    expected = [f"page {item}" for item in range(40)]
    expected[3], expected[5], expected[7] = "extraction crashed", "extraction timed out", "extraction failed ValueError"
    assert answers == expected
