"""Section 2.1: pages that quote a benchmark. The rule is commons/ngrams.py, here is the report.

A whole page goes, where the paper removes the segment (docs/deviations.md): a page that holds one question of a
benchmark often holds its answer a segment further down.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from commons.ngrams import BenchmarkGrams, Quotation, benchmark_grams, quotations, tokens

# Fields in which the benchmark files seen so far keep what may not be learnt, in the order they are looked for.
QUESTION_FIELDS = (
    "question",
    "problem",
    "Question",
    "Problem",
    "informal_statement",
    "input",
    "prompt",
    "query",
    "text",
)
ANSWER_FIELDS = ("solution", "Solution", "answer", "informal_proof", "rationale", "output", "completion")


@dataclass(frozen=True, slots=True)
class Item:
    """One protected text: `benchmark` is file:row (rows from 0), `field` where it stood."""

    benchmark: str
    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Quoted:
    """What one page quotes of one benchmark row: the first gram that was found, and how many."""

    benchmark: str
    field: str
    gram: str
    grams: int


def items_of(name: str, number: int, row: Mapping[str, Any], *, answers: bool, gram_tokens: int) -> Iterator[Item]:
    """The protected texts of one benchmark row: its question (with the body or passage before it), its answers.

    Answers shorter than a gram are left out: `x = 3 or 4` stands on many pages that never saw the benchmark."""
    benchmark = f"{name.removesuffix('.jsonl')}:{number}"
    context = " ".join(str(row[key]) for key in ("passage", "Passage", "Body", "body", "context") if row.get(key))
    for key in QUESTION_FIELDS:
        if isinstance(row.get(key), str) and row[key].strip():
            yield Item(benchmark, key, f"{context} {row[key]}".strip())
    for message in row.get("messages") or ():
        if isinstance(message, Mapping) and message.get("role") == "user" and message.get("content"):
            yield Item(benchmark, "messages", str(message["content"]))
    for key in ANSWER_FIELDS if answers else ():
        if isinstance(row.get(key), str) and len(tokens(row[key])) >= gram_tokens:
            yield Item(benchmark, key, row[key])


def grams_of(items: Sequence[Item], *, gram_tokens: int) -> BenchmarkGrams:
    """The grams of all items, questions first: a gram that both have is reported as the question's."""
    return benchmark_grams([item.text for item in items], gram_tokens)


def quoted_items(text: str, items: Sequence[Item], grams: BenchmarkGrams) -> list[Quoted]:
    """Section 2.1: every benchmark row that a page quotes, in the order of the items; empty when it is clean."""
    found: dict[tuple[str, str], list[Quotation]] = {}
    for quotation in quotations(text, grams):
        item = items[quotation.item]
        found.setdefault((item.benchmark, item.field), []).append(quotation)
    return [Quoted(*place, hits[0].gram, len(hits)) for place, hits in sorted(found.items())]


def quoted_to_json(quoted: Sequence[Quoted]) -> str:
    """How the finding travels through a data frame; empty for a clean page."""
    return json.dumps([[one.benchmark, one.field, one.gram, one.grams] for one in quoted]) if quoted else ""


def quoted_from_json(text: str) -> list[Quoted]:
    """The inverse of `quoted_to_json`."""
    return [Quoted(*row) for row in json.loads(text)] if text else []
