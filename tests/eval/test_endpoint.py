"""A served model whose server fails in every way that servers do."""

import json
import math

import pytest

from commons.artifacts import open_artifact
from commons.errors import ConfigError
from commons.shards import read_jsonl
from commons.stage import main
from eval.cache import Cache, written
from eval.config import ModelConfig
from eval.endpoint import EndpointWriter, read_answer, retry_after
from eval.stage import STAGE
from eval.writing import Asked, Sampling
from tests.eval.rows import benchmark_folder, shots_folder
from tests.eval.served import choice, serving

GREEDY = Sampling(0.0, 50, seed=0, stops=("\nQ:",))
MISBEHAVIOURS = {
    "too many": (429, {"Retry-After": "0"}, b""),
    "broken": (500, {}, b"oh no"),
    "cut": "cut",
    "no JSON": (200, {}, b"<html>busy</html>"),
    "empty": (200, {}, {"choices": []}),
    "no reason": (200, {}, choice("half", None)),
    "filtered": (200, {}, choice("half", "content_filter")),
    "no text": (200, {}, {"choices": [{"finish_reason": "stop"}]}),
}


def asked_of(server, folder, prompts, sampling=GREEDY, **settings):
    pauses = []
    settings = {"url": server.url, "served": "m", "attempts": 3, "concurrency": 4, "timeout_seconds": 30.0} | settings
    writer = EndpointWriter(ModelConfig(**settings), sleep=pauses.append)
    asked = [Asked(f"q{number}", text, (0,)) for number, text in enumerate(prompts)]
    try:
        return [one for [one] in written(writer, Cache(folder), asked, sampling)], pauses
    finally:
        writer.close()


@pytest.mark.parametrize("kind", MISBEHAVIOURS)
def test_what_may_pass_is_asked_again(kind, tmp_path):
    def answer(body, count):
        return MISBEHAVIOURS[kind] if count < 3 else (200, {}, choice("The answer is 4."))

    with serving(answer) as server:
        [one], pauses = asked_of(server, tmp_path, ["2+2?"])
    assert (one.text, one.finish, one.failure) == ("The answer is 4.", "end", "")
    assert len(pauses) == 2
    assert pauses == [0.0, 0.0] if kind == "too many" else 0.5 <= pauses[0] <= 1 <= pauses[1] <= 2


@pytest.mark.parametrize("kind", MISBEHAVIOURS)
def test_what_does_not_pass_is_a_failure_with_its_reason_and_is_asked_for_in_the_next_run(kind, tmp_path):
    with serving(lambda body, count: MISBEHAVIOURS[kind]) as server:
        [one], _ = asked_of(server, tmp_path, ["2+2?"])
        assert len(server.bodies) == 3
        assert one.failure.endswith(", 3 times asked")
        assert one.text == ""
        server.answer = lambda body, count: (200, {}, choice("4"))
        [again], _ = asked_of(server, tmp_path, ["2+2?"])
    assert (again.text, again.failure) == ("4", "")


def test_a_server_that_does_not_answer_in_time_is_a_failure(tmp_path):
    with serving(lambda body, count: 2.0) as server:
        [one], _ = asked_of(server, tmp_path, ["?"], timeout_seconds=0.1, attempts=2)
    assert one.failure == "timed out (ReadTimeout), 2 times asked"


def test_nobody_at_the_address_is_a_failure(tmp_path):
    with serving(lambda body, count: "cut") as server:
        url = server.url
    writer = EndpointWriter(ModelConfig(url=url, served="m", attempts=2), sleep=lambda seconds: None)
    [[one]] = written(writer, Cache(tmp_path), [Asked("q", "?", (0,))], GREEDY)
    assert one.failure == "connection failed (ConnectError), 2 times asked"


def test_a_request_that_is_refused_alone_fails_at_once_with_the_servers_words(tmp_path):
    def answer(body, count):
        return (400, {}, b"prompt is too long") if body["prompt"] == "long" else (200, {}, choice("4"))

    with serving(answer) as server:
        (long, short), pauses = asked_of(server, tmp_path, ["long", "short"])
    assert long.failure == "HTTP 400: prompt is too long"
    assert short.text == "4"
    assert pauses == []


def test_a_refused_key_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "abc")
    with serving(lambda body, count: (401, {}, b"who are you")) as server, pytest.raises(ConfigError, match="SOME_KEY"):
        asked_of(server, tmp_path, ["?"], key_variable="SOME_KEY")


