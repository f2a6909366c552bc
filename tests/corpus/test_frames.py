import pyarrow as pa

from commons.shards import write_parquet
from corpus import frames


def test_a_folder_is_named_literally(tmp_path):
    folder = tmp_path / "run [0.46] {a,b} *?"
    folder.mkdir()
    write_parquet(folder / "part.parquet", pa.table({"id": ["a"]}))
    assert [row["id"] for row in frames.rows(frames.scan(folder))] == ["a"]
