"""Worked examples from other people's files in one schema (section 3.1): question, solution, form, language, source.

The form of a file is told by its fields: GSM8K, MATH, MathInstruct, Lila, chat transcripts with programs and their
output, or rows of a `questions` artifact. Solutions are rewritten to the shapes that evaluation and RL ask for: the
final answer in a box, programs fenced. The suffix of the prompt is added when they are learned (commons/prompts.py).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commons.answers.boxes import last_boxed
from commons.prompts import FORMS, LANGUAGES, fences
from commons.tables import ENDINGS, read_rows
from sft.problems import conclusion, opening, program_of_thought

CALCULATOR = re.compile(r"<<[^<>\n]*>>")  # GSM8K's annotations of its calculator
CHINESE = re.compile("[\u4e00-\u9fff]")
# "The answer is 3." or "答案是3。" as the last sentence of a chain of thought
STATED = re.compile(r"(?:the (?:final )?answer is|答案(?:是|为))[:：]?\s*(?P<answer>[^\n]+?)[.。]?\s*$", re.IGNORECASE)
# what MathInstruct adds to a question to ask for a program
ASKS_FOR_PROGRAM = re.compile(
    r"\s*(?:please |let's |let us )?(?:write|program)[^.\n]{0,60}(?:python|program)[^.\n]*\.?\s*$", re.I
)
GOLD_FIELDS = ("gt", "gold", "answer", "expected_answer", "final_answer", "Answer")
IN_A_QUESTIONS_ARTIFACT = "train.jsonl.zst"


@dataclass(frozen=True, slots=True)
class Worked:
    """One question with one worked solution. `answer` is the gold answer, None where the file states none."""

    question: str
    solution: str
    form: str
    language: str
    source: str
    answer: str | None
    level: str = ""
    family: str = ""


def read_worked(path: Path) -> Iterator[Worked | str]:
    """The examples of a file, of a folder's files, or of a questions artifact in order; a reason for each bad row."""
    for part in files_of(path):
        name = part.name.partition(".")[0]
        for row in read_rows(part):
            yield row.reason or worked_of(row.fields, name)


def files_of(path: Path) -> Sequence[Path]:
    """The files that examples are read from; of a questions artifact only what it teaches."""
    if path.is_file():
        return [path]
    if (path / IN_A_QUESTIONS_ARTIFACT).is_file():
        return [path / IN_A_QUESTIONS_ARTIFACT]
    return sorted(part for part in path.rglob("*") if part.is_file() and part.name.lower().endswith(ENDINGS))


def worked_of(fields: Mapping[str, Any], source: str) -> Worked | str:
    """Section 3.1: the example of one row, or the reason why it holds none."""
    readers: Sequence[tuple[tuple[str, ...], Callable[[Mapping[str, Any], str], Worked | str]]] = (
        (("question", "solution", "form", "language"), _ours),
        (("messages",), _chat),
        (("instruction", "output"), _instruct),
        (("problem", "solution"), _math),
        (("question", "answer"), _gsm8k),
        (("Input", "Output Program"), _lila),
        (("input", "output_program"), _lila),
    )
    for names, read in readers:
        if all(fields.get(name) for name in names):
            return read(fields, source)
    return "no known fields"


def _ours(fields: Mapping[str, Any], source: str) -> Worked | str:
    values = [fields[name] for name in ("question", "solution", "form", "language")]
    if not all(isinstance(value, str) for value in values) or values[2] not in FORMS or values[3] not in LANGUAGES:
        return "unknown form or language"
    question, solution, form, language = values
    return Worked(
        question,
        solution,
        form,
        language,
        str(fields.get("source") or source),
        _text(fields.get("answer")),
        str(fields.get("level") or ""),
        str(fields.get("family") or ""),
    )


def _gsm8k(fields: Mapping[str, Any], source: str) -> Worked | str:
    question, answer = str(fields["question"]), str(fields["answer"])
    steps, mark, gold = answer.rpartition("####")
    if not mark or not steps.strip():
        return "no solution"
    language = language_of(question)
    solution = f"{CALCULATOR.sub('', steps).strip()}\n{conclusion(gold.strip(), language)}"
    return Worked(question, solution, "cot", language, source, gold.strip())


def _math(fields: Mapping[str, Any], source: str) -> Worked | str:
    question, solution = str(fields["problem"]), str(fields["solution"])
    gold = _text(fields.get("answer")) or last_boxed(solution)
    return Worked(question, solution, "cot", language_of(question), source, gold, str(fields.get("level") or ""))


def _instruct(fields: Mapping[str, Any], source: str) -> Worked | str:
    name = str(fields.get("source") or source)
    question, output = str(fields["instruction"]), str(fields["output"])
    language = language_of(question)
    if is_program(output):
        return Worked(
            ASKS_FOR_PROGRAM.sub("", question), program_of_thought(output, language), "pot", language, name, None
        )
    return Worked(question, boxed(output, language), form_of(output), language, name, None)


def _lila(fields: Mapping[str, Any], source: str) -> Worked | str:
    question = str(fields.get("Input") or fields.get("input"))
    program = _first(fields.get("Output Program") or fields.get("output_program"))
    gold = _first(fields.get("Output Answer") or fields.get("output_answer"))
    if not program or program.strip().lower() in ("null", "none"):
        return "no solution"
    language, name = language_of(question), str(fields.get("dataset") or source)
    return Worked(question, program_of_thought(program, language), "pot", language, name, gold)


def _chat(fields: Mapping[str, Any], source: str) -> Worked | str:
    said = [one for one in fields["messages"] if isinstance(one, Mapping) and one.get("content")]
    turns = [one for one in said if one.get("role") != "system"]
    if [one.get("role") for one in turns] != ["user", "assistant"]:
        return "no single question with its answer"
    question, solution = (str(one["content"]).strip() for one in turns)
    language, form = language_of(question), form_of(solution)
    if form != "cot" and solution.startswith("```"):
        solution = f"{opening(language)}\n{solution}"
    gold = next((found for name in GOLD_FIELDS if (found := _text(fields.get(name)))), None)
    name, level = str(fields.get("dataset") or fields.get("source") or source), str(fields.get("level") or "")
    if form == "cot":
        solution = boxed(solution, language)
    return Worked(question, solution, form, language, name, gold, level)


def language_of(question: str) -> str:
    """`zh` for a question with Chinese characters, else `en`."""
    return "zh" if CHINESE.search(question) else "en"


def form_of(solution: str) -> str:
    """`tool` when a program is followed by what it printed, `pot` for a program alone, else `cot`."""
    kinds = [fence.language for fence in fences(solution)]
    if "output" in kinds:
        return "tool"
    return "pot" if "python" in kinds or "py" in kinds else "cot"


def is_program(text: str) -> bool:
    """Whether a text is Python that prints and nothing else."""
    if "print(" not in text:
        return False
    try:
        compile(text, "<solution>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def boxed(solution: str, language: str) -> str:
    """A chain of thought with its stated final answer in a box; unchanged where it has one or states none."""
    text = solution.strip()
    stated = STATED.search(text)
    if "\\boxed" in text or stated is None:
        return text
    return f"{text[: stated.start()].rstrip()}\n{conclusion(stated['answer'].strip(' $'), language)}".strip()


def _first(value: Any) -> str | None:
    return _text(value[0] if isinstance(value, list | tuple) and value else value)


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
