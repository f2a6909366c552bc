import json
import math

import numpy as np
import pyarrow as pa
import pytest

from commons.artifacts import open_input
from commons.errors import ArtifactError, DataError
from commons.files import atomic_file, canonical_json, sha256_of_file
from commons.metrics import MetricsLog, read_metrics
from commons.seeds import np_rng, rng, seed_of
from commons.shards import ROWS_PER_GROUP, read_jsonl, read_parquet, write_jsonl, write_parquet, write_parquet_rows

ROWS = [{"id": "a", "text": "x < y, 数学", "score": 0.1}, {"id": "b", "text": "", "score": -3.0}]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.zst"])
def test_rows_come_back_as_they_were_written(tmp_path, name):
    assert write_jsonl(tmp_path / name, ROWS) == 2
    assert list(read_jsonl(tmp_path / name)) == ROWS
    assert list(read_jsonl(tmp_path)) == ROWS


def test_equal_rows_give_equal_bytes(tmp_path):
    table = pa.table({"id": ["a", "b"], "n": [1, 2]})
    for name in ("one", "two"):
        write_jsonl(tmp_path / name / "r.jsonl.zst", iter(ROWS))
        write_parquet(tmp_path / name / "t.parquet", table)
    for file in ("r.jsonl.zst", "t.parquet"):
        assert sha256_of_file(tmp_path / "one" / file) == sha256_of_file(tmp_path / "two" / file)
    assert read_parquet(tmp_path / "one", ["n"]).to_pydict() == {"n": [1, 2]}


def test_a_broken_line_is_named_with_its_file_and_number(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(DataError, match=r"rows\.jsonl:2: not valid JSON"):
        list(read_jsonl(path))
    path.write_text("[1]\n")
    with pytest.raises(DataError, match=r"rows\.jsonl:1: got a list"):
        list(read_jsonl(path))


def test_a_value_that_json_cannot_hold_is_refused_and_leaves_no_file(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_jsonl(tmp_path / "rows.jsonl", [{"score": math.nan}])
    assert list(tmp_path.iterdir()) == []


def test_a_file_written_with_an_error_does_not_appear(tmp_path):
    path = tmp_path / "whole.txt"

    def write_half():
        with atomic_file(path) as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert list(tmp_path.iterdir()) == []


def test_canonical_json_has_one_spelling():
    assert canonical_json({"b": 1, "a": [1.5, "数"]}) == '{"a":[1.5,"数"],"b":1}'.encode()


def test_metrics_keep_the_rows_up_to_the_checkpoint(tmp_path):
    with MetricsLog(tmp_path) as log:
        for step in range(5):
            log.write(step, {"loss": 1.0 / (step + 1)})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 5, "lo')  # cut off by a kill
    with MetricsLog(tmp_path, keep_steps_up_to=2) as log:
        log.write(3, {"loss": 9.0})
    rows = read_metrics(tmp_path)
    assert [(row["step"], row["loss"]) for row in rows] == [(0, 1.0), (1, 0.5), (2, 1 / 3), (3, 9.0)]
    assert any((tmp_path / "tensorboard").iterdir())
    assert json.loads((tmp_path / "metrics.jsonl").read_text().splitlines()[0])["time"] > 0


def test_streams_are_fixed_by_seed_and_name_and_do_not_touch_each_other():
    assert seed_of(0, "a", 1) == seed_of(0, "a", 1) != seed_of(0, "a", 2)
    assert seed_of(0, "a") != seed_of(1, "a")
    assert 0 <= seed_of(0) < 2**63
    assert rng(3, "x").random() == rng(3, "x").random() != rng(3, "y").random()
    assert np.array_equal(np_rng(3, "x").random(4), np_rng(3, "x").random(4))


def test_an_input_can_be_a_file_or_a_folder(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("a")
    assert open_input(tmp_path / "folder", "crawl|folder|file").digest
    assert open_input(tmp_path / "folder" / "file", "crawl|folder|file").digest
    with pytest.raises(ArtifactError, match="is a file, but a folder is needed"):
        open_input(tmp_path / "folder" / "file", "crawl|folder")
    with pytest.raises(ArtifactError, match="is a folder, but a file is needed"):
        open_input(tmp_path / "folder", "file")


@pytest.mark.parametrize("count", [0, 1, ROWS_PER_GROUP, ROWS_PER_GROUP + 1])
def test_rows_written_one_by_one_are_the_same_table(tmp_path, count):
    schema = pa.schema([("n", pa.int64())])
    rows = [{"n": number} for number in range(count)]
    assert write_parquet_rows(tmp_path / "a.parquet", iter(rows), schema) == count
    assert read_parquet(tmp_path / "a.parquet").to_pylist() == rows
