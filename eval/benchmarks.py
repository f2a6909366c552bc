"""Benchmarks from plain files: one function a benchmark makes a typed item of a row (tables 2, 3 and 5).

A file is named after its benchmark, NAME.test.jsonl, and keeps the field names under which its benchmark was
published; where a hub copy spells a field in another way, that spelling is read too."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from commons.answers.boxes import last_boxed
from commons.errors import ArtifactError, ConfigError, DataError
from commons.seeds import rng
from commons.shards import read_jsonl
from eval.items import IN_DISTRIBUTION, OUT_OF_DISTRIBUTION, Item

Row = dict[str, Any]
Fields = dict[str, Any]

TAUGHT = {("gsm8k", "cot"), ("math", "cot")}  # in distribution in table 5; all else is not
CHINESE = ("cmath", "mgsm_zh", "gaokao_mathcloze", "gaokao_mathqa")
LETTERS = "ABCDEFGHIJ"
LETTERED = re.compile(r"(?:^|(?<=\s))\(?([A-J])[).]")


def read_benchmark(name: str, rows: Iterable[Row], *, form: str, few_shot: bool) -> list[Item]:
    """The items of the rows of benchmark `name`, in their order, asked in `form`.

    Raises DataError for a row that lacks a field: a benchmark with a hole in it is another benchmark."""
    read = reader_of(name)
    found = []
    for number, row in enumerate(rows):
        try:
            fields = read(row)
        except (KeyError, IndexError, TypeError) as error:
            raise DataError(f"row {number} of {name} cannot be read ({type(error).__name__}: {error})") from None
        found.append(
            Item(
                id=f"{name}/{form}/{number:05d}",
                split=IN_DISTRIBUTION if (name, form) in TAUGHT else OUT_OF_DISTRIBUTION,
                benchmark=name,
                form=form,
                language="zh" if name in CHINESE else "en",
                few_shot=few_shot,
                **fields,
            )
        )
    if not found:
        raise DataError(f"{name} has no questions")
    return found


def reader_of(name: str) -> Callable[[Row], Fields]:
    """The function that reads a row of a benchmark. Raises ConfigError for a name that is none."""
    if name not in READERS:
        raise ConfigError(f"no benchmark is called {name!r}; accepted: {', '.join(READERS)}")
    return READERS[name]


def benchmark_file(folder: Path, name: str) -> Path:
    """The file of a benchmark in a folder of plain files. Raises ArtifactError where there is none."""
    stem = f"{name}.test" if name != "minif2f_valid" else "minif2f.valid"
    names = [f"{stem}.jsonl", f"{stem}.jsonl.zst", f"{name}.jsonl", f"{name}.jsonl.zst"]
    for one in names:
        if (folder / one).is_file():
            return folder / one
    raise ArtifactError(f"{folder} holds no questions of {name}: one of {', '.join(names)} is needed")


def file_rows(folder: Path, name: str) -> Iterator[Row]:
    """The rows of a benchmark in a folder of plain files."""
    return read_jsonl(benchmark_file(folder, name))


def some(items: Sequence[Item], count: int, seed: int) -> list[Item]:
    """`count` items (0: all), chosen by seed and id and in their order: a smaller number is a part of a larger."""
    if not count or count >= len(items):
        return list(items)
    by_draw = sorted(items, key=lambda item: rng(seed, "question", item.id).random())
    kept = {item.id for item in by_draw[:count]}
    return [item for item in items if item.id in kept]


def _gsm8k(row: Row) -> Fields:
    return {"question": row["question"], "gold": row["answer"].rpartition("####")[2].strip()}


def _math(row: Row) -> Fields:
    gold = row["answer"] if "answer" in row else last_boxed(row["solution"])
    subject = row.get("type") or row.get("subject")
    level = row["level"]
    return {
        "question": row["problem"],
        "gold": gold or "",
        "level": level if isinstance(level, str) else f"Level {level}",
        "subject": subject,
    }


def _ocw(row: Row) -> Fields:
    return {"question": row["problem"], "gold": row["answer"]}


def _sat(row: Row) -> Fields:
    options = row["options"]
    return {
        "question": row["question"],
        "gold": row.get("Answer") or row["answer"],
        "options": split_options(options) if isinstance(options, str) else lettered(options),
    }


def _mmlu(row: Row) -> Fields:
    answer = row["answer"]
    return {
        "question": row["question"],
        "gold": answer if isinstance(answer, str) else LETTERS[answer],
        "options": lettered(row.get("options") or row["choices"]),
        "subject": row.get("topic") or row.get("subject"),
    }


def _cmath(row: Row) -> Fields:
    return {"question": row["question"], "gold": str(row["golden"]), "level": f"grade {row['grade']}"}


def _mgsm(row: Row) -> Fields:
    if "messages" in row:
        return {"question": row["messages"][0]["content"], "gold": str(row["answer"])}
    return {"question": row["question"], "gold": str(row["answer_number"])}


def _cloze(row: Row) -> Fields:
    return {"question": row["question"], "gold": row["answer"], "subject": _source(row)}


def _mathqa(row: Row) -> Fields:
    return {
        "question": row["question"],
        "gold": row["label"],
        "options": lettered(row["options"]),
        "subject": _source(row),
    }


def _minif2f(row: Row) -> Fields:
    informal = (
        f"(*### Problem\n\n{row['informal_statement'].strip()}\n\n### Solution\n\n{row['informal_proof'].strip()}*)"
    )
    return {
        "question": informal,
        "gold": "",
        "formal": row["formal_statement"].strip(),
        "header": row["header"],
        "subject": row["problem_name"],
    }


def _svamp(row: Row) -> Fields:
    body = row["Body"].strip()
    joined = f"{body}{'' if body.endswith(('.', '?', '!', ',')) else '.'} {row['Question'].strip()}"
    return {"question": joined, "gold": _plain(row["Answer"]), "subject": row["Type"]}


def _mawps(row: Row) -> Fields:
    return {"question": row["input"], "gold": _plain(row["target"]), "subject": row["type"]}


def _contest(row: Row) -> Fields:
    return {"question": row.get("problem") or row["question"], "gold": _plain(row["answer"])}


READERS: dict[str, Callable[[Row], Fields]] = {
    "gsm8k": _gsm8k,
    "math": _math,
    "ocw": _ocw,
    "sat": _sat,
    "mmlu_stem": _mmlu,
    "cmath": _cmath,
    "mgsm_zh": _mgsm,
    "gaokao_mathcloze": _cloze,
    "gaokao_mathqa": _mathqa,
    "minif2f": _minif2f,
    "minif2f_valid": _minif2f,
    "math500": _math,
    "svamp": _svamp,
    "mawps": _mawps,
    "aime24": _contest,
    "amc23": _contest,
}


def lettered(options: Sequence[object]) -> tuple[tuple[str, str], ...]:
    """Options in order with their letters; a letter that an option brings along, as in "(A)3", is taken off."""
    texts = []
    for letter, text in zip(LETTERS, map(str, options), strict=False):
        own = LETTERED.match(text)
        texts.append(text[own.end() :] if own and own[1] == letter else text)
    return tuple((letter, text.strip()) for letter, text in zip(LETTERS, texts, strict=False))


def split_options(text: str) -> tuple[tuple[str, str], ...]:
    """The options of one line "A) ... B) ...". A letter counts where it is the next of the alphabet."""
    places: list[re.Match[str]] = []
    for found in LETTERED.finditer(text):
        if found[1] == LETTERS[len(places)]:
            places.append(found)
    if not places:
        raise KeyError("options A) to D)")
    ends = [one.start() for one in places[1:]] + [len(text)]
    return tuple((one[1], text[one.end() : end].strip()) for one, end in zip(places, ends, strict=True))


def _source(row: Row) -> str | None:
    other = row.get("other")
    return other.get("source") if isinstance(other, dict) else None


def _plain(number: object) -> str:
    """43.0 as 43: floats of the files are mostly whole numbers."""
    return str(int(number)) if isinstance(number, float) and number.is_integer() else str(number)
