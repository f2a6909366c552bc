"""Section 2.1: what goes because it quotes a benchmark. The grams are commons/quotations.py; here is the decision.

A 10-gram of a benchmark removes the segment it stands in, a benchmark text of 3 to 9 tokens that stands there whole
removes the page; with `removes = "page"` both do. A segment is a line of the text (the extractor writes one block of
the page a line), and lines that one displayed formula spans are one segment. Grams are looked for in the whole text,
so a quotation across line ends is found; it removes every segment that it touches.

Items that were rephrased, translated or whose formulas were written another way share no 10-gram with the page and
pass this rule, as they pass the paper's; `resembling` lists pages that hold many shorter grams of one item.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate

from commons.ngrams import tokens
from commons.quotations import BenchmarkGrams, Hit, benchmark_grams, runs
from corpus.benchmarks import Item

FORMULA = re.compile(
    r"\$\$[^$]{1,2000}?\$\$|\\\[(?:(?!\\\]).){1,2000}?\\\]|\\begin\{(\w+\*?)\}.{1,2000}?\\end\{\1\}", re.DOTALL
)
LINE_END = re.compile("\n")
RESEMBLING_TOKENS = 5
FEW_DIFFERENT = "few different tokens"
MANY_ITEMS = "in many benchmark items"
MANY_PAGES = "on many pages"


@dataclass(frozen=True, slots=True)
class Rule:
    """What removes what. The guards against boilerplate are None or 1 in the paper's rule: every gram counts."""

    removes: str = "segment"
    boilerplate_items: int | None = None
    boilerplate_pages: int | None = None
    min_distinct_tokens: int = 1


@dataclass(frozen=True, slots=True)
class Index:
    """The protected texts and their grams; text t of the grams is items[t]."""

    items: Sequence[Item]
    grams: BenchmarkGrams


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of grams that a page has from one benchmark text: the first gram, how many follow each other, where.

    `rule` is `gram` or `short text`; `let_through` says which guard made it count for nothing, or is empty.
    """

    benchmark: str
    field: str
    rule: str
    gram: str
    grams: int
    segments: tuple[int, ...]
    let_through: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What one page quotes and what goes of it: all of it (`page`), or the segments of these numbers."""

    page: bool
    segments: tuple[int, ...]
    passages: tuple[Passage, ...]


CLEAN = Finding(False, (), ())


def segments(text: str) -> list[str]:
    """The segments of a text, in order: joined by line ends they are the text again."""
    ends = [end.start() for end in LINE_END.finditer(text)]
    for formula in FORMULA.finditer(text):
        if "\n" in formula[0]:
            ends = [end for end in ends if not formula.start() <= end < formula.end()]
    return [text[start:end] for start, end in zip([0, *(end + 1 for end in ends)], [*ends, len(text)], strict=True)]


def without_segments(text: str, removed: Iterable[int]) -> str:
    """The text without the segments of these numbers; the others keep their order."""
    gone = set(removed)
    return "\n".join(part for number, part in enumerate(segments(text)) if number not in gone).strip()


def finding(text: str, hits: Sequence[Hit], index: Index, rule: Rule, common: frozenset[int] = frozenset()) -> Finding:
    """Section 2.1: what a page quotes, and what of it goes. `common` are the grams that too many pages share."""
    if not hits:
        return CLEAN
    parts = segments(text)
    starts = list(accumulate((len(tokens(part)) for part in parts), initial=0))[:-1]
    reasons = {gram: _let_through(gram, index, rule, common) for gram in {hit.gram for hit in hits}}
    counting = [hit for hit in hits if not reasons[hit.gram]]
    page = any(hit.tokens < index.grams.n or rule.removes == "page" for hit in counting)
    touched = {number for hit in counting for number in _touched(starts, hit.start, hit.tokens)}
    page = page or (bool(touched) and not without_segments(text, touched))
    return Finding(page, () if page else tuple(sorted(touched)), tuple(_passages(hits, reasons, starts, index)))


def shorter_grams(index: Index) -> Index:
    """The same texts with grams of RESEMBLING_TOKENS, for `resembling`."""
    return Index(index.items, benchmark_grams((item.text for item in index.items), RESEMBLING_TOKENS))


