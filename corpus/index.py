"""`python -m corpus.index`: the protected texts of benchmark files and their grams, built once for many crawls.

`python -m corpus --benchmarks` takes the result or the folder of plain files; both give the same corpus. The index
holds test questions word for word: it is an artifact of its own and no part of a corpus that is given away.
"""

import json
import sys
from collections import Counter
from dataclasses import asdict, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import Field

from commons.artifacts import Artifact
from commons.config import Config
from commons.errors import ConfigError
from commons.files import write_json
from commons.ngrams import tokens
from commons.quotations import SHORTEST_TEXT, benchmark_grams, load_grams, save_grams
from commons.shards import read_parquet, write_parquet
from commons.stage import Inputs, Outcome, Stage, Work, main
from corpus.benchmarks import Answers, Item, length_class, read_benchmarks
from corpus.decontaminate import Index, Rule
from corpus.selftest import checked, self_test

KIND = "benchmark_index"
FACTS = "sources.json"


class IndexConfig(Config):
    """What `python -m corpus.index` can be told."""

    seed: int = Field(default=0, ge=0)
    """Seed of the self-test's filler text. [-; ours]"""
    gram_tokens: int = Field(default=10, gt=SHORTEST_TEXT)
    """Length of a gram; a word, a number or a Chinese character each count one. [tokens; section 2.1]"""
    answers: Answers = "long"
    """Answers that are protected: none, those as long as a gram, or all of three tokens and more. [-; section 2.1]"""
    self_test_items: int = Field(default=20, ge=0)
    """Texts of each file that the self-test plants, evenly spread over it. [texts; ours]"""


def run(work: Work, config: IndexConfig, inputs: Inputs) -> Outcome:
    """Reads the benchmark files, builds the index, plants known texts and must find all of them."""
    build_index(inputs["benchmarks"].path, work.folder, answers=config.answers, gram_tokens=config.gram_tokens)
    index = load_index(work.folder)
    result = checked(self_test(index, Rule(), per_file=config.self_test_items, seed=config.seed))
    write_json(work.folder / "selftest.json", result.row())
    facts = facts_of(work.folder)
    classes: Counter[str] = Counter()
    for source in facts["sources"]:
        classes.update(source["texts"])
    counts = {
        "texts": len(index.items),
        "grams": len(index.grams.hashes),
        "files": len(facts["sources"]),
        "rows_left_out": sum(sum(source["left_out"].values()) for source in facts["sources"]),
        "planted": result.planted,
        "planted_found": result.found,
    }
    summary = f"{counts['texts']:,} texts of {counts['files']} files, {counts['grams']:,} grams, {result.summary()}"
    return Outcome({**counts, "by_length": dict(sorted(classes.items()))}, summary)


def build_index(folder: Path, out: Path, *, answers: Answers, gram_tokens: int) -> None:
    """Writes the index of the benchmark files below `folder` to `out`; says on stderr which rows were left out."""
    items, sources = read_benchmarks(folder, answers=answers, gram_tokens=gram_tokens)
    for source in sources:
        if note := source.note():
            print(f"benchmarks: {note}", file=sys.stderr)
    columns = {name: [getattr(item, name) for item in items] for name in ("benchmark", "field", "text")}
    write_parquet(out / "items.parquet", pa.table(columns))
    save_grams(benchmark_grams((item.text for item in items), gram_tokens), out / "grams")
    write_json(out / FACTS, {"answers": answers, "gram_tokens": gram_tokens, "sources": list(map(asdict, sources))})


def load_index(folder: Path) -> Index:
    """The index in a folder that `build_index` wrote; asked for once more, the same object."""
    return _loaded(folder, (folder / FACTS).stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _loaded(folder: Path, made: int) -> Index:
    columns = read_parquet(folder / "items.parquet").to_pydict()
    items = map(Item, *(columns[field.name] for field in fields(Item)))
    return Index(list(items), load_grams(folder / "grams"))


def facts_of(folder: Path) -> dict[str, Any]:
    """How an index was made: `answers`, `gram_tokens`, and what each file gave (`sources`)."""
    facts = json.loads((folder / FACTS).read_bytes())
    assert isinstance(facts, dict)
    return facts


def index_for(benchmarks: Artifact, scratch: Path, *, answers: Answers, gram_tokens: int) -> Path:
    """The folder of an index: the artifact itself, or one built in `scratch` of the files of a folder.

    Raises ConfigError when the artifact was made with other settings.
    """
    if benchmarks.manifest is None:
        if not (scratch / FACTS).exists():
            build_index(benchmarks.path, scratch, answers=answers, gram_tokens=gram_tokens)
        return scratch
    facts = facts_of(benchmarks.path)
    if (facts["answers"], facts["gram_tokens"]) != (answers, gram_tokens):
        raise ConfigError(
            f"{benchmarks.path} was made with answers={facts['answers']} gram_tokens={facts['gram_tokens']}, but the "
            f"config says answers={answers} gram_tokens={gram_tokens}: make it again or give the plain files"
        )
    return benchmarks.path


def protected_texts(index: Index, gram_tokens: int) -> dict[str, dict[str, int]]:
    """The number of questions and answers of each benchmark file by their length in tokens."""
    counts: dict[str, Counter[str]] = {}
    for item in index.items:
        counts.setdefault(item.benchmark.rpartition(":")[0], Counter())[
            length_class(len(tokens(item.text)), gram_tokens)
        ] += 1
    return {name: dict(sorted(one.items())) for name, one in sorted(counts.items())}


STAGE = Stage(
    name="corpus.index",
    about="Builds the index of benchmark texts that no page may quote (section 2.1), once for many crawls.",
    config=IndexConfig,
    run=run,
    makes=KIND,
    needs={"benchmarks": "folder"},
)

if __name__ == "__main__":
    raise SystemExit(main(STAGE))
