"""The questions that the policy is asked, and their order: a pure function of step and seed."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from commons.errors import DataError
from commons.prompts import prompt
from commons.seeds import rng
from commons.shards import read_jsonl

FORM = "cot"  # section 4.2: RL asks chain-of-thought questions alone, the other forms are left out on purpose


@dataclass(frozen=True, slots=True)
class Question:
    """One question as the policy reads it, and the gold answer that the grader knows."""

    id: str
    prompt_tokens: tuple[int, ...]
    gold: str


@dataclass(frozen=True, slots=True)
class Draw:
    """A question asked once. The group id counts all draws of a run, so two draws of one question are two groups."""

    group: int
    question: Question


def read_questions(
    path: Path, encode: Callable[[str], list[int]], *, max_prompt_tokens: int
) -> tuple[list[Question], Counter[str]]:
    """The chain-of-thought questions of a file in its order, and how many were read and left out, by reason."""
    questions, counts = [], Counter[str]()
    for row in read_jsonl(path):
        counts["questions read"] += 1
        if row["form"] != FORM:
            counts["questions of another form"] += 1
            continue
        tokens = tuple(encode(prompt(row["question"], FORM, row["language"])))
        if len(tokens) > max_prompt_tokens:
            counts["questions too long"] += 1
            continue
        questions.append(Question(row["id"], tokens, row["answer"]))
    if not questions:
        raise DataError(f"{path} holds no question to ask ({dict(counts)}): RL needs rows with form {FORM!r}")
    return questions, counts


def draws_of_step(questions: Sequence[Question], step: int, *, per_step: int, seed: int) -> list[Draw]:
    """The draws of one step. Epochs follow each other without a gap, each shuffled anew, and nothing is left out."""
    positions = range(step * per_step, (step + 1) * per_step)
    return [Draw(position, questions[_index(position, len(questions), seed)]) for position in positions]


def _index(position: int, count: int, seed: int) -> int:
    epoch, place = divmod(position, count)
    return _order(epoch, count, seed)[place]


@lru_cache(maxsize=2)
def _order(epoch: int, count: int, seed: int) -> tuple[int, ...]:
    order = list(range(count))
    rng(seed, "question order", epoch).shuffle(order)
    return tuple(order)
