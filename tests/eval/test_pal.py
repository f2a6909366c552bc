"""Program form behind solved examples: one program that prints its answer."""

import pytest

from eval.pal import pal_program

SOLUTION = "def solution():\n    return 6 * 7"
TWO_BLOCKS = "```\nanswer = sqrt(4)\n```\nThe imports required for this program are\n```\nfrom sympy import sqrt\n```"


@pytest.mark.parametrize(
    ("text", "program"),
    [
        (f"\n\n\n{SOLUTION}", f"{SOLUTION}\nprint(solution())\n"),
        (f"```python\n{SOLUTION}\n```", f"{SOLUTION}\n\nprint(solution())\n"),
        (TWO_BLOCKS, "from sympy import sqrt\n\nanswer = sqrt(4)\n\nprint(answer)\n"),
        ("```python\nprint(3)\n```", "print(3)\n\n"),
        ("It is 42.", None),
    ],
)
def test_the_program_prints_what_its_examples_teach_it_to_leave(text, program):
    assert pal_program(text) == program
