"""Which questions are asked, in which groups: a pure function of the questions and the seed."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from commons.seeds import rng

IN_DISTRIBUTION, OUT_OF_DISTRIBUTION = "in_distribution", "out_of_distribution"
HELD_OUT = "heldout"  # the benchmark of the in-distribution split
TAUGHT_FAMILIES = "taught_families"  # their questions in forms and languages that are out of distribution


@dataclass(frozen=True, slots=True)
class Question:
    """What a model may be told of an item: everything but its gold answer. Prompts are made of this type alone."""

    id: str
    benchmark: str
    form: str
    language: str
    text: str
    options: tuple[tuple[str, str], ...] = ()  # (letter, text) of a question with options
    formal: str = ""  # the statement in Isabelle, of miniF2F


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a benchmark, and the gold answer that only the grader sees."""

    id: str
    split: str
    benchmark: str
    form: str
    language: str
    question: str
    gold: str
    options: tuple[tuple[str, str], ...] = ()
    level: str | None = None
    subject: str | None = None
    formal: str = ""
    header: str = ""  # what precedes the statement in a file that Isabelle checks
    few_shot: bool = False  # asked after solved examples: the paper extracts answers differently there

    @property
    def posed(self) -> Question:
        """The question without its gold answer."""
        return Question(
            self.id, self.benchmark, self.form, self.language, self.question, options=self.options, formal=self.formal
        )

    @property
    def setting(self) -> str:
        """Form and, where it is not English, language: `cot`, `tool`, `cot-zh`."""
        return self.form if self.language == "en" else f"{self.form}-{self.language}"

    @property
    def group(self) -> tuple[str, str, str]:
        """What one row of the results is about."""
        return self.split, self.benchmark, self.setting


def held_out(rows: Iterable[dict[str, Any]]) -> list[Item]:
    """The in-distribution questions: one benchmark."""
    return [_item(row, IN_DISTRIBUTION, HELD_OUT) for row in rows]


def out_of_family(rows: Iterable[dict[str, Any]], taught: Collection[str]) -> list[Item]:
    """The out-of-distribution questions: a benchmark for each untaught family, one for all taught."""
    return [
        _item(row, OUT_OF_DISTRIBUTION, TAUGHT_FAMILIES if row["family"] in taught else row["family"]) for row in rows
    ]


def _item(row: dict[str, Any], split: str, benchmark: str) -> Item:
    return Item(
        id=row["id"],
        split=split,
        benchmark=benchmark,
        form=row["form"],
        language=row["language"],
        question=row["question"],
        gold=str(row["answer"]),
        level=row.get("level"),
        subject=row.get("family"),
    )


def chosen(items: Iterable[Item], *, in_distribution: int, per_group: int, seed: int) -> list[Item]:
    """At most so many questions: of the in-distribution split as a whole, of each group of the other. In file order.

    Chosen at random by seed and id, so that every model that is asked with one seed is asked the same questions, and
    a smaller number chooses a part of the larger."""
    groups: dict[tuple[str, ...], list[tuple[float, int, Item]]] = {}
    for place, item in enumerate(items):
        key: tuple[str, ...] = (item.split,) if item.split == IN_DISTRIBUTION else item.group
        groups.setdefault(key, []).append((rng(seed, "question", item.id).random(), place, item))
    kept = []
    for key, members in groups.items():
        limit = in_distribution if key == (IN_DISTRIBUTION,) else per_group
        kept += sorted(members, key=lambda member: member[0])[:limit]
    return [item for _, _, item in sorted(kept, key=lambda member: member[1])]


def shots_of(rows: Iterable[dict[str, Any]], count: int, seed: int) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Worked (question, solution) examples from the training questions, by form and language."""
    by_setting: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in rows:
        by_setting.setdefault((row["form"], row["language"]), []).append((row["question"], row["solution"]))
    return {
        setting: rng(seed, "shots", *setting).sample(examples, min(count, len(examples)))
        for setting, examples in by_setting.items()
    }