def test_how_an_output_ended_is_kept_and_ignored_stop_words_are_applied():
    assert read_answer(choice("4 and", "length"), ()).finish == "length"
    assert read_answer(choice("4", "stop", stop_reason="\nQ:"), ()).finish == "stop"
    cut = read_answer(choice("It is 4.\nQ: next?\nA: 5", "length"), ["\nQ:"])
    assert (cut.text, cut.finish) == ("It is 4.", "stop")


def test_retry_after_is_seconds_or_a_date():
    assert retry_after("7") == 7.0
    assert retry_after("soon") is None
    assert retry_after(None) is None
    assert -math.inf < retry_after("Wed, 21 Oct 2015 07:28:00 GMT") < 0


def test_a_longer_pause_than_the_longest_is_not_kept(tmp_path):
    def answer(body, count):
        return (429, {"Retry-After": "4000"}, b"") if count == 1 else (200, {}, choice("4"))

    with serving(answer) as server:
        _, pauses = asked_of(server, tmp_path, ["?"], longest_pause_seconds=5.0)
    assert pauses == [5.0]


def test_a_request_says_what_is_wanted_and_samples_differ_by_their_seeds(tmp_path):
    with serving(lambda body, count: (200, {}, choice(str(body["seed"])))) as server:
        writer = EndpointWriter(ModelConfig(url=server.url, served="m"))
        asked = [Asked("q", "Go", (0, 1, 2), written=" on")]
        [outputs] = written(writer, Cache(tmp_path), asked, Sampling(0.7, 9, seed=1))
        writer.close()
        assert len({one.text for one in outputs}) == 3
        path, body = server.bodies[0]
    assert path == "/v1/completions"
    assert (body["prompt"], body["max_tokens"], body["temperature"], body["n"]) == ("Go on", 9, 0.7, 1)


def test_a_chat_server_gets_messages_and_goes_on_from_what_was_written(tmp_path):
    with serving(lambda body, count: (200, {}, choice("4"))) as server:
        writer = EndpointWriter(ModelConfig(url=server.url, served="m", api="chat"))
        written(writer, Cache(tmp_path), [Asked("q", "2+2?", (0,)), Asked("r", "2+2?", (0,), "I")], GREEDY)
        writer.close()
    bodies = sorted((body["messages"], body.get("continue_final_message")) for _, body in server.bodies)
    user = {"role": "user", "content": "2+2?"}
    assert bodies == [([user], None), ([user, {"role": "assistant", "content": "I"}], True)]


def evaluated(server, folder, out, *settings):
    argv = ["--benchmarks", str(folder / "benchmarks"), "--shots", str(folder / "shots"), "--out", str(out)]
    argv += [f"model.url={server.url}", "model.served=m", "model.attempts=1", "label=base"]
    argv += ['benchmarks.settings=["few_shot_cot"]', 'benchmarks.names=["gsm8k","math","sat"]', *settings]
    return main(STAGE, argv)


def test_an_evaluation_with_failed_samples_is_refused_and_goes_on_with_them_alone(tmp_path, capsys):
    benchmark_folder(tmp_path / "benchmarks")
    shots_folder(tmp_path / "shots")
    broken = {"on": True}

    def answer(body, count):
        if broken["on"] and "2+3" in body["prompt"]:
            return 503, {}, b""
        return 200, {}, choice("The final answer is (B). The answer is 5.\nQ: more?")

    with serving(answer) as server:
        assert evaluated(server, tmp_path, tmp_path / "out") == 4
        assert "1 of 5 samples could not be had (1 HTTP 503, 1 times asked)" in capsys.readouterr().err
        assert evaluated(server, tmp_path, tmp_path / "some", "model.allowed_failures=0.5") == 0
        broken["on"], asked = False, len(server.bodies)
        assert evaluated(server, tmp_path, tmp_path / "out") == 0
        assert len(server.bodies) == asked + 1
    rows = list(read_jsonl(tmp_path / "some" / "samples.jsonl.zst"))
    assert [row["verdict"] for row in rows if row["benchmark"] == "math"] == ["wrong", "not graded"]
    [failed] = [row for row in rows if row["failure"]]
    assert failed["reason"] == "HTTP 503, 1 times asked"
    [math_row] = [
        row for row in json.loads((tmp_path / "some" / "results.json").read_text()) if row["benchmark"] == "math"
    ]
    assert (math_row["n"], math_row["health"]["failed"], math_row["health"]["wrong"]) == (1, 1, 1)
    assert open_artifact(tmp_path / "some", "evaluation").counts["failures"] == {"HTTP 503, 1 times asked": 1}
    finished = {row["id"]: row["verdict"] for row in read_jsonl(tmp_path / "out" / "samples.jsonl.zst")}
    assert finished["math/cot/00001"] == "correct"
    assert finished["sat/cot/00000"] == "correct"
