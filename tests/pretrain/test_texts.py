import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest
import zstandard

from commons.errors import ArtifactError, DataError
from commons.shards import write_parquet
from commons.stage import main
from lm.checkpoints import save_checkpoint
from pretrain.sources import Tokenised, document, mixture_sources
from pretrain.texts import hub_texts, texts_of
from pretrain.tokenise import STAGE
from pretrain.tokens import ABOUT, ENDS, HELDOUT, TOKENS, open_tokens, read_about, write_tokens
from tests.lm.models import llama
from tests.pretrain.test_tokens import letters

TEXTS = ["a b", "b c c", "数学"]
LINES = "".join(json.dumps({"text": text, "other": 1}) + "\n" for text in TEXTS).encode()


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.parquet"])
def test_texts_are_read_from_files_of_every_kind_and_from_their_folder(tmp_path: Path, name):
    path = tmp_path / name
    if name.endswith("parquet"):
        write_parquet(path, pa.table({"text": TEXTS, "other": [1, 2, 3]}))
    else:
        pack = {".gz": gzip.compress, ".zst": zstandard.ZstdCompressor().compress}.get(path.suffix, bytes)
        half = len(LINES.splitlines(keepends=True)[0])
        path.write_bytes(pack(LINES[:half]) + pack(LINES[half:]))  # other people's files have several frames
    assert list(texts_of(path)) == list(texts_of(tmp_path)) == TEXTS
    with pytest.raises(DataError, match="`body`"):
        list(texts_of(path, field="body"))


def test_a_folder_without_text_says_what_is_read(tmp_path: Path):
    (tmp_path / "notes.md").write_text("a")
    with pytest.raises(DataError, match="parquet"):
        list(texts_of(tmp_path))


def test_data_sets_are_read_from_disk_and_streamed(tmp_path: Path):
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    datasets.DatasetDict({"train": datasets.Dataset.from_dict({"text": TEXTS})}).save_to_disk(str(tmp_path / "saved"))
    assert list(texts_of(tmp_path / "saved")) == TEXTS
    with pytest.raises(DataError, match="no split test"):
        list(texts_of(tmp_path / "saved", split="test"))
    (tmp_path / "plain").mkdir()
    write_parquet(tmp_path / "plain" / "0.parquet", pa.table({"text": TEXTS}))
    assert list(hub_texts(str(tmp_path / "plain"), subset=None, split="train", field="text")) == TEXTS
    with pytest.raises(DataError, match="owner/none"):
        list(hub_texts("owner/none", subset=None, split="train", field="text"))


def test_two_processes_write_the_same_tokens_as_one(tmp_path: Path):
    documents = [document("a b c " * (number % 7 + 1) + str(number)) for number in range(700)]
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        write_tokens(folder, iter(documents), letters(), heldout_per_mille=100, heldout_bytes=100, workers=workers)
    for name in (TOKENS, ENDS, HELDOUT, ABOUT):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_tokens_are_made_once_for_a_tokenizer_and_then_taken_as_a_source(tmp_path: Path, capsys):
    save_checkpoint(tmp_path / "model", llama(), letters())
    (tmp_path / "texts.jsonl").write_bytes(LINES * 20)
    flags = ["--tokenizer", str(tmp_path / "model"), "--out", str(tmp_path / "tokens")]
    assert main(STAGE, [*flags, "--source", str(tmp_path / "texts.jsonl"), "workers=1", "heldout.per_mille=1"]) == 0
    assert "60 documents" in capsys.readouterr().out
    found = mixture_sources(["code"], corpus=tmp_path, own={"code": tmp_path / "tokens"}, limit_bytes=1, seed=0)
    assert found["code"] == Tokenised(tmp_path / "tokens")
    settings = {"heldout_per_mille": 1, "heldout_bytes": 1}
    write_tokens(tmp_path / "run" / "code", found["code"], letters(), **settings)
    assert read_about(tmp_path / "run" / "code") == read_about(tmp_path / "tokens")
    assert len(open_tokens(tmp_path / "run" / "code", 0)) == read_about(tmp_path / "tokens")["tokens"]
    other = letters()
    other.add_tokens(["new"])
    with pytest.raises(ArtifactError, match="another tokenizer"):
        write_tokens(tmp_path / "other", found["code"], other, **settings)


def test_a_source_is_named_in_one_of_two_ways(tmp_path: Path, capsys):
    save_checkpoint(tmp_path / "model", llama(), letters())
    assert main(STAGE, ["--tokenizer", str(tmp_path / "model"), "--out", str(tmp_path / "tokens")]) == 2
    assert "--source PATH or as hub=" in capsys.readouterr().err