def resembling(hits: Sequence[Hit], index: Index, *, share: float) -> list[tuple[Item, float]]:
    """The benchmark texts of which a page holds at least `share` of the different grams of `index`, best first.

    A report on items that were rephrased or set another way; nothing is removed for it. A half is a sensible start.
    """
    held: dict[int, set[int]] = {}
    for gram in {hit.gram for hit in hits if hit.tokens == index.grams.n}:
        for text in index.grams.texts_with(gram).tolist():
            held.setdefault(text, set()).add(gram)
    shares = [
        (len(grams) / max(index.grams.text_tokens(text) - index.grams.n + 1, 1), text) for text, grams in held.items()
    ]
    return [
        (index.items[text], one) for one, text in sorted(shares, key=lambda pair: (-pair[0], pair[1])) if one >= share
    ]


def resembling_to_json(found: Sequence[tuple[Item, float]]) -> str:
    """The findings of `resembling` in a data frame: benchmark, field, share; empty when there are none."""
    return json.dumps([[item.benchmark, item.field, round(share, 4)] for item, share in found]) if found else ""


def passages_to_json(passages: Sequence[Passage]) -> str:
    """How a finding travels through a data frame; empty for a page that quotes nothing."""
    return json.dumps([asdict(one) for one in passages], ensure_ascii=False) if passages else ""


def passages_from_json(text: str) -> list[Passage]:
    """The inverse of `passages_to_json`."""
    return [Passage(**{**row, "segments": tuple(row["segments"])}) for row in json.loads(text)] if text else []


def _let_through(gram: int, index: Index, rule: Rule, common: frozenset[int]) -> str:
    """Why a gram is boilerplate that counts for nothing under `rule`, or nothing."""
    if rule.min_distinct_tokens > 1 and len(set(index.grams.tokens_of(gram))) < rule.min_distinct_tokens:
        return FEW_DIFFERENT
    if gram in common:
        return MANY_PAGES
    if rule.boilerplate_items is not None:
        # The same text in two files is one item: MATH-500 is a part of MATH.
        texts = {int(index.grams.same_as[text]) for text in index.grams.texts_with(gram)}
        if len({index.items[text].benchmark for text in texts}) >= rule.boilerplate_items:
            return MANY_ITEMS
    return ""


def _touched(starts: Sequence[int], first: int, count: int) -> range:
    """The numbers of the segments in which `count` tokens from `first` stand."""
    return range(bisect_right(starts, first) - 1, bisect_right(starts, first + count - 1))


def _passages(
    hits: Sequence[Hit], reasons: Mapping[int, str], starts: Sequence[int], index: Index
) -> Iterator[Passage]:
    """The runs of hits by benchmark text, the texts in order of their names."""
    at: dict[int, list[int]] = {}
    for hit in hits:
        at.setdefault(hit.gram, []).append(hit.start)
    for text, grams in sorted(_texts_quoted(set(at), index).items(), key=lambda one: _name(index.items[one[0]])):
        item = index.items[text]
        for reason, length in sorted({(reasons[gram], int(index.grams.lengths[gram])) for gram in grams}):
            same = [g for g in grams if reasons[g] == reason and index.grams.lengths[g] == length]
            gram_at = {start: gram for gram in same for start in at[gram]}
            for run in runs(gram_at):
                yield Passage(
                    item.benchmark,
                    item.field,
                    "gram" if length == index.grams.n else "short text",
                    " ".join(index.grams.tokens_of(gram_at[run[0]])),
                    len(run),
                    tuple(_touched(starts, run[0], len(run) - 1 + length)),
                    reason,
                )


def _texts_quoted(grams: set[int], index: Index) -> dict[int, frozenset[int]]:
    """The benchmark texts that hold any of `grams`, with those that they hold.

    Left out are texts that hold only a part of what another one holds: a phrase that many items share is no trace of
    them on a page that quotes one of them in full. A question comes before the answer of the same row.
    """
    held: dict[int, set[int]] = {}
    for gram in grams:
        for text in index.grams.texts_with(gram).tolist():
            held.setdefault(text, set()).add(gram)
    listed: dict[int, frozenset[int]] = {}
    listed_by_gram: dict[int, list[int]] = {}
    for text, mine in sorted(held.items(), key=lambda one: (-len(one[1]), one[0])):
        rivals = listed_by_gram.get(min(mine), [])
        row = index.items[text].benchmark
        if any(
            mine < listed[other] or (mine == listed[other] and row == index.items[other].benchmark) for other in rivals
        ):
            continue
        listed[text] = frozenset(mine)
        for gram in mine:
            listed_by_gram.setdefault(gram, []).append(text)
    return listed


def _name(item: Item) -> tuple[str, int, str]:
    file, _, row = item.benchmark.rpartition(":")
    return file, int(row), item.field
