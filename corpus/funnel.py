"""What each step kept and dropped, and why: the rows of `funnel.json` and the table that the command prints."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from corpus.language import LANGUAGES, group_of


@dataclass(frozen=True, slots=True)
class Count:
    """Pages and tokens, in all and for each language."""

    pages: int
    tokens: int
    languages: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Step:
    """The state after one step, and the pages that it dropped by reason."""

    name: str
    left: Count
    dropped: Mapping[str, int] = field(default_factory=dict)

    def row(self) -> dict[str, Any]:
        """The step as it stands in funnel.json."""
        return {
            "step": self.name,
            "pages": self.left.pages,
            "tokens": self.left.tokens,
            "dropped": dict(sorted(self.dropped.items())),
            "languages": {language: self.left.languages.get(language, 0) for language in LANGUAGES},
        }


def count_of(tallies: Sequence[Mapping[str, Any]], pages: str = "pages", tokens: str = "tokens") -> Count:
    """The count of a tally by language; languages other than LANGUAGES are counted together."""
    languages: Counter[str] = Counter()
    for row in tallies:
        if row["language"]:
            languages[group_of(row["language"])] += row[pages]
    return Count(sum(row[pages] for row in tallies), sum(row[tokens] for row in tallies), dict(languages))


def reasons(rows: Sequence[Mapping[str, str]]) -> dict[str, int]:
    """Dropped pages by reason."""
    return dict(sorted(Counter(row["reason"] for row in rows).items()))


def table(steps: Sequence[Step]) -> str:
    """The steps as aligned text; Chinese pages have a column of their own."""
    lines = [f"{'step':<26}{'pages':>10}{'en':>9}{'zh':>8}{'other':>8}{'tokens':>14}  dropped here"]
    for step in steps:
        row = step.row()
        why = ", ".join(f"{reason} {number:,}" for reason, number in row["dropped"].items()) or "-"
        counts = "".join(
            f"{row['languages'][language]:>{width},}" for language, width in zip(LANGUAGES, (9, 8, 8), strict=True)
        )
        lines.append(f"{step.name:<26}{row['pages']:>10,}{counts}{row['tokens']:>14,}  {why}")
    return "\n".join(lines)
