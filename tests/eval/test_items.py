"""Which questions are asked: the same for all models, in named groups."""

from eval.items import chosen, held_out, out_of_family, shots_of


def row(number, family="sums", form="cot", language="en"):
    return {
        "id": f"q{number}",
        "question": f"question {number}",
        "answer": number,
        "solution": f"solution {number}",
        "form": form,
        "language": language,
        "family": family,
    }


def test_the_benchmark_is_the_untaught_family_or_all_taught_ones():
    items = out_of_family([row(0, form="pot"), row(1, "ages"), row(2, language="zh")], {"sums"})
    assert [(item.benchmark, item.setting) for item in items] == [
        ("taught_families", "pot"),
        ("ages", "cot"),
        ("taught_families", "cot-zh"),
    ]


def test_a_smaller_number_of_questions_is_a_part_of_a_larger_and_keeps_the_order_of_the_file():
    items = held_out(row(number) for number in range(50))
    few = [item.id for item in chosen(items, in_distribution=10, per_group=0, seed=1)]
    many = [item.id for item in chosen(items, in_distribution=20, per_group=0, seed=1)]
    assert set(few) < set(many)
    assert many == [item.id for item in items if item.id in many]
    assert few != [item.id for item in chosen(items, in_distribution=10, per_group=0, seed=2)]


def test_every_group_gets_its_own_number():
    rows = [row(number, "ages" if number % 2 else "boxes") for number in range(20)]
    items = chosen(out_of_family(rows, set()), in_distribution=0, per_group=3, seed=0)
    assert sorted(item.benchmark for item in items) == ["ages"] * 3 + ["boxes"] * 3


def test_examples_are_of_the_same_form_and_language():
    rows = [row(number, form="pot" if number % 2 else "cot") for number in range(10)]
    shots = shots_of(rows, 2, seed=0)
    assert len(shots["pot", "en"]) == 2
    assert all(int(question.split()[1]) % 2 for question, _ in shots["pot", "en"])
