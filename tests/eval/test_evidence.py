"""What stands beside the accuracies: the paper's own figures, pages that quote a benchmark, what was not graded."""

from commons.artifacts import open_artifact
from commons.files import write_json
from commons.shards import write_jsonl
from eval.evidence import graded_rows
from eval.findings import contamination_of
from eval.published import differences, published
from eval.tables import counted
from tests.eval.conftest import publish


def test_solved_examples_stand_beside_base_and_none_beside_instruct_and_rl():
    assert [one.percent for one in published("gsm8k", "cot", few_shot=True)] == [64.2]
    assert [one.percent for one in published("gsm8k", "cot", few_shot=False)] == [82.9, 88.2]
    assert len(published("gsm8k", "cot", few_shot=None)) == 3
    assert [one.model for one in published("sat", "cot", few_shot=False)] == ["base"]  # the paper has no other
    assert published("ages", "cot", few_shot=None) == ()


def test_a_run_under_the_papers_protocol_differs_in_nothing_but_its_size():
    protocol = {"name": "paper", "grader": "paper", "greedy": {"max_new_tokens": 1024}}
    assert differences(protocol, few_shot=False, parameters=6_900_000_000) == []
    assert differences(protocol, few_shot=False, parameters=134_500_000) == [
        "a model of 134.5M parameters, not one of 7B"
    ]
    other = differences({"name": "strict", "greedy": {"max_new_tokens": 64}}, few_shot=None, parameters=None)
    assert "outputs of at most 64 tokens, not 1,024" in other
    assert "protocol strict, not paper" in other


def test_pages_that_quote_are_counted_by_benchmark_and_one_not_compared_is_no_zero(tmp_path):
    rows = [
        {"benchmark": "en/gsm8k.jsonl:3", "url": "a"},
        {"benchmark": "en/gsm8k.jsonl:9", "url": "a"},
        {"benchmark": "en/gsm8k.jsonl:9", "url": "b"},
        {"benchmark": "ours:1", "url": "b"},
    ]

    def write(work):
        write_jsonl(work.folder / "decontamination.jsonl", rows)
        write_json(
            work.folder / "decontamination.json", {"sources": [{"file": "en/gsm8k.jsonl"}, {"file": "math.json"}]}
        )

    corpus = open_artifact(publish(tmp_path / "corpus", "corpus", write), "corpus")
    assert contamination_of({"corpus": corpus}) == {"gsm8k": 2, "math": 0, "ours": 1}
    assert contamination_of({}) is None


def test_what_an_older_evaluation_did_not_count_is_no_zero():
    assert counted({"failed": 1200}, "failed") == "1,200"
    assert counted({"failed": 0}, "not_graded") == "–"


def test_what_nobody_checked_is_neither_right_nor_wrong():
    assert graded_rows([{"verdict": "not graded"}, {"verdict": "wrong"}]) == [{"verdict": "wrong"}]
