"""The arithmetic of the cost model, on numbers that can be checked by hand."""

import pytest

from bench.cost_model import Target, core_hours, cost, sample_of, shuffled, size, step_table, stored


def row(step, pages, cpu_seconds, size=0, **more):
    figure = {"figure": f"corpus_step_{step}", "step": step, "memory_mib": 100}
    return {**figure, "pages": pages, "cpu_seconds": cpu_seconds, "bytes": size, **more}


ROWS = [
    {"figure": "corpus_sample_bytes", "value": 5},
    row("read", 1000, 3.6, 10_000_000),
    row("extract", 900, 36.0),
    row("workers", 1000, 1.8, 2_000_000, light_bytes=100_000),
    row("deduplicate", 900, 0.9, 1_000_000),
    row("benchmark index", 0, 7.2, 50_000_000),
    {"figure": "chain_pages_per_second", "value": 200.0},
]
SAMPLE = sample_of(ROWS)
LONGER = Target("ten times as many pages, each five times as long", 10_000, 50_000, "")


def step(name):
    return next(one for one in SAMPLE.steps if one.name == name)


def test_a_step_costs_as_much_a_capture_as_in_the_sample_however_many_pages_reach_it():
    assert core_hours(SAMPLE, step("extract"), LONGER, by_bytes=False) == pytest.approx(36 * 10 / 3600)


def test_steps_that_read_html_grow_with_its_bytes_and_others_with_pages():
    assert core_hours(SAMPLE, step("extract"), LONGER, by_bytes=True) == pytest.approx(36 * 10 * 5 / 3600)
    assert core_hours(SAMPLE, step("deduplicate"), LONGER, by_bytes=True) == pytest.approx(0.9 * 10 / 3600)


def test_the_benchmark_index_is_paid_once():
    for by_bytes in (False, True):
        assert core_hours(SAMPLE, step("benchmark index"), LONGER, by_bytes=by_bytes) == pytest.approx(7.2 / 3600)


def test_the_sum_of_all_steps():
    found = cost(SAMPLE, LONGER)
    assert found.core_hours == pytest.approx((10 * (3.6 + 36 + 1.8 + 0.9) + 7.2) / 3600)
    assert found.core_hours_by_bytes == pytest.approx((10 * (5 * (3.6 + 36) + 1.8 + 0.9) + 7.2) / 3600)


def test_shuffled_are_light_columns_twice_band_keys_and_distinct_pages():
    keys = 900 * 16 * 16
    assert shuffled(SAMPLE) == 2 * 100_000 + keys + 1_000_000
    assert cost(SAMPLE, LONGER).shuffled == pytest.approx(10 * shuffled(SAMPLE))


def test_disk_holds_captures_pages_and_band_keys_at_once_and_one_index():
    keys = 900 * 16 * 16
    assert stored(SAMPLE) == 2_000_000 + 1_000_000 + keys
    assert cost(SAMPLE, LONGER).disk == pytest.approx(10 * stored(SAMPLE) + 50_000_000)


def test_where_no_bytes_are_known_there_is_no_figure_by_bytes():
    assert cost(SAMPLE, Target("", 10, None, "")).core_hours_by_bytes is None


def test_the_table_keeps_measured_and_extrapolated_apart():
    head, _, *rows = step_table(SAMPLE)
    assert head.count("measured") == 1
    assert head.count("extrapolated") == 1
    assert len(rows) == len(SAMPLE.steps)


def test_sizes_have_the_unit_that_leaves_a_number():
    assert [size(999), size(1500), size(2.5e12), size(4e15)] == ["999 B", "1.5 kB", "2.5 TB", "4 PB"]
