import contextlib
import io
import random
import re
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pytest

from commons.errors import DataError
from commons.shards import write_jsonl, write_parquet
from pretrain.papers import latex_paper
from pretrain.programs import BLOCKS, algebra_program
from pretrain.sources import document, first_bytes, generated, library_source, mixture_sources, own_texts, pages


@pytest.mark.parametrize("block", sorted(set(BLOCKS), key=lambda block: block.__name__))
def test_every_python_block_of_the_algebra_programs_runs_and_its_assertions_hold(block):
    for seed in range(100):
        text = block(random.Random(seed))
        if "norm_num" in text or text.startswith("\\\\"):
            continue  # Lean and PARI
        with contextlib.redirect_stdout(io.StringIO()):
            scope: dict[str, object] = {}
            exec(compile(text, block.__name__, "exec"), scope)
            for name in list(scope):
                if name.startswith("test_"):
                    scope[name]()


def test_every_equation_between_numbers_in_the_papers_and_comments_holds():
    checked = 0
    for seed in range(300):
        text = latex_paper(random.Random(seed)).replace("\\cdot ", "*") + algebra_program(random.Random(seed))
        for left, right in re.findall(r"(?<![\w.^+*/-])(\d+(?:[+*/-]\d+)+)=(-?\d+)(?![\w.])", text):
            assert eval(left) == int(right), f"{left}={right}"
            checked += 1
    assert checked > 1000


def test_generated_documents_are_the_same_for_a_seed_and_others_for_another():
    first, again, other = (list(islice(generated(latex_paper, seed), 20)) for seed in (0, 0, 1))
    assert first == again
    assert not set(first) & set(other)


def test_pages_come_from_the_text_column_in_an_order_that_depends_on_the_seed(tmp_path: Path):
    texts = [f"page {number}" for number in range(30)]
    write_parquet(tmp_path / "0.parquet", pa.table({"text": texts, "url": texts}))
    read = [each.text for each in pages(tmp_path, 0)]
    assert sorted(read) == sorted(texts)
    assert read == [each.text for each in pages(tmp_path, 0)]
    assert read != [each.text for each in pages(tmp_path, 1)]


def test_the_library_is_python_source_without_installed_packages():
    documents = list(islice(library_source(0), 40))
    assert all(each.id == document(each.text).id for each in documents)
    assert sum("def " in each.text for each in documents) > 20
    assert documents == list(islice(library_source(0), 40))


def test_reading_stops_when_the_bytes_are_reached_and_counts_utf8():
    documents = [document(text) for text in ("数学", "abc", "def")]  # 6, 3 and 3 bytes
    assert list(first_bytes(iter(documents), 6)) == documents[:1]
    assert list(first_bytes(iter(documents), 7)) == documents[:2]
    assert list(first_bytes(iter(documents), 1000)) == documents


def test_a_folder_of_ones_own_replaces_a_generated_source(tmp_path: Path):
    write_jsonl(tmp_path / "mine.jsonl", [{"text": "my code"}])
    found = mixture_sources(["code"], corpus=tmp_path, own={"code": tmp_path}, limit_bytes=10, seed=0)
    assert [each.text for each in found["code"]] == ["my code"]


def test_a_row_without_text_names_the_field(tmp_path: Path):
    write_jsonl(tmp_path / "mine.jsonl", [{"body": "my code"}])
    with pytest.raises(DataError, match="`text`"):
        list(own_texts(tmp_path))
