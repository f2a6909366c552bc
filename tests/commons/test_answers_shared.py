"""The third-party rows: golds of the benchmarks and labelled pairs, against the figures of docs/evaluation.md."""

import re
from collections import Counter

from bench.golds import fault, golds
from bench.grading import agreement, distinct_pairs, recorded_outputs, says_equal, scores
from commons.equivalence import equivalent, grade

DIGIT = re.compile(r"\d")
MOST_UNGRADABLE = {"math": 0.005}


def test_golds_equal_themselves_and_their_rewritings(shared):
    asked: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for name, gold in golds(shared):
        asked[name] += 1
        failed[name] += bool(fault(gold))
    assert asked["math"] == 5000
    assert len(asked) == 9
    assert {name: failed[name] for name in asked if failed[name] > MOST_UNGRADABLE.get(name, 0.05) * asked[name]} == {}


def test_a_gold_with_one_digit_changed_is_another_answer(shared):
    distinct = dict.fromkeys(gold for _, gold in golds(shared) if DIGIT.search(gold))
    for gold in list(distinct)[::4]:
        places = list(DIGIT.finditer(gold))
        place = places[len(gold) % len(places)]
        changed = f"{gold[: place.start()]}{(int(place[0]) + 1) % 10}{gold[place.end() :]}"
        assert not equivalent(gold, changed)


def test_labelled_pairs(shared):
    pairs = distinct_pairs(shared)
    said = [says_equal(row["gold"], row["pred"], row) for row in pairs]
    labels = [bool(row["equal"]) for row in pairs]
    assert len(pairs) == 152
    assert agreement(said, labels) >= 0.97
    assert scores(said, labels)["false_positives"] <= 1
    assert said == [says_equal(row["pred"], row["gold"], row) for row in pairs]


def test_recorded_outputs_differ_from_their_labels_only_where_a_gold_has_its_comma_in_braces(shared):
    outputs = recorded_outputs(shared)
    differing = [gold for output, gold, label in outputs if grade(output, gold).correct != label]
    assert len(outputs) == 800
    assert differing == ["10{,}000"]
