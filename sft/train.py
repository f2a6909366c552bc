"""Section 3: worked solutions as tokens to learn, randomly concatenated to rows of one length."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from commons.errors import DataError
from commons.prompts import FORMS, LANGUAGES, fences, prompt
from lm.packing import Example, Rows, concatenate, shuffled

Encode = Callable[[str], list[int]]


@dataclass(frozen=True, slots=True)
class Solution:
    """One question with its worked solution."""

    question: str
    solution: str
    form: str
    language: str


def solution_of(row: Mapping[str, Any]) -> Solution:
    """The record of one line of a `questions` artifact.

    Raises DataError when a field is missing or not one of the known forms and languages.
    """
    found = [row.get(name) for name in ("question", "solution", "form", "language")]
    if not all(isinstance(value, str) for value in found) or found[2] not in FORMS or found[3] not in LANGUAGES:
        raise DataError(
            f"question {row.get('id')!r} cannot be learned from: it needs `question`, `solution`, a `form` of "
            f"{', '.join(FORMS)} and a `language` of {', '.join(LANGUAGES)}"
        )
    return Solution(*found)  # type: ignore[arg-type]  # all four were just found to be strings


def pieces_of(solution: str) -> list[tuple[str, bool]]:
    """A solution cut into what the model writes (True) and what its programs print (False), as in a tool run.

    There the runner appends the output block, tokenised by itself; so it is here, for the tokens to be the same.
    """
    pieces, position = [], 0
    for fence in fences(solution):
        if fence.language == "output":
            end = fence.end + solution[fence.end :].startswith("\n")
            pieces += [(solution[position : fence.start], True), (solution[fence.start : end], False)]
            position = end
    return [(text, written) for text, written in [*pieces, (solution[position:], True)] if text]


def example_of(solution: Solution, encode: Encode, end_id: int, *, learn_all: bool = False) -> Example:
    """Question and solution as tokens, with the solution's own words and the end token to be learned.

    The paper does not say whether the loss is also taken on questions; `learn_all` takes it on every token.
    """
    question = encode(prompt(solution.question, solution.form, solution.language))
    tokens, learned = list(question), [learn_all] * len(question)
    for text, written in pieces_of(" " + solution.solution.strip()):
        ids = encode(text)
        tokens += ids
        learned += [learn_all or written] * len(ids)
    return Example((*tokens, end_id), (*learned, True))


class RandomConcatenation:
    """Section 3: examples in random order, new in each epoch, concatenated to rows; a pure function of the step."""

    def __init__(
        self, examples: Sequence[Example], *, rows_per_step: int, row_tokens: int, seed: int, attend_across: bool
    ) -> None:
        """`examples` must each fit in a row (ValueError), since a cut one would teach not to end."""
        if not examples or max(len(example.tokens) for example in examples) > row_tokens:
            raise ValueError(f"examples of at most {row_tokens} tokens are needed, at least one of them")
        self._examples, self._seed, self._attend_across = examples, seed, attend_across
        self._rows_per_step, self._row_tokens = rows_per_step, row_tokens
        self._starts = [0]  # place of the first example of each step in the endless order of epochs
        self._orders: dict[int, list[int]] = {}

    def rows_of_step(self, step: int) -> Rows:
        """The rows of a step (steps count from 0)."""
        start, end = self._start(step), self._start(step + 1)
        return concatenate(map(self._example, range(start, end)), self._row_tokens, attend_across=self._attend_across)

    def epochs(self, steps: int) -> float:
        """How often each example was seen after `steps` steps."""
        return self._start(steps) / len(self._examples)

    def padding_share(self, steps: int) -> float:
        """The share of the tokens of all rows of `steps` steps that pad a row, since no example fitted any more."""
        room = steps * self._rows_per_step * self._row_tokens
        filled = sum(len(self._example(place).tokens) for place in range(self._start(steps)))
        return 1 - filled / room if room else 0.0

    def _start(self, step: int) -> int:
        while len(self._starts) <= step:
            place = self._starts[-1]
            for _ in range(self._rows_per_step):
                room = self._row_tokens
                while (length := len(self._example(place).tokens)) <= room:
                    room -= length
                    place += 1
            self._starts.append(place)
        return self._starts[step]

    def _example(self, place: int) -> Example:
        epoch, index = divmod(place, len(self._examples))
        if epoch not in self._orders:
            self._orders = {kept: order for kept, order in self._orders.items() if kept == epoch - 1}
            self._orders[epoch] = shuffled(len(self._examples), seed=self._seed, epoch=epoch)
        return self._examples[self._orders[epoch][index]]


def counts_by_language_and_form(solutions: Iterable[Solution], examples: Iterable[Example]) -> dict[str, Any]:
    """Solutions and learned tokens of each language (Chinese has its own row) and, within it, of each form."""
    found: dict[str, dict[str, Counter[str]]] = {}
    for solution, example in zip(solutions, examples, strict=True):
        rows = found.setdefault(solution.language, {})
        for name in (solution.form, "all"):
            counter = rows.setdefault(name, Counter())
            counter["solutions"] += 1
            counter["learned_tokens"] += sum(example.learned)
    return {language: {name: dict(counter) for name, counter in rows.items()} for language, rows in found.items()}
