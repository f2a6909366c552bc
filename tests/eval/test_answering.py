"""What the tool loop runs and shows, by hand."""

from commons.sandbox import ProgramRun
from eval.answering import replayed, shown


def test_earlier_programs_are_run_again_without_their_printing():
    assert replayed(["x = 3\nprint(x)\n", "print(x * 2)\n"]) == "x = 3\nprint(x * 2)\n"


def test_the_model_reads_the_output_cut_in_its_middle():
    assert shown(ProgramRun("ok", " 42\n", "", 0.0)) == "42"
    assert shown(ProgramRun("ok", "a" * 80 + "b" * 80, "", 0.0)) == "a" * 50 + "..." + "b" * 50


def test_the_model_reads_the_last_line_of_an_error():
    run = ProgramRun("error", "", "Traceback\nZeroDivisionError: division by zero", 0.0)
    assert shown(run) == "error: ZeroDivisionError: division by zero"
    assert shown(ProgramRun("timed out", "", "", 0.0)) == "timed out: nothing was printed"
    assert shown(ProgramRun("ok", "", "", 0.0)) == "nothing was printed"
