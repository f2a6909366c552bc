"""A generation is found again only under all that decides it, and a kill loses whole batches."""

import json
from dataclasses import replace

import pytest

from eval.cache import Cache, key_of, written
from eval.writing import Asked, Generation, Sampling

SAMPLING = Sampling(0.7, 20, seed=1)
ASKED = Asked("q", "2+2?", (0, 1))


class Echo:
    """A model that writes how often it was asked."""

    def __init__(self, weights="w", tokenizer="t"):
        self.identity, self.asked = {"weights": weights, "tokenizer": tokenizer}, []

    def exact(self, asked):
        return [ord(letter) for letter in asked.prompt + asked.written]

    def write(self, asked, sampling, keep):
        self.asked += asked
        keep([(n, s, Generation(f"{one.key} {s}", "end")) for n, one in enumerate(asked) for s in one.samples])


@pytest.mark.parametrize(
    "other",
    [
        (Echo("x"), ASKED, SAMPLING),
        (Echo("w", "u"), ASKED, SAMPLING),
        (Echo(), replace(ASKED, prompt="2+3?"), SAMPLING),
        (Echo(), replace(ASKED, written=" 4"), SAMPLING),
        (Echo(), replace(ASKED, key="r"), SAMPLING),
        (Echo(), ASKED, replace(SAMPLING, temperature=0.8)),
        (Echo(), ASKED, replace(SAMPLING, max_new_tokens=21)),
        (Echo(), ASKED, replace(SAMPLING, seed=2)),
        (Echo(), ASKED, replace(SAMPLING, stops=("Q:",))),
    ],
)
def test_each_thing_that_decides_a_generation_is_in_its_key(other):
    keys = {key_of(writer, asked, 0, sampling) for writer, asked, sampling in [(Echo(), ASKED, SAMPLING), other]}
    assert len(keys) == 2
    assert key_of(Echo(), ASKED, 0, SAMPLING) != key_of(Echo(), ASKED, 1, SAMPLING)


def test_greedy_generations_of_one_prompt_are_the_same_whatever_it_is_called_and_whatever_the_seed():
    greedy = replace(SAMPLING, temperature=0.0)
    assert key_of(Echo(), ASKED, 0, greedy) == key_of(Echo(), replace(ASKED, key="r"), 0, replace(greedy, seed=9))


def test_only_what_is_missing_is_asked_for(tmp_path):
    first = written(Echo(), Cache(tmp_path), [replace(ASKED, samples=(0,))], SAMPLING)
    echo = Echo()
    both = written(echo, Cache(tmp_path), [ASKED, replace(ASKED, key="r")], SAMPLING)
    assert echo.asked == [replace(ASKED, samples=(1,)), replace(ASKED, key="r")]
    assert [[one.text for one in outputs] for outputs in both] == [["q 0", "q 1"], ["r 0", "r 1"]]
    assert both[0][0] == first[0][0]


def test_a_line_that_a_kill_cut_off_is_not_there(tmp_path):
    written(Echo(), Cache(tmp_path), [ASKED], SAMPLING)
    [path] = tmp_path.glob("*.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:-20])
    cache = Cache(tmp_path)
    assert cache.torn == 1
    assert cache.get(key_of(Echo(), ASKED, 1, SAMPLING)) == Generation("q 1", "end")
    assert len(json.loads(whole)) == 2  # one batch, one line


def test_failures_are_handed_over_but_not_kept(tmp_path):
    class Failing(Echo):
        def write(self, asked, sampling, keep):
            keep([(0, sample, Generation("", "", failure="busy")) for sample in asked[0].samples])

    [[one, _]] = written(Failing(), Cache(tmp_path), [ASKED], SAMPLING)
    assert one.failure == "busy"
    assert not list(tmp_path.glob("*.jsonl"))
