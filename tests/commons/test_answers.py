"""Which text of an output is its answer; the cases are known failures of other graders."""

import time

import pytest

from commons.answers.extraction import extract_answer
from commons.prompts import output_block


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        (r"\boxed{2}. wait, \boxed{3}", "3"),  # the retracted first one does not count
        (r"so \[ \boxed{\frac{1}{2}} \]", r"\frac{1}{2}"),
        (r"put it in \boxed and \boxed{42} then \boxed", "42"),
        (r"\boxed{\boxed{7}}", "7"),
        (r"\boxed{\{1,2\}}", r"\{1,2\}"),
        (r"\boxed{5} and then \boxed{6", "5"),  # cut off by length: the last complete one
        (r"\boxed{}", None),
        ("The answer is 18", "18"),
        ("The answer is 18.", "18"),
        ("The answer is $1,234.50. I hope it is correct.", "$1,234.50"),
        ("Answer: let me think...\n**Answer:** 42", "42"),
        ("答案是肯定的。\n所以答案是：十二元。", "十二元"),
        ("答：12", "12"),
        ("5 + 6 = 11\n#### 11", "11"),
        ("#### 5\n\nQuestion: next?\n#### 6", "5"),
        ("The total is 12.", None),
        ("", None),
        ("```python\n# the answer is 5\nprint(6)\n```", None),
        (f"```python\nprint(6)\n```\n{output_block('steps: 5' + chr(10) + '6')}", "6"),
        (f"{output_block('6')}So the answer is 7.", "7"),
        (output_block(r"\boxed{8}"), "8"),
        (output_block(""), None),
    ],
)
def test_the_answer_of_an_output(output, answer):
    assert extract_answer(output) == answer


@pytest.mark.parametrize(
    "hostile", ["\\boxed{" * 3000, "{" * 50_000 + "\\boxed", "\n" * 50_000, "answer is " * 5_000, "`" * 50_000]
)
def test_hostile_text_takes_no_time(hostile):
    started = time.process_time()
    extract_answer(hostile)
    assert time.process_time() - started < 2
