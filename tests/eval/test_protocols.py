"""A protocol's hash changes with everything that decides a score, and `paper` takes the paper's limits alone."""

from dataclasses import fields, replace

import pytest

from commons.config import load_config
from commons.errors import ConfigError
from eval.config import EvalConfig
from eval.protocols import Task, protocol_of

TASK = Task("gsm8k", "few_shot_cot", 2, "q", "{prompt}", "s", ("\nQ:",))


def protocol(*overrides, task=TASK):
    return protocol_of(load_config(EvalConfig, [], overrides), [task], prompt_form="roles", sources={"gsm8k": "f"})


@pytest.mark.parametrize(
    "override",
    [
        "max_new_tokens=64", "temperature=0.5", "samples_per_question=4", "seed=1", "tool.rounds=3",
        "tool.shown_characters=50", 'tool.state="replayed"', 'tool.errors="traceback"', "sandbox.wall_seconds=5.0",
        "sandbox.memory_mib=256",
        'benchmarks.checker=["isabelle"]',
    ],
)  # fmt: skip
def test_each_setting_that_decides_a_score_is_in_the_hash(override):
    assert protocol(override).hash != protocol().hash


def test_what_decides_no_score_is_not_in_the_hash():
    assert protocol("sandbox.workers=7", "rows_at_once=3", "label=rl", "model.concurrency=2").hash == protocol().hash


@pytest.mark.parametrize("field", [field.name for field in fields(Task)])
def test_each_part_of_a_task_is_in_the_hash(field):
    other = {"questions": 3, "stops": ()}.get(field, "other")
    assert protocol(task=replace(TASK, **{field: other})).hash != protocol().hash


def test_paper_refuses_limits_that_are_not_the_papers():
    with pytest.raises(ConfigError, match=r"protocol paper has tool\.state = replayed, not kept"):
        protocol("protocol=paper")
    with pytest.raises(ConfigError, match=r"protocol paper has tool\.errors = traceback, not last_line"):
        protocol("protocol=paper", 'tool.state="replayed"')
    found = protocol("protocol=paper", 'tool.state="replayed"', 'tool.errors="traceback"')
    assert (found.grader, found.tool["rounds"], found.greedy["max_new_tokens"]) == ("paper", 2, 1024)
    with pytest.raises(ConfigError, match="max_new_tokens = 1024, not 512"):
        protocol("protocol=paper", "max_new_tokens=512")


def test_the_json_has_name_hash_and_fields():
    values = protocol().as_json()
    assert values["name"] == "strict"
    assert values["hash"] == protocol().hash
    assert values["tasks"][0]["benchmark"] == "gsm8k"
    assert values["sources"] == {"gsm8k": "f"}
