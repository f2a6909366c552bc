"""What runs beside the reading of a crawl: its errors come at once, and it says the same as in one process."""

import pytest

from commons.artifacts import Artifact
from commons.errors import DataError
from corpus.config import Decontamination
from corpus.protection import built_index, one_process, raise_failure, self_tested

RULES = Decontamination(self_test_items=2)


def benchmarks(folder, question):
    folder.mkdir()
    (folder / "toy.test.jsonl").write_text(f'{{"question": "{question}"}}\n', encoding="utf-8")
    return Artifact(path=folder, digest="", manifest=None)


def test_an_index_of_another_process_is_that_of_this_one(tmp_path):
    toy = benchmarks(tmp_path / "toy", "How many apples does the tall gardener give to her seven hungry friends?")
    folder = built_index(toy, tmp_path / "here", RULES)
    tested = self_tested(folder, RULES, 0)
    with one_process() as process:
        started = process.submit(built_index, toy, tmp_path / "there", RULES)
        assert started.result() == tmp_path / "there"
        raise_failure(started)  # there is none
        assert process.submit(self_tested, tmp_path / "there", RULES, 0).result() == tested
    assert tested.planted == tested.found > 0
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    assert [(folder / name).read_bytes() for name in names] == [
        (tmp_path / "there" / name).read_bytes() for name in names
    ]


def test_benchmarks_without_a_question_stop_the_reading_with_their_own_words(tmp_path):
    empty = benchmarks(tmp_path / "empty", "")
    with one_process() as process:
        started = process.submit(built_index, empty, tmp_path / "index", RULES)
        assert isinstance(started.exception(), DataError)
        with pytest.raises(DataError, match="no row has a question"):
            raise_failure(started)
