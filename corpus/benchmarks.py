"""The protected texts of a folder of benchmark files: which fields of a row may not be learnt from."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from commons.errors import DataError
from commons.ngrams import tokens
from commons.quotations import SHORTEST_TEXT
from commons.tables import ENDINGS, read_rows

Answers: TypeAlias = Literal["none", "long", "all"]

# Fields in which the benchmark files seen so far keep what may not be learnt, in the order they are looked for.
QUESTION_FIELDS = (
    "question",
    "problem",
    "Question",
    "Problem",
    "informal_statement",
    "formal_statement",
    "input",
    "prompt",
    "query",
    "instruction",
    "text",
)
ANSWER_FIELDS = ("solution", "Solution", "answer", "informal_proof", "rationale", "output", "completion", "options")
CONTEXT_FIELDS = ("passage", "Passage", "Body", "body", "context")
NO_BENCHMARK = ("readme", "license", "licence", "notice", "citation", "manifest.json")
NAMED_LINES, PLACES_KEPT = 5, 100


@dataclass(frozen=True, slots=True)
class Item:
    """One protected text: `benchmark` is file:row (rows from 0), `field` where it stood."""

    benchmark: str
    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Source:
    """What one benchmark file gave: rows read, rows left out by reason, texts by their length in tokens."""

    file: str
    rows: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    texts: Mapping[str, int] = field(default_factory=dict)
    places: Sequence[str] = ()

    def note(self) -> str:
        """One line about the rows that were left out, or nothing."""
        if not self.left_out:
            return ""
        counts = ", ".join(f"{reason} {count:,}" for reason, count in sorted(self.left_out.items()))
        named = ", ".join(self.places[:NAMED_LINES]) + (", .." if len(self.places) > NAMED_LINES else "")
        return f"{self.file}: rows left out: {counts} ({named})"


def read_benchmarks(folder: Path, *, answers: Answers, gram_tokens: int) -> tuple[list[Item], list[Source]]:
    """The texts of every benchmark file below `folder`, all questions before all answers, and what each file gave.

    Files and rows come in order. A row that cannot be read or has no question is counted and left out. Raises
    DataError when a file has no question that can be used, or there is no file.
    """
    questions: list[Item] = []
    rest: list[Item] = []
    sources: list[Source] = []
    for path in sorted(path for path in folder.rglob("*") if _is_benchmark(path)):
        name = path.relative_to(folder).as_posix()
        items, source = _read_file(path, name, answers, gram_tokens)
        asked = [item for item in items if is_question(item)]
        if not asked:
            why = ", ".join(f"{reason} {count:,}" for reason, count in sorted(source.left_out.items())) or "it is empty"
            fields = ", ".join((*QUESTION_FIELDS, "messages"))
            raise DataError(f"{path}: no row has a question ({why}); looked for the fields {fields}")
        questions += asked
        rest += [item for item in items if not is_question(item)]
        sources.append(source)
    if not questions:
        raise DataError(f"{folder}: no question to protect; a benchmarks folder holds files {', '.join(ENDINGS)}")
    return questions + rest, sources


def is_question(item: Item) -> bool:
    """Whether a protected text is a question and not an answer."""
    return item.field in QUESTION_FIELDS or item.field == "messages"


def items_of(name: str, number: int, row: Mapping[str, Any], *, answers: Answers, gram_tokens: int) -> Iterator[Item]:
    """The protected texts of one benchmark row: its question (with the body or passage before it), its answers.

    `answers` = long leaves out those shorter than a gram: `x = 3 or 4` stands on many pages that never saw the
    benchmark.
    """
    benchmark = f"{stem(name)}:{number}"
    context = " ".join(str(row[key]) for key in CONTEXT_FIELDS if row.get(key))
    for key in QUESTION_FIELDS:
        if isinstance(row.get(key), str) and row[key].strip():
            yield Item(benchmark, key, f"{context} {row[key]}".strip())
    said = [message for message in row.get("messages") or () if isinstance(message, Mapping) and message.get("content")]
    for message in said:
        if message.get("role") == "user":
            yield Item(benchmark, "messages", str(message["content"]))
    if answers == "none":
        return
    shortest = gram_tokens if answers == "long" else SHORTEST_TEXT
    texts = [("reply", str(message["content"])) for message in said if message.get("role") == "assistant"]
    texts += [(key, text) for key in ANSWER_FIELDS for text in _strings(row.get(key))]
    yield from (Item(benchmark, key, text) for key, text in texts if _length(text) >= shortest)


def length_class(words: int, gram_tokens: int) -> str:
    """Under which rule of section 2.1 a text of so many tokens falls."""
    if words < SHORTEST_TEXT:
        return f"below {SHORTEST_TEXT}"
    return f"{SHORTEST_TEXT} to {gram_tokens - 1}" if words < gram_tokens else f"{gram_tokens} and more"


def stem(name: str) -> str:
    """The name of a benchmark: that of its file without the ending."""
    ending = next((ending for ending in ENDINGS if name.lower().endswith(ending)), "")
    return name[: len(name) - len(ending)]


def _read_file(path: Path, name: str, answers: Answers, gram_tokens: int) -> tuple[list[Item], Source]:
    items: list[Item] = []
    left_out: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    places: list[str] = []
    rows = 0
    for row in read_rows(path):
        rows += 1
        found = list(items_of(name, row.number, row.fields, answers=answers, gram_tokens=gram_tokens))
        reason = row.reason or ("" if any(is_question(item) for item in found) else "no question")
        if reason:
            left_out[reason] += 1
            if len(places) < PLACES_KEPT:
                places.append(row.place)
        classes.update(length_class(_length(item.text), gram_tokens) for item in found)
        items += found
    return items, Source(name, rows, dict(sorted(left_out.items())), dict(sorted(classes.items())), places)


@lru_cache(maxsize=64)  # the texts of a row are asked twice
def _length(text: str) -> int:
    return len(tokens(text))


def _is_benchmark(path: Path) -> bool:
    name = path.name.lower()
    return path.is_file() and name.endswith(ENDINGS) and not name.startswith((".", *NO_BENCHMARK))


def _strings(value: Any) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return [one for one in values if isinstance(one, str) and one.strip()]
