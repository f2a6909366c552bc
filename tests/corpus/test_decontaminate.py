"""The rule of section 2.1 and the bug list of decontamination (X1 to X8 of the notes) as small cases."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commons.ngrams import tokens
from commons.quotations import benchmark_grams, quotations
from corpus.benchmarks import Item, read_benchmarks
from corpus.decontaminate import (
    FEW_DIFFERENT,
    MANY_ITEMS,
    MANY_PAGES,
    Index,
    Rule,
    finding,
    passages_from_json,
    passages_to_json,
    resembling,
    segments,
    shorter_grams,
    without_segments,
)

QUESTION = "Janet has 16 ducks and sells every second egg of each of them at the market"
SHORT = "Compute $\\tan 60^\\circ$ now."
ELLIPSE = r"Let the ellipse C be \frac{x^2}{a^2}+\frac{y^2}{b^2}=1"


def index_of(*texts, n=10):
    items = [Item(f"bench:{number}", "question", text) for number, text in enumerate(texts)]
    return Index(items, benchmark_grams(texts, n))


def judged(text, index, rule=None, common=frozenset()):
    return finding(text, quotations([text], index.grams)[0], index, rule or Rule(), common)


def test_a_gram_removes_its_segment_and_the_rest_stays_in_order():
    page = f"First words.\nSee: {QUESTION}!\nLast words."
    found = judged(page, index_of(QUESTION))
    assert (found.page, found.segments) == (False, (1,))
    assert without_segments(page, found.segments) == "First words.\nLast words."


def test_a_gram_removes_the_page_when_the_config_says_so():
    page = f"First words.\nSee: {QUESTION}!"
    assert judged(page, index_of(QUESTION), Rule(removes="page")).page


def test_nine_words_in_a_row_are_no_quotation():
    words = QUESTION.split()
    assert judged("See: " + " ".join(words[2:12]), index_of(QUESTION)).page  # nothing of the page is left
    assert not judged("See: " + " ".join(words[2:11]), index_of(QUESTION)).passages


def test_a_short_text_removes_the_page_and_counts_only_whole():
    index = index_of(SHORT)
    assert judged("Other line.\nExercise: compute $\\tan 60^\\circ$ now. Then rest.", index).page
    assert not judged("Compute $\\tan 45^\\circ$ now.", index).passages


def test_x1_a_question_alone_is_found_and_answers_count_from_ten_grams(tmp_path):
    long = "First she sells sixteen minus three minus four eggs which makes nine"
    (tmp_path / "b.jsonl").write_text(f'{{"question": "{QUESTION}", "answer": "{long}"}}\n')
    (tmp_path / "c.jsonl").write_text(f'{{"question": "{QUESTION}", "answer": "x equals 3"}}\n')
    for answers, fields in (("none", []), ("long", ["answer"]), ("all", ["answer", "answer"])):
        items, _ = read_benchmarks(tmp_path, answers=answers, gram_tokens=10)
        assert [item.field for item in items] == ["question", "question", *fields]
    index = Index(items, benchmark_grams([item.text for item in items]))
    assert {one.field for one in judged(f"{QUESTION}\n{long}", index).passages} == {"question", "answer"}


def test_x2_a_run_of_punctuation_does_not_end_the_scan():
    page = f"{'. , ; ! - ' * 40}\n{QUESTION}\nthe end"
    assert judged(page, index_of(QUESTION)).segments == (1,)


def test_x3_every_question_of_cmath_is_protected_and_found_in_a_page(shared, tmp_path):
    (tmp_path / "cmath.test.jsonl").symlink_to(shared / "benchmarks" / "cmath.test.jsonl")
    items, _ = read_benchmarks(tmp_path, answers="none", gram_tokens=10)
    index = Index(items, benchmark_grams([item.text for item in items]))
    pages = [f"今天的作业。\n第三题：{item.text.replace('，', ', ')}\n请写出过程。" for item in items]
    found = quotations(pages, index.grams)
    assert len(items) == 1098
    assert all(any(n in index.grams.texts_with(hit.gram) for hit in hits) for n, hits in enumerate(found))


def test_x4_boilerplate_is_let_through_only_with_a_guard_and_is_reported():
    texts = [f"{ELLIPSE}, and its eccentricity is {number}" for number in range(5)]
    page = f"A page on conics.\n{ELLIPSE}.\nIt is closed."
    assert judged(page, index_of(*texts)).segments == (1,)
    guarded = judged(page, index_of(*texts), Rule(boilerplate_items=5))
    assert (guarded.page, guarded.segments) == (False, ())
    assert {one.let_through for one in guarded.passages} == {MANY_ITEMS}
    assert judged(page, index_of(*texts), Rule(boilerplate_items=6)).segments == (1,)
    quoted = judged(texts[3], index_of(*texts), Rule(boilerplate_items=5))
    assert quoted.page  # its own ending is no boilerplate
    assert {(one.benchmark, one.let_through) for one in quoted.passages} >= {("bench:3", "")}


def test_x4_the_same_text_in_two_files_is_one_item():
    items = [Item(f"{file}:0", "question", QUESTION) for file in ("math.test", "math500.test")]
    index = Index(items, benchmark_grams([item.text for item in items]))
    found = judged(QUESTION, index, Rule(boilerplate_items=2))
    assert found.page
    assert [one.benchmark for one in found.passages] == ["math.test:0", "math500.test:0"]


def test_x4_grams_on_many_pages_and_grams_of_few_words_can_be_let_through():
    index = index_of(QUESTION, "no no no no no no no no no no yes")
    common = frozenset({hit.gram for hit in quotations([QUESTION], index.grams)[0]})
    assert {one.let_through for one in judged(QUESTION, index, common=common).passages} == {MANY_PAGES}
    few = judged("no " * 10, index, Rule(min_distinct_tokens=3))
    assert (few.page, {one.let_through for one in few.passages}) == (False, {FEW_DIFFERENT})
    assert judged("no " * 10, index).page


def test_x5_a_quotation_across_lines_is_found_and_removes_each_line_it_touches():
    page = "before\n" + QUESTION.replace(" ", "\n") + "\nafter"
    found = judged(page, index_of(QUESTION))
    assert found.segments == tuple(range(1, 1 + len(QUESTION.split())))
    assert without_segments(page, found.segments) == "before\nafter"


def test_x7_no_text_is_flagged_by_accident():
    index = index_of(*(f"{QUESTION} {number}" for number in range(200)), SHORT)
    words = QUESTION.split()
    pages = [" ".join(words[turn:] + words[: max(turn - 4, 0)][:3]) for turn in range(7, 15)]
    assert [found for found in quotations(pages, index.grams) if found] == []


def test_x8_a_rephrased_item_passes_the_rule_and_stands_in_the_report_on_resembling_pages():
    page = "Janet has 16 ducks and sells each second egg of each of them at the market square"
    index = index_of(QUESTION, "Something else that has nothing to do with ducks or with eggs at all")
    assert not judged(page, index).passages
    shorter = shorter_grams(index)
    (item, share), *rest = resembling(quotations([page], shorter.grams)[0], shorter, share=0.5)
    assert (item.benchmark, round(share, 3), rest) == ("bench:0", 0.583, [])  # 7 of the 12 grams of 5 tokens


def test_an_item_that_only_shares_a_phrase_with_the_quoted_one_is_not_named():
    phrase = "what is the probability that the sum of the two numbers is even"
    index = index_of(f"{phrase} or prime?", f"Tom rolls dice; {phrase}?")
    assert [one.benchmark for one in judged(f"Tom rolls dice; {phrase}", index).passages] == ["bench:1"]
    assert {one.benchmark for one in judged(phrase, index).passages} == {"bench:0", "bench:1"}


def test_a_displayed_formula_is_never_cut_in_two():
    text = "one\n$$\na = b\n$$\ntwo\n\\begin{align}\nx &= y\\\\\nz\n\\end{align}\nthree\n\\[ open"
    assert segments(text) == [
        "one",
        "$$\na = b\n$$",
        "two",
        "\\begin{align}\nx &= y\\\\\nz\n\\end{align}",
        "three",
        "\\[ open",
    ]


def test_a_report_has_the_item_the_gram_and_the_segment_and_survives_a_data_frame():
    index = index_of(QUESTION)
    passages = judged(f"Line.\n{QUESTION}", index).passages
    (one,) = passages
    assert (one.benchmark, one.field, one.rule, one.segments) == ("bench:0", "question", "gram", (1,))
    assert one.gram == " ".join(tokens(QUESTION)[:10])
    assert one.grams == len(QUESTION.split()) - 9
    assert passages_from_json(passages_to_json(passages)) == [one]
    assert passages_to_json(()) == ""


def test_a_page_of_which_nothing_is_left_goes_whole():
    assert judged(f"\n{QUESTION}\n", index_of(QUESTION)).page


@pytest.fixture(scope="module")
def known():
    return index_of(QUESTION, SHORT, "小明有12个苹果，吃了5个，还剩几个？")


FILLER = st.lists(st.sampled_from(["violet", "Sofa", "河", "17", "$z$", "-"]), max_size=6).map(" ".join)
GAPS = st.sampled_from([" ", "  ", "\t", "\n", " - ", ", ", "\u00a0", " $ "])


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.integers(0, 5), st.lists(GAPS, min_size=9, max_size=9), st.lists(st.booleans(), min_size=10, max_size=10))
def test_planted_grams_are_found_whatever_the_case_and_spacing(known, start, gaps, shouted):
    words = [w.upper() if loud else w for w, loud in zip(QUESTION.split()[start : start + 10], shouted, strict=True)]
    planted = words[0] + "".join(gap + word for gap, word in zip(gaps, words[1:], strict=True))
    page = f"sofa\n{planted}\nviolet"
    found = judged(page, known)
    assert [one.benchmark for one in found.passages] == ["bench:0"]
    assert without_segments(page, found.segments) == "sofa\nviolet"


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.one_of(FILLER, st.just(QUESTION), st.just(QUESTION[:40])), max_size=7))
def test_segments_without_a_hit_stay_and_keep_their_order(known, lines):
    page = "\n".join(lines)
    found = judged(page, known)
    assert "\n".join(segments(page)) == page
    touched = {number for one in found.passages for number in one.segments}
    clean = [line for number, line in enumerate(lines) if number not in touched]
    if not found.page:
        assert set(found.segments) == touched
        assert without_segments(page, found.segments) == "\n".join(clean).strip()
    assert not judged("\n".join(clean), known).passages or not touched
