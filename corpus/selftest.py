"""The self-test of decontamination: known benchmark texts are planted in pages, and every one must be found."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from commons.ngrams import tokens
from commons.quotations import SHORTEST_TEXT, Hit, quotations
from commons.seeds import rng
from corpus.decontaminate import Finding, Index, Rule, finding, without_segments

FILLER = (
    "The ferry to the northern islands leaves twice a week and carries letters, flour and the odd piano.",
    "Grandmother kept her dried pears in a tin above the stove, next to the almanac of last winter.",
    "Of the seven bridges only the wooden one was repaired before the frost came back in November.",
    "Nobody in the village remembers who painted the weathercock, yet all of them praise its colour.",
    "渡轮每周两次开往北边的小岛，船上装着信件和面粉。",
    "祖母把晒好的梨干放在炉子上面的铁盒里，旁边是去年的旧历书。",
)
SENTENCES_OF_A_PAGE = 8
CLEAN_PAGES = 20
WRAP_WORDS, WRAP_ATOMS = 5, 12
ATOM = re.compile(r"[!-~]+|\s+|[^!-~\s]")
UNKNOWN = "zzqx"
COMMAND = re.compile(r"(\\\\|\\(?:begin|end)\{[^{}]*\}(?:\{[^{}]*\})?|\\[A-Za-z]+)")
PUNCTUATION = re.compile(r"[,.;:!?，。；：！？]")
BATCH = 256


@dataclass(frozen=True, slots=True)
class SelfTest:
    """How many planted texts were found by benchmark file, which were not, and what was flagged without cause."""

    by_benchmark: Mapping[str, Mapping[str, int]]
    missed: tuple[str, ...]
    clean_pages: int
    flagged: tuple[str, ...]

    @property
    def planted(self) -> int:
        """Pages with a planted text."""
        return sum(one["planted"] for one in self.by_benchmark.values())

    @property
    def found(self) -> int:
        """Those whose text was found and removed; without those that a guard against boilerplate let through."""
        return sum(one["found"] for one in self.by_benchmark.values())

    def row(self) -> dict[str, Any]:
        """The result as it stands in the artifact."""
        return {
            "planted": self.planted,
            "found": self.found,
            "missed": list(self.missed),
            "clean_pages": self.clean_pages,
            "clean_pages_flagged": list(self.flagged),
            "by_benchmark": {name: dict(one) for name, one in self.by_benchmark.items()},
        }

    def summary(self) -> str:
        """The result in a few words."""
        found = f"{self.found:,} of {self.planted:,} planted texts found"
        return f"self-test: {found}, {len(self.flagged)} clean pages flagged"


def self_test(index: Index, rule: Rule, *, per_file: int, seed: int) -> SelfTest:
    """Plants up to `per_file` texts of each file in each form that fits them; looks for them and for false alarms."""
    chosen = _chosen(index, per_file)
    counts: dict[str, dict[str, int]] = {}
    missed: list[str] = []
    planted = [(text, form, page) for text in chosen for form, page in planted_pages(index, text, seed=seed)]
    for (text, form, page), hits in zip(planted, _scanned([page for *_, page in planted], index), strict=True):
        item = index.items[text]
        outcome = _outcome(text, page, hits, index, rule)
        count = counts.setdefault(item.benchmark.rpartition(":")[0], {"planted": 0, "found": 0, "let_through": 0})
        count["planted"] += 1
        if outcome == "missed":
            missed.append(f"{item.benchmark} {item.field}: {form}")
        else:
            count[outcome] += 1
    clean = [(f"filler {number}", _filler(seed, f"clean {number}")) for number in range(CLEAN_PAGES if chosen else 0)]
    near = [(text, near_miss(index, text)) for text in chosen]
    flagged = [name for (name, _), hits in zip(clean, _scanned([p for _, p in clean], index), strict=True) if hits]
    for (text, _), hits in zip(near, _scanned([page for _, page in near], index), strict=True):
        if any(text in index.grams.texts_with(hit.gram) for hit in hits):
            flagged.append(f"near miss of {index.items[text].benchmark} {index.items[text].field}")
    return SelfTest(dict(sorted(counts.items())), tuple(missed), len(clean) + len(near), tuple(flagged))


def checked(result: SelfTest) -> SelfTest:
    """The result when all was found and nothing flagged; a RuntimeError, which is our bug, when not."""
    if result.missed or result.flagged:
        missed, flagged = list(result.missed[:5]), list(result.flagged[:5])
        raise RuntimeError(f"the self-test of decontamination failed: missed {missed}, flagged {flagged}")
    return result


def planted_pages(index: Index, text: int, *, seed: int) -> Iterator[tuple[str, str]]:
    """(form, page) of each page in which a benchmark text is planted."""
    words = tokens(index.items[text].text)
    for form, change in FORMS.items():
        yield form, change(index.items[text].text)
    before, after = _filler(seed, f"before {text}"), _filler(seed, f"after {text}")
    yield "in a line of longer text", f"{before} {index.items[text].text} {after}"
    yield "wrapped in longer text", f"{before}\n{_wrapped(index.items[text].text)}\n{after}"
    start = max(len(words) - index.grams.n, 0) // 2
    yield "one gram in longer text", f"{before} {' '.join(words[start : start + index.grams.n])} {after}"


def near_miss(index: Index, text: int) -> str:
    """The tokens of a benchmark text as close to a quotation as they may come: one less than a gram in a row."""
    words = tokens(index.items[text].text)
    every = min(index.grams.n, len(words))
    return " ".join(UNKNOWN if place % every == every - 1 else word for place, word in enumerate(words))


def _outcome(text: int, page: str, hits: Sequence[Hit], index: Index, rule: Rule) -> str:
    if not any(text in index.grams.texts_with(hit.gram) for hit in hits):
        return "missed"
    result = finding(page, hits, index, rule)
    if result.page:
        return "found"
    if not result.segments:
        return "let_through" if all(one.let_through for one in result.passages) else "missed"
    left = without_segments(page, result.segments)
    return "missed" if _removes(finding(left, quotations([left], index.grams)[0], index, rule)) else "found"


def _removes(result: Finding) -> bool:
    return result.page or bool(result.segments)


def _chosen(index: Index, per_file: int) -> list[int]:
    by_file: dict[str, list[int]] = {}
    starts = index.grams.text_starts.tolist()
    for text, item in enumerate(index.items):
        if starts[text + 1] - starts[text] >= SHORTEST_TEXT:
            by_file.setdefault(item.benchmark.rpartition(":")[0], []).append(text)
    return [
        texts[place * len(texts) // count]
        for texts in by_file.values()
        for count in [min(per_file, len(texts))]
        for place in range(count)
    ]


def _scanned(pages: Sequence[str], index: Index) -> Iterator[list[Hit]]:
    for start in range(0, len(pages), BATCH):
        yield from quotations(pages[start : start + BATCH], index.grams)


def _filler(seed: int, name: str) -> str:
    return " ".join(rng(seed, "filler", name).choices(FILLER, k=SENTENCES_OF_A_PAGE))


def _wrapped(text: str) -> str:
    """Short lines, as in a mail: some words a line, or some characters where there are no spaces; no number is cut."""
    words = text.split()
    if text.isascii() or len(words) >= WRAP_WORDS:
        return "\n".join(" ".join(words[start : start + WRAP_WORDS]) for start in range(0, len(words), WRAP_WORDS))
    atoms = ATOM.findall(text)
    return "\n".join("".join(atoms[start : start + WRAP_ATOMS]) for start in range(0, len(atoms), WRAP_ATOMS))


def _shouted(text: str) -> str:
    """Other case and spacing; the names of LaTeX commands keep their case, since it means something."""
    parts = COMMAND.split(text)
    return "".join(
        part if part.startswith("\\") else "".join(c.upper() if c.isascii() else c for c in part).replace(" ", "   ")
        for part in parts
    )


def _repunctuated(text: str) -> str:
    return PUNCTUATION.sub(" -- ", text)


def _delimited(text: str) -> str:
    """Formulas between other delimiters; the whole text as one where it has none."""
    pieces = re.split(r"\$\$?", text)
    if len(pieces) < 3:
        return f"$$ {text} $$"
    return "".join(piece if place % 2 == 0 else rf"\({piece}\)" for place, piece in enumerate(pieces))


FORMS: Mapping[str, Callable[[str], str]] = {
    "whole": str,
    "wrapped": _wrapped,
    "other case and spacing": _shouted,
    "other punctuation": _repunctuated,
    "other formula delimiters": _delimited,
}
