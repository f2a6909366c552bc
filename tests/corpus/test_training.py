from collections import Counter

from corpus.config import FastText
from corpus.frames import from_rows
from corpus.round_frames import examples, with_formulas
from corpus.training import lesson

# id, domain, formulas, held_out: a seed domain, a big site, three small ones, one with formulas
ROWS = [
    *[(f"s{number}", "seed.org", 2, number == 0) for number in range(6)],
    *[(f"n{number}", "seed.org", 0, False) for number in range(3)],
    *[(f"b{number}", "big.org", 0, number % 5 == 0) for number in range(40)],
    *[(f"c{number}", f"c{number}.org", 0, False) for number in range(3)],
    *[(f"f{number}", "formulas.org", 1, False) for number in range(9)],
]
POSITIVES = [f"s{number}" for number in range(6)]


def marked():
    names = ("id", "domain", "formulas", "held_out")
    return from_rows({name: [row[place] for row in ROWS] for place, name in enumerate(names)})


def chosen(*, rare, domains=("seed.org",), **settings):
    return lesson(marked(), POSITIVES, list(domains), FastText(**settings), seed=5, rare=rare)


def test_where_maths_is_not_rare_negatives_have_no_formulas_and_come_from_other_domains_in_turn():
    found = chosen(rare=False)
    assert found.negatives_from == "pages without formulas in other domains"
    kinds = Counter(name[0] for name in found.other)
    assert kinds == {"b": 2, "c": 3}  # a page of every domain first, then of those that have a second one


def test_where_maths_is_rare_negatives_are_drawn_from_all_pages():
    found = chosen(rare=True, negatives_per_positive=12.0)
    assert found.negatives_from == "all pages"
    assert {name[0] for name in found.other} == {"n", "b", "c", "f"}


def test_held_out_pages_are_never_trained_on():
    found = chosen(rare=False, negatives_per_positive=100.0)
    assert set(found.held_out_maths) == {"s0"}
    assert found.held_out_other
    assert not {*found.maths, *found.other} & {*found.held_out_maths, *found.held_out_other}


def test_a_crawl_inside_the_seeds_domains_still_gives_negatives():
    everywhere = {row[1] for row in ROWS}
    found = chosen(rare=False, domains=sorted(everywhere))
    assert found.negatives_from == "pages without formulas"
    assert found.other


def test_f9_the_order_of_training_pages_is_drawn_from_the_seed_and_mixed():
    pages = from_rows({"id": [f"{number:02d}" for number in range(40)], "text": [str(number) for number in range(40)]})
    ids = [f"{number:02d}" for number in range(40)]
    one, again, other = (list(examples(pages, ids[:20], ids[20:], seed=seed)) for seed in (1, 1, 2))
    assert one == again != other
    assert sorted(one) == sorted(other)
    labels = "".join("m" if maths else "o" for maths, _ in one)
    assert labels not in ("m" * 20 + "o" * 20, "o" * 20 + "m" * 20)


def test_formulas_of_the_extractor_are_taken_as_they_are():
    pages = from_rows({"id": ["a"], "text": ["$x$"], "formulas": [7]})
    assert with_formulas(pages).to_pydict()["formulas"] == [7]
    assert with_formulas(pages.exclude("formulas")).to_pydict()["formulas"] == [1]
