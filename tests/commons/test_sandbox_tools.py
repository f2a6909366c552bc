"""The tool-integrated loop with real programs; the model is a table of what it writes next."""

import pytest

from commons.prompts import output_block
from commons.sandbox import Limits, ProgramRun, Sandbox
from commons.sandbox_config import ToolConfig
from commons.sandbox_tools import replayed, shown, tool_rounds

FIRST = "I set x.\n```python\nx = 6\nprint(x)\n```"
SECOND = "Then\n```python\nprint(x * 7)\n```"


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(Limits(wall_seconds=60.0), workers=2) as sandbox:
        yield sandbox


def told(sandbox, tools, *written):
    """The loop over outputs; each of `written` is what one of them writes in round 1, 2, 3."""
    asked = []

    def go_on(number, texts):
        asked.append({place: text[-40:] for place, text in texts.items()})
        return {place: (written[place][number - 1], True) for place in texts}

    return tool_rounds(sandbox, tools, [(rounds[0], True) for rounds in written], go_on, at_once=2), asked


@pytest.mark.parametrize("state", ["kept", "replayed"])
def test_a_later_program_finds_the_names_of_an_earlier_one(sandbox, state):
    tools = ToolConfig(rounds=3, state=state)
    found, asked = told(
        sandbox, tools, (FIRST, SECOND, "So \\boxed{42}."), ("No program: \\boxed{1}.",), (FIRST, "Done.")
    )
    assert found[0].text == f"{FIRST}\n{output_block('6')}{SECOND}\n{output_block('42')}So \\boxed{{42}}."
    assert [run.stdout for run in found[0].runs] == ["6\n", "42\n"]
    assert [one.rounds for one in found] == [3, 1, 2]
    assert found[1].runs == ()
    assert [list(texts) for texts in asked] == [[0], [0], [2]]  # two outputs are under way at once


def test_kept_state_is_the_true_one_where_replaying_is_not(sandbox):
    """A line that prints and binds is dropped in the paper's replay: `print(` stands in it."""
    first = "```python\nx = 1\nif x: x = 6; print(x)\n```"
    kept, _ = told(sandbox, ToolConfig(state="kept"), (first, SECOND))
    paper, _ = told(sandbox, ToolConfig(state="replayed"), (first, SECOND))
    assert (kept[0].runs[1].stdout, paper[0].runs[1].stdout) == ("42\n", "7\n")


def test_the_rounds_end_where_the_config_says(sandbox):
    found, asked = told(sandbox, ToolConfig(rounds=1), (FIRST, SECOND))
    assert (found[0].rounds, len(found[0].runs), asked) == (1, 1, [])


def test_a_text_that_goes_on_after_its_program_is_cut_there(sandbox):
    found, _ = told(sandbox, ToolConfig(rounds=2), (FIRST + "\n```output\n99\n```\nSo 99.", "So 6."))
    assert found[0].text == f"{FIRST}\n{output_block('6')}So 6."


def test_earlier_programs_are_run_again_without_their_printing():
    assert replayed(["x = 3\nprint(x)\n", "print(x * 2)\n"]) == "x = 3\nprint(x * 2)\n"


def test_the_model_reads_the_output_cut_in_its_middle():
    assert shown(ProgramRun("ok", " 42\n", "", 0.0), 100) == "42"
    assert shown(ProgramRun("ok", "a" * 80 + "b" * 80, "", 0.0), 100) == "a" * 50 + "..." + "b" * 50


def test_the_model_reads_the_last_line_of_an_error():
    run = ProgramRun("error", "", "Traceback\nZeroDivisionError: division by zero", 0.0)
    assert shown(run, 100) == "error: ZeroDivisionError: division by zero"
    assert shown(ProgramRun("timed out", "", "", 0.0), 100) == "timed out: nothing was printed"
    assert shown(ProgramRun("ok", "", "", 0.0), 100) == "nothing was printed"


def test_as_in_the_paper_the_model_reads_the_traceback_cut_in_its_middle():
    run = ProgramRun("error", "", "Traceback " + "a" * 80 + "b" * 100, 0.0)
    assert shown(run, 100, "traceback") == "Runtime errors: Traceback " + "a" * 40 + "..." + "b" * 50
    assert shown(ProgramRun("ok", "", "", 0.0), 100, "traceback") == "nothing was printed"
