"""One generated problem, and its worked solution in each of the three forms of section 3.1."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from commons import prompts


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large the numbers of a problem may be: what makes it hard for a small model."""

    terms: int
    factors: int


@dataclass(frozen=True, slots=True)
class Problem:
    """A question in both languages with one gold answer, the equations that lead to it, and a program."""

    english: str
    chinese: str
    steps: tuple[str, ...]
    program: str
    answer: int

    def question(self, language: str) -> str:
        """The text of the question in `en` or `zh`."""
        return self.chinese if language == "zh" else self.english


Family = Callable[[Random, Sizes], Problem]


def solution(problem: Problem, form: str, language: str, *, brief: bool = False) -> str:
    """The worked solution: chain of thought, program of thought or tool-integrated (section 3.1).

    A chain of thought goes step by step; a brief one is the answer alone, which a small model gets wrong more often.
    Short on purpose: each token is paid for 64 times a question during reinforcement learning."""
    if form == "pot":
        return program_of_thought(problem.program, language)
    boxed = conclusion(str(problem.answer), language)
    if form == "tool":
        ran = prompts.output_block(str(problem.answer))
        return f"{program_of_thought(problem.program, language)}\n{ran}{boxed}"
    return boxed if brief else f"{', '.join(problem.steps)}. {boxed}"


def program_of_thought(program: str, language: str) -> str:
    """A program as a solution (section 3.1): an opening line and one fenced block."""
    return f"{opening(language)}\n```python\n{program.rstrip()}\n```"


def opening(language: str) -> str:
    """The line before a program that stands first."""
    # a fence must start its own line, and the first line of a solution is the one that `Assistant:` stands on
    return "程序：" if language == "zh" else "Program:"


def conclusion(answer: str, language: str) -> str:
    """The sentence with the boxed answer that ends a solution."""
    return f"答案是\\boxed{{{answer}}}。" if language == "zh" else f"So \\boxed{{{answer}}}."
