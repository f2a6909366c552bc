"""Signatures -> groups; D10 and D11 are items of the notes' list of failures elsewhere."""

import hashlib

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.candidates import bucket_edges, candidate_groups, ranges_for, short_ids, signed, union

PROPERTY = settings(max_examples=60, deadline=None, derandomize=True, database=None)


def pairs(*rows: tuple[int, int]) -> np.ndarray:
    return np.array(rows, np.uint64).reshape(-1, 2)


@pytest.mark.parametrize("kind", [(pa.string(), pa.binary()), (pa.large_string(), pa.large_binary())])
def test_a_batch_gives_short_ids_and_the_signatures_that_are_there(kind):
    ids = [hashlib.sha256(bytes([number])).hexdigest()[:32] for number in range(9)]
    content = [b"" if number % 3 == 0 else bytes([number] * 8) for number in range(9)]
    columns = [pa.array(ids, kind[0]), pa.array(content, kind[1])]
    batch = pa.RecordBatch.from_arrays(columns, names=["id", "signature"]).slice(1, 7)
    short, signatures = signed(batch)
    assert short.tolist() == [int(ids[number][:16], 16) for number in (1, 2, 4, 5, 7)]
    assert signatures.tolist() == [[0x01010101 * number] * 2 for number in (1, 2, 4, 5, 7)]
    assert len(signed(batch.slice(2, 1))[0]) == 0
    assert short_ids(pa.array(["f" * 32]))[0] == 2**64 - 1
    assert len(short_ids(pa.array([], pa.string()))) == 0


def test_signatures_of_different_lengths_are_refused():
    columns = [pa.array(["0" * 32, "1" * 32]), pa.array([bytes(8), bytes(16)])]
    with pytest.raises(ValueError, match="all should have 8"):
        signed(pa.RecordBatch.from_arrays(columns, names=["id", "signature"]))


def test_d10_a_bucket_of_m_pages_gives_m_minus_1_edges_to_its_smallest_id():
    bucket = pairs(*((7, number) for number in range(5000, 0, -1)))
    edges = bucket_edges(np.concatenate([bucket, pairs((8, 3)), bucket]))
    assert edges.tolist() == [[1, number] for number in range(2, 5001)]
    assert bucket_edges(pairs()).shape == bucket_edges(pairs((1, 2), (3, 4))).shape == (0, 2)


def test_d11_a_chain_of_any_length_becomes_one_group():
    parents = np.arange(50_000)
    links = np.random.default_rng(0).permutation(49_999)
    union(parents, links, links + 1)
    assert not parents.any()


@PROPERTY
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=30))
def test_groups_are_the_connected_parts_whatever_the_order(edges):
    def groups(order: list[tuple[int, int]]) -> list[int]:
        parents = np.arange(21)
        for left, right in order:
            union(parents, np.array([left]), np.array([right]))
        return parents.tolist()

    at_once = np.arange(21)
    union(at_once, *np.array(edges, np.intp).reshape(-1, 2).T)
    assert groups(edges) == groups(edges[::-1]) == at_once.tolist()
    assert all(at_once[left] == at_once[right] for left, right in edges)


@PROPERTY
@given(st.integers(1, 40), st.integers(1, 50), st.randoms(use_true_random=False))
def test_groups_do_not_depend_on_ranges_batches_or_order(tmp_path_factory, ranges, batch, random):
    draw = np.random.default_rng(5)
    ids = np.sort(draw.integers(0, 1 << 63, 120, dtype=np.uint64) * np.uint64(2))
    values = draw.integers(0, 3, (120, 12), dtype=np.uint32)
    order = list(range(120))
    random.shuffle(order)
    parts = ((ids[order[at : at + batch]], values[order[at : at + batch]]) for at in range(0, 120, batch))
    spill = tmp_path_factory.mktemp("spill")
    found = candidate_groups(parts, spill, bands=3, rows=4, ranges=ranges)
    whole = candidate_groups([(ids, values)], spill, bands=3, rows=4, ranges=1)
    assert 10 < len(whole.ids) < 120
    assert np.array_equal(found.ids, whole.ids)
    assert np.array_equal(found.firsts, whole.firsts)
    assert not list(spill.iterdir())


def test_a_group_holds_all_pages_that_share_a_band_and_is_named_by_its_smallest_id(tmp_path):
    values = np.array([[1, 2, 3, 4], [1, 2, 5, 6], [7, 8, 5, 6], [9, 9, 9, 9], [1, 3, 4, 2]], np.uint32)
    ids = np.array([40, 30, 50, 10, 20], np.uint64)
    groups = candidate_groups([(ids, values)], tmp_path, bands=2, rows=2, ranges=2)
    assert groups.ids.tolist() == [30, 40, 50]
    assert groups.firsts.tolist() == [30, 30, 30]


def test_ranges_hold_the_memory_that_was_asked_for():
    assert ranges_for(1000, 16, memory_mb=64) == 1
    assert ranges_for(20_000_000, 16, memory_mb=64) == 77
