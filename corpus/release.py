"""The Daft plans of what is given away: pages without benchmark quotations, with personal data counted or masked.

As in `corpus/frames.py`, the decisions about a page are the pure functions of the neighbours.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import daft
from daft import DataType

from commons.quotations import Hit, quotations
from corpus.decontaminate import (
    Rule,
    finding,
    passages_to_json,
    resembling,
    resembling_to_json,
    shorter_grams,
    without_segments,
)
from corpus.frames import Frame, col, rows
from corpus.index import load_index
from corpus.masking import masked
from corpus.tokens import count_tokens

SCANNED_TOGETHER = 256  # pages in one call of the scan for benchmark grams
QUOTED = DataType.struct(
    {"quoted": DataType.string(), "contaminated": DataType.bool(), "removed": DataType.list(DataType.int64())}
)


def with_quotations(pages: Frame, index: Path, rule: Rule) -> Frame:
    """The pages with what they quote of the benchmarks of an index folder.

    `quoted` is the report as JSON (empty for a page that quotes nothing), `contaminated` whether the whole page goes,
    `removed` the numbers of the segments that go.
    """
    common: frozenset[int] = frozenset()
    if rule.boilerplate_pages is not None:
        counter: Any = _Benchmarks(str(index), rule, common)
        grams = pages.select(col("id"), counter.grams(col("text")).alias("gram")).explode("gram")
        counted = grams.where(~col("gram").is_null()).groupby("gram").agg(col("id").count().alias("pages"))
        common = frozenset(row["gram"] for row in rows(counted.where(col("pages") >= rule.boilerplate_pages)))
    checker: Any = _Benchmarks(str(index), rule, common)
    return pages.select(*pages.column_names, checker.quoted(col("text")))


def cleaned(pages: Frame) -> Frame:
    """The pages with the text that is left without the `removed` segments, and its number of tokens."""
    left: Any = daft.func(without_segments, return_dtype=DataType.string())
    count: Any = daft.func(count_tokens, return_dtype=DataType.int64())
    # as a function of ours: Daft's own count of a list imports torch, to see whether its mode is a tensor
    is_cut: Any = daft.func(bool, return_dtype=DataType.bool())
    whole = pages.where(~is_cut(col("removed")))
    cut = pages.where(is_cut(col("removed"))).with_column("text", left(col("text"), col("removed")))
    return whole.concat(cut.with_column("tokens", count(col("text"))).select(*pages.column_names))


def with_resembling(pages: Frame, index: Path, *, share: float) -> Frame:
    """id, url and `items`: the pages that hold `share` of the 5-grams of a benchmark text, and its names as JSON."""
    checker: Any = _Resembling(str(index), share)
    return pages.select("id", "url", checker.items(col("text")).alias("items")).where(col("items") != "")


def masked_text(pages: Frame, *, emails: bool, ip_addresses: bool) -> Frame:
    """The pages with personal data replaced as told, and the numbers found: `emails`, `ip_addresses`."""
    fields = {"text": DataType.string(), "tokens": DataType.int64()}
    fields |= {"emails": DataType.int64(), "ip_addresses": DataType.int64()}

    def mask(text: str, tokens: int) -> dict[str, Any]:
        one = masked(text, emails=emails, ip_addresses=ip_addresses)
        return {**asdict(one), "tokens": tokens if one.text == text else count_tokens(one.text)}

    mask_column: Any = daft.func(mask, return_dtype=DataType.struct(fields), unnest=True)
    others = [name for name in pages.column_names if name not in fields]
    return pages.select(*others, mask_column(col("text"), col("tokens")))


@daft.cls
class _Benchmarks:
    """Maps an index of benchmark grams once per worker."""

    def __init__(self, index: str, rule: Rule, common: frozenset[int]) -> None:
        self.index, self.rule, self.common = load_index(Path(index)), rule, common

    @daft.method.batch(return_dtype=DataType.list(DataType.int64()), batch_size=SCANNED_TOGETHER)
    def grams(self, texts: daft.Series) -> list[list[int]]:
        found = quotations(texts.to_pylist(), self.index.grams)
        return [sorted({hit.gram for hit in hits}) for hits in found]

    @daft.method.batch(return_dtype=QUOTED, unnest=True, batch_size=SCANNED_TOGETHER)
    def quoted(self, texts: daft.Series) -> list[dict[str, Any]]:
        pages = texts.to_pylist()
        found = quotations(pages, self.index.grams)
        return [self._row(text, hits) for text, hits in zip(pages, found, strict=True)]

    def _row(self, text: str, hits: list[Hit]) -> dict[str, Any]:
        one = finding(text, hits, self.index, self.rule, self.common)
        return {
            "quoted": passages_to_json(one.passages),
            "contaminated": one.page,
            "removed": list(one.segments),
        }


@daft.cls
class _Resembling:
    """Makes the 5-grams of the benchmark texts once per worker."""

    def __init__(self, index: str, share: float) -> None:
        self.index, self.share = shorter_grams(load_index(Path(index))), share

    @daft.method.batch(return_dtype=DataType.string(), batch_size=SCANNED_TOGETHER)
    def items(self, texts: daft.Series) -> list[str]:
        found = quotations(texts.to_pylist(), self.index.grams)
        return [resembling_to_json(resembling(hits, self.index, share=self.share)) for hits in found]
