"""The protected texts of a folder of benchmark files."""

from pathlib import Path

from commons.errors import DataError
from commons.shards import read_jsonl
from corpus.decontaminate import QUESTION_FIELDS, Item, items_of


def read_items(folder: Path, *, answers: bool, gram_tokens: int) -> list[Item]:
    """The texts of every *.jsonl below `folder`, all questions before all answers, each in order of files and rows.

    Raises DataError when there is no question at all, or a file has rows but no field known to hold a question.
    """
    questions: list[Item] = []
    rest: list[Item] = []
    for path in sorted([*folder.rglob("*.jsonl"), *folder.rglob("*.jsonl.zst")]):
        name = path.relative_to(folder).as_posix().removesuffix(".zst")
        rows = known = 0
        for rows, row in enumerate(read_jsonl(path), start=1):
            found = list(items_of(name, rows - 1, row, answers=answers, gram_tokens=gram_tokens))
            known += len(found)
            questions += [item for item in found if item.field in (*QUESTION_FIELDS, "messages")]
            rest += [item for item in found if item.field not in (*QUESTION_FIELDS, "messages")]
        if rows and not known:
            raise DataError(
                f"{path}: no row has a question; looked for the fields {', '.join(QUESTION_FIELDS)}, messages"
            )
    if not questions:
        raise DataError(f"{folder}: no question to protect; a benchmarks folder holds *.jsonl or *.jsonl.zst files")
    return questions + rest
