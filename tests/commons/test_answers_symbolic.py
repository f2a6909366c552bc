"""The SymPy worker: decides, is killed when it does not, and leaves no process."""

import pytest

from commons.answers.comparing import Rules
from commons.answers.expressions import expression
from commons.answers.symbolic import Symbolic, SymbolicFailed, SymbolicTimeout
from commons.answers.trees import Tree
from commons.equivalence import grade
from commons.verdicts import Verdict


def test_sympy_decides_and_is_killed_when_it_hangs():
    with Symbolic(seconds=60) as worker:
        assert worker.equal(expression(r"\sin^2 x + \cos^2 x"), expression("1"))
        assert not worker.equal(expression("x"), expression("y"))
        process = worker.process
        assert process is not None
        worker.seconds = 0.5
        graded = grade(r"\boxed{5^{5^{5^{5^5}}}+1}", "5^{5^{5^{5^5}}}", rules=Rules(symbolic=worker))
        assert graded.verdict is Verdict.TIMED_OUT
        assert not process.is_alive()
        worker.seconds = 60
        assert worker.equal(expression("2x"), expression("x+x"))
        last = worker.process
    assert last is not None
    assert not last.is_alive()


def test_an_error_inside_sympy_is_a_failure_and_not_an_answer():
    unknown = Tree("constant", name="no constant of sympy")
    with Symbolic(seconds=60) as worker:
        with pytest.raises(SymbolicFailed, match="SymPy failed: KeyError"):
            worker.equal(unknown, expression("1"))
        assert worker.equal(expression("2x"), expression("x+x"))


def test_without_a_worker_what_points_cannot_decide_is_not_the_same():
    assert grade(r"\boxed{5^{5^{5^{5^5}}}+1}", "5^{5^{5^{5^5}}}").verdict is Verdict.WRONG


def test_a_timeout_of_sympy_is_a_verdict_of_its_own():
    class Late(Symbolic):
        def equal(self, one, other):
            raise SymbolicTimeout("too late")

    graded = grade(r"\boxed{5^{5^{5^{5^5}}}+1}", "5^{5^{5^{5^5}}}", rules=Rules(symbolic=Late()))
    assert graded.verdict is Verdict.TIMED_OUT
    assert graded.reason == "too late"
