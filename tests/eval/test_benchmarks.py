"""Each published benchmark as typed items, from files and from a hub, and the prompts made of them."""

import dataclasses
import json

import pytest

from commons.errors import ArtifactError, ConfigError, DataError
from commons.shards import write_jsonl
from eval.benchmarks import READERS, file_rows, read_benchmark, some, split_options
from eval.hub import hub_rows
from eval.items import Question
from eval.prompting import asked_text, few_shot_prompt, instruct_prompt, user_message
from eval.shots import has_shots, read_shots
from tests.eval.rows import ROWS, benchmark_folder, shots_folder

COUNTS = {
    "gsm8k": 1319, "math": 5000, "ocw": 272, "sat": 32, "mmlu_stem": 3018, "cmath": 1098, "gaokao_mathcloze": 118,
    "gaokao_mathqa": 351, "mgsm_zh": 250, "minif2f": 244, "minif2f_valid": 244, "math500": 500, "svamp": 1000,
    "mawps": 2065, "aime24": 30, "amc23": 40,
}  # fmt: skip


def first(name, form="cot"):
    return read_benchmark(name, ROWS[name], form=form, few_shot=False)[0]


def test_a_row_of_each_benchmark_becomes_an_item():
    golds = {name: first(name).gold for name in ROWS}
    assert golds == {
        "gsm8k": "3", "math": "4", "ocw": "2.5", "sat": "B", "mmlu_stem": "C", "cmath": "3", "gaokao_mathcloze": "$4$",
        "gaokao_mathqa": "A C", "mgsm_zh": "4", "minif2f": "", "math500": "1", "svamp": "2", "mawps": "4",
        "aime24": "007", "amc23": "27",
    }  # fmt: skip
    assert (first("math").level, first("math").subject) == ("Level 1", "Algebra")
    assert (first("cmath").level, first("cmath").language) == ("grade 3", "zh")
    assert first("mmlu_stem").options == (("A", "1"), ("B", "2"), ("C", "3"), ("D", "4"))
    assert first("gaokao_mathqa").options == first("mmlu_stem").options
    assert first("svamp").question == "Two pears. How many?"
    assert [first(name).split for name in ("gsm8k", "cmath")] == ["in_distribution", "out_of_distribution"]
    assert first("gsm8k", "tool").split == "out_of_distribution"


def test_what_prompts_are_made_of_has_no_gold_answer():
    assert {field.name for field in dataclasses.fields(Question)}.isdisjoint({"gold", "answer", "level"})
    assert type(first("math").posed) is Question


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A) 1 B) 2", [("A", "1"), ("B", "2")]),
        ("A. x is A) B. y", [("A", "x is A)"), ("B", "y")]),
        ("(A) 1 (B) no (B) 3 (D)", [("A", "1"), ("B", "no (B) 3 (D)")]),
    ],
)
def test_options_of_one_line_are_parted_at_the_next_letter(text, found):
    assert list(split_options(text)) == found


def test_a_hole_in_a_benchmark_is_an_error_with_its_row():
    with pytest.raises(DataError, match="row 1 of gsm8k cannot be read"):
        read_benchmark("gsm8k", [*ROWS["gsm8k"][:1], {"question": "?"}], form="cot", few_shot=False)
    with pytest.raises(DataError, match="no questions"):
        read_benchmark("gsm8k", [], form="cot", few_shot=False)
    with pytest.raises(ConfigError, match="no benchmark is called 'gsm9k'; accepted: gsm8k, math"):
        read_benchmark("gsm9k", [], form="cot", few_shot=False)


def test_a_folder_without_the_file_says_which_is_needed(tmp_path):
    benchmark_folder(tmp_path)
    assert len(list(file_rows(tmp_path, "gsm8k"))) == 2
    with pytest.raises(ArtifactError, match=r"minif2f\.valid\.jsonl"):
        list(file_rows(tmp_path, "minif2f_valid"))


def test_a_hub_is_read_by_datasets(tmp_path):
    write_jsonl(tmp_path / "set" / "test.jsonl", ROWS["gsm8k"])
    rows = list(hub_rows(f"{tmp_path / 'set'}::test"))
    assert read_benchmark("gsm8k", rows, form="cot", few_shot=False)[1].gold == "3"
    assert list(hub_rows(str(tmp_path / "set"))) == rows
    with pytest.raises(ArtifactError, match="cannot be read"):
        list(hub_rows(f"{tmp_path / 'set'}::validation"))


def test_spellings_of_hub_copies_are_read():
    mmlu = {"question": "Which?", "choices": ["1", "2", "3", "4"], "answer": 2, "subject": "anatomy"}
    [item] = read_benchmark("mmlu_stem", [mmlu], form="cot", few_shot=False)
    assert (item.gold, item.subject) == ("C", "anatomy")
    [item] = read_benchmark("mgsm_zh", [{"question": "?", "answer_number": 18}], form="cot", few_shot=False)
    assert item.gold == "18"


