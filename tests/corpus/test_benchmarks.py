"""Benchmarks from plain files, their index as an artifact, and the self-test."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from commons.artifacts import open_artifact
from commons.errors import ConfigError, DataError
from commons.quotations import benchmark_grams
from commons.shards import write_jsonl
from commons.stage import run_stage
from corpus import selftest
from corpus.benchmarks import Item, items_of, read_benchmarks
from corpus.decontaminate import Index, Rule
from corpus.index import STAGE, IndexConfig, index_for, load_index, protected_texts
from corpus.selftest import FORMS, checked, near_miss, self_test

QUESTIONS = [
    "Wilhelmina fills thirty crates every morning and ten crates every evening for nine days, how many?",
    r"Let $f(x)=\dfrac{x^2}{3}$ and $g(x) = \sqrt{x}$; find all $x > 0$ with $f(g(x)) = 12$.",
    "小明有12个苹果，吃了5个，又买了20个，现在还有几个苹果？",
    "Find the sum.",
]


def texts(folder, **settings):
    items, sources = read_benchmarks(folder, **{"answers": "long", "gram_tokens": 10, **settings})
    return [item.text for item in items], sources


def test_questions_are_found_in_the_fields_of_all_benchmark_files():
    def fields(row, answers="long"):
        return [(one.field, one.text) for one in items_of("x.jsonl", 4, row, answers=answers, gram_tokens=10)]

    long = "one two three four five six seven eight nine ten"
    assert fields({"Body": "Dan had 3.", "Question": "How many?"}) == [("Question", "Dan had 3. How many?")]
    assert fields({"messages": [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": long}]}) == [
        ("messages", "Hi?"),
        ("reply", long),
    ]
    assert fields({"question": "Q", "answer": "42"}) == [("question", "Q")]
    assert fields({"question": "Q", "answer": long}) == [("question", "Q"), ("answer", long)]
    assert fields({"question": "Q", "answer": long}, answers="none") == [("question", "Q")]
    assert fields({"question": "Q", "answer": "three more words"}, answers="all")[1:] == [
        ("answer", "three more words")
    ]
    assert fields({"question": "Q", "options": ["short", long]})[1:] == [("options", long)]


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.zst", "json", "csv", "tsv", "parquet", "txt"])
def test_every_plain_format_gives_the_same_texts(tmp_path, ending):
    path, rows = tmp_path / f"quiz.{ending}", [{"question": one} for one in QUESTIONS]
    if ending.startswith("jsonl"):
        write_jsonl(path, rows)
    elif ending == "json":
        path.write_text(json.dumps({"data": rows, "version": "1"}))
    elif ending in ("csv", "tsv"):
        gap = "," if ending == "csv" else "\t"
        path.write_text(f"id{gap}question\n" + "".join(f'{n}{gap}"{one}"\n' for n, one in enumerate(QUESTIONS)))
    elif ending == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("\n".join(QUESTIONS))
    (tmp_path / "README.txt").write_text("not a benchmark\n")
    items, sources = read_benchmarks(tmp_path, answers="long", gram_tokens=10)
    assert [(item.benchmark, item.text) for item in items] == [(f"quiz:{n}", one) for n, one in enumerate(QUESTIONS)]
    assert sources[0].texts == {"10 and more": 3, "3 to 9": 1}


def test_json_may_be_a_list_an_object_of_rows_or_lines(tmp_path):
    for text in (
        json.dumps([{"question": one} for one in QUESTIONS]),
        json.dumps({str(n): {"question": one} for n, one in enumerate(QUESTIONS)}),
        json.dumps(QUESTIONS),
        "\n".join(json.dumps({"question": one}) for one in QUESTIONS),
    ):
        (tmp_path / "quiz.json").write_text(text)
        assert texts(tmp_path)[0] == QUESTIONS


def test_texts_of_a_text_file_may_stand_between_blank_lines(tmp_path):
    (tmp_path / "quiz.txt").write_bytes(b"\xef\xbb\xbfone two\r\nthree\r\n\r\n\r\nfour five six\r\n")
    assert texts(tmp_path)[0] == ["one two\nthree", "four five six"]


def test_a_bad_row_is_counted_by_reason_and_named_and_the_others_are_read(tmp_path):
    lines = [
        b'{"question": "One two three?"}',
        b"{not json",
        b"",
        b'"text alone"',
        b"[1]",
        b'{"q": 1}',
        b'{"question": "\xff"}',
    ]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(lines))
    (tmp_path / "b.csv").write_bytes(b'question,x\n"fine row here",1\nbad,1,2\n\xff\xfe,2\nlast good row,3\n')
    found, (first, second) = texts(tmp_path)
    assert found == ["One two three?", "text alone", "fine row here", "last good row"]
    assert first.left_out == {"no JSON object": 1, "no question": 1, "not UTF-8": 1, "not valid JSON": 1}
    assert first.places == ["line 2", "line 5", "line 6", "line 7"]
    assert second.left_out == {"another number of columns": 1, "not UTF-8": 1}
    assert "a.jsonl: rows left out: no JSON object 1" in first.note()
    assert "(line 2, line 5, line 6, line 7)" in first.note()


@pytest.mark.parametrize(
    ("name", "data"), [("a.jsonl", b""), ("a.jsonl", b"{\n"), ("a.parquet", b"no"), ("a.jsonl.zst", b"no")]
)
def test_a_file_without_a_question_is_an_error(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError, match="no row has a question"):
        texts(tmp_path)


def test_a_folder_without_benchmarks_is_an_error(tmp_path):
    with pytest.raises(DataError, match="no question to protect"):
        texts(tmp_path)


def index_of(*texts):
    return Index([Item(f"quiz:{n}", "question", one) for n, one in enumerate(texts)], benchmark_grams(texts))


def test_the_self_test_finds_every_form_and_flags_no_clean_page():
    result = checked(self_test(index_of(*QUESTIONS), Rule(), per_file=10, seed=0))
    forms = len(FORMS) + 3
    assert (result.planted, result.found, result.flagged) == (4 * forms, 4 * forms, ())
    assert result.clean_pages == 20 + 4


def test_a_near_miss_is_one_token_short_of_a_quotation():
    index = index_of(*QUESTIONS)
    assert near_miss(index, 3) == "find the zzqx"
    assert near_miss(index, 0).split()[8:10] == ["crates", "zzqx"]


def test_the_self_test_fails_aloud_when_something_is_missed_or_flagged(monkeypatch):
    monkeypatch.setitem(FORMS, "broken", lambda text: text[:8])
    result = self_test(index_of(*QUESTIONS), Rule(), per_file=1, seed=0)
    assert result.missed == ("quiz:0 question: broken",)
    with pytest.raises(RuntimeError, match="missed \\['quiz:0 question: broken'\\]"):
        checked(result)
    monkeypatch.undo()
    flagged = self_test(index_of(selftest.FILLER[0]), Rule(), per_file=1, seed=0).flagged
    assert any(name.startswith("filler") for name in flagged)


def test_what_a_guard_lets_through_is_not_missed():
    result = checked(self_test(index_of("no no no no", "yes yes yes"), Rule(min_distinct_tokens=2), per_file=5, seed=0))
    assert result.by_benchmark["quiz"]["let_through"] == result.planted > 0


def test_an_index_is_built_once_and_serves_as_the_folder_of_files_does(tmp_path, capsys):
    (tmp_path / "quiz").mkdir()
    write_jsonl(tmp_path / "quiz" / "a.jsonl", [{"question": one} for one in QUESTIONS])
    (tmp_path / "quiz" / "b.jsonl").write_text('{"question": "Sum these three numbers"}\n?\n')
    run_stage(STAGE, IndexConfig(), {"benchmarks": tmp_path / "quiz"}, tmp_path / "index")
    assert "benchmarks: b.jsonl: rows left out: not valid JSON 1 (line 2)" in capsys.readouterr().err
    made = open_artifact(tmp_path / "index", "benchmark_index")
    assert made.counts["rows_left_out"] == 1
    assert made.counts["planted"] == made.counts["planted_found"] > 0
    assert index_for(made, tmp_path / "scratch", answers="long", gram_tokens=10) == made.path
    with pytest.raises(ConfigError, match="make it again or give the plain files"):
        index_for(made, tmp_path / "scratch", answers="all", gram_tokens=10)
    loaded = load_index(made.path)
    assert [item.text for item in loaded.items] == [*QUESTIONS, "Sum these three numbers"]
    assert protected_texts(loaded, 10) == {"a": {"10 and more": 3, "3 to 9": 1}, "b": {"3 to 9": 1}}


def test_all_ten_benchmarks_of_the_paper_are_read_whole(shared):
    items, sources = read_benchmarks(shared / "benchmarks", answers="none", gram_tokens=10)
    assert sum(sum(source.left_out.values()) for source in sources) == 0
    rows = {source.file: source.rows for source in sources}
    assert rows["cmath.test.jsonl"] == 1098
    assert rows["gsm8k.test.jsonl"] == 1319
    assert rows["math.test.jsonl"] == 5000
    assert len(items) >= sum(rows.values())
