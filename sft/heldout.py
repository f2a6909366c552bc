"""Greedy accuracy on a small fixed set of held-out questions, to see when fine-tuning stops paying."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from commons.equivalence import grade
from commons.prompts import prompt
from commons.seeds import rng
from commons.verdicts import Verdict
from lm.checkpoints import end_token_ids
from lm.engine import Engine
from lm.sampling import sample


@dataclass(frozen=True, slots=True)
class Question:
    """A held-out question in the chat form, and its gold answer."""

    tokens: tuple[int, ...]
    answer: str


def held_out_questions(
    rows: Sequence[Mapping[str, Any]], tokenizer: PreTrainedTokenizerFast, number: int
) -> list[Question]:
    """`number` of the rows, the same ones whatever the seed of the run, so that curves can be compared."""
    chosen = rng(0, "held-out questions").sample(list(rows), min(number, len(rows)))
    return [
        Question(
            tuple(tokenizer.encode(prompt(row["question"], row["form"], row["language"]), add_special_tokens=False)),
            row["answer"],
        )
        for row in chosen
    ]


def held_out_outcomes(
    engine: Engine,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    questions: Sequence[Question],
    max_new_tokens: int,
) -> dict[str, int]:
    """How many greedy outputs are correct, hold no answer, and were cut off; the ranks share the questions."""
    own = questions[engine.rank :: engine.world_size]
    outputs = sample(
        model,
        [question.tokens for question in own],
        outputs_per_prompt=1,
        max_new_tokens=max_new_tokens,
        temperature=0,
        seed=0,
        end_ids=end_token_ids(model, tokenizer),
    )
    counts: Counter[str] = Counter()
    for question, [output] in zip(own, outputs, strict=True):
        text: str = tokenizer.backend_tokenizer.decode(list(output.tokens), skip_special_tokens=True)
        verdict = grade(text, question.answer).verdict
        counts["correct"] += verdict is Verdict.CORRECT
        counts["unanswered"] += verdict is Verdict.NO_ANSWER
        counts["cut_off"] += not output.finished
    names = ("correct", "unanswered", "cut_off")
    totals = engine.sum(torch.tensor([counts[name] for name in names], device=engine.device))
    return dict(zip(names, totals.tolist(), strict=True)) | {"questions": len(questions)}