def test_fewer_questions_are_a_part_of_more_in_their_order():
    items = read_benchmark("gsm8k", ROWS["gsm8k"] * 20, form="cot", few_shot=False)
    few, many = (some(items, count, seed=1) for count in (5, 11))
    assert len(few) == 5
    assert {item.id for item in few} < {item.id for item in many}
    assert many == sorted(many, key=lambda item: item.id)
    assert some(items, 0, seed=1) == items


def test_options_and_formal_statements_stand_behind_the_question():
    assert asked_text(first("sat").posed).endswith("Explain your answer.\n(A) $1$ (B) $2$ (C) $3$ (D) $4$")
    assert asked_text(first("mmlu_stem").posed).endswith("\n(A) 1, (B) 2, (C) 3, (D) 4")
    assert asked_text(first("gaokao_mathqa").posed) == "选哪个？\n从以下选项中选择:    (A)1 (B)2 (C)3 (D)4"
    proof = asked_text(first("minif2f").posed)
    assert proof.startswith(
        "(*### Problem\n\nShow that one and one is two.\n\n### Solution\n\nBy counting.*)\n\nFormal:\n"
    )


def test_the_instruct_form_is_the_papers():
    english, chinese = (instruct_prompt(first(name).posed) for name in ("gsm8k", "mgsm_zh"))
    suffix = r"Please reason step by step, and put your final answer within \boxed{}."
    assert english == f"User: Ann has 1 pear and gets 2. How many?\n{suffix}\n\nAssistant:"
    assert chinese == "User: 二加二是多少？\n请通过逐步推理来解答问题，并把最终答案放置于\\boxed{}中。\n\nAssistant:"
    assert "integrate natural language reasoning with programs" in instruct_prompt(first("gsm8k", "tool").posed)
    assert user_message(first("gsm8k").posed) == f"Ann has 1 pear and gets 2. How many?\n{suffix}"


def test_examples_are_read_from_files_and_braces_in_them_are_text(tmp_path):
    shots_folder(tmp_path)
    shots = read_shots(tmp_path, "gsm8k", "pot")
    assert shots.stops == ("\nQ:", "Q: ")
    assert few_shot_prompt(first("gsm8k").posed, shots) == (
        "Q: {x}?\n\nQ: Ann has 1 pear and gets 2. How many?\n# Python:"
    )
    assert few_shot_prompt(first("minif2f").posed, read_shots(tmp_path, "minif2f", "cot")).startswith("O\n\n")
    assert has_shots(tmp_path, "svamp", "pot")  # those of gsm8k
    assert not has_shots(tmp_path, "math", "pot")
    with pytest.raises(ArtifactError, match=r"math_pal\.json is needed"):
        read_shots(tmp_path, "math", "pot")
    (tmp_path / "math_pal.json").write_text('{"template": "x"}')
    with pytest.raises(DataError, match="needs template, prompt and stop"):
        read_shots(tmp_path, "math", "pot")


def test_every_row_of_every_benchmark_is_read(shared):
    for name in READERS:
        items = read_benchmark(name, file_rows(shared / "benchmarks", name), form="cot", few_shot=True)
        assert len(items) == COUNTS[name]
        assert all(item.gold for item in items) or name.startswith("minif2f")
        assert {len(item.options) for item in items} == ({4} if name in ("sat", "mmlu_stem", "gaokao_mathqa") else {0})


@pytest.mark.parametrize("name", ["gsm8k", "math", "ocw", "sat", "mmlu_stem", "cmath", "gaokao_mathcloze", "minif2f"])
def test_the_few_shot_prompt_is_the_files_own_text_and_the_question_behind_it(shared, name):
    values = json.loads((shared / "few_shot" / f"{name}.json").read_text(encoding="utf-8"))
    [item, *_] = read_benchmark(name, file_rows(shared / "benchmarks", name), form="cot", few_shot=True)
    text = few_shot_prompt(item.posed, read_shots(shared / "few_shot", name, "cot"))
    given = values["prompt"]
    examples = given["numbertheory" if "numbertheory" in item.formal else "other"] if isinstance(given, dict) else given
    before, _, behind = values["template"].removeprefix("{prompt}").partition("{question}")
    assert text == f"{examples}{before}{asked_text(item.posed)}{behind.removesuffix('{solution}')}".rstrip()
    # the question stands as each solved one does
    exemplar = values["exemplars"][0]
    assert item.options == () or exemplar["question"].rpartition("\n")[2].startswith("(A) ")


@pytest.mark.parametrize("name", ["gsm8k", "math"])
def test_the_program_prompt_ends_where_the_model_begins_to_write_its_program(shared, name):
    [item, *_] = read_benchmark(name, file_rows(shared / "benchmarks", name), form="pot", few_shot=True)
    text = few_shot_prompt(item.posed, read_shots(shared / "few_shot", name, "pot"))
    assert text.endswith(
        "\n\n# solution in Python:" if name == "gsm8k" else "Express your answer as a numeric type or a SymPy object."
    )
