"""`python -m corpus`: section 2.1 from WARC files to pages about mathematics."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from commons.errors import ArtifactError, ConfigError, DataError
from commons.files import write_atomic, write_json
from commons.metrics import MetricsLog
from commons.shards import write_jsonl
from commons.stage import Inputs, Outcome, Stage, Work
from corpus import frames, mined, outputs, release, round_frames
from corpus.card import data_card
from corpus.classifier import MATHS, OTHER, Scorer
from corpus.cluster import Nodes, connected, step
from corpus.config import CorpusConfig, Reading
from corpus.distinct import Distinct, Dropped, write_distinct
from corpus.extraction import extract_crawl, reading_counts
from corpus.frames import Frame, col, lit
from corpus.funnel import Count, Step, count_of, reasons, table
from corpus.iterate import iterate, recall_with
from corpus.outputs import Kept
from corpus.patterns import Pattern
from corpus.protection import built_index, one_process, raise_failure, self_tested, write_quoted
from corpus.reading.remote import Pace
from corpus.reading.sources import Part, parts_of
from corpus.reading.transports import fetcher
from corpus.review import read_patterns
from corpus.rounds import State
from corpus.selftest import SelfTest
from corpus.tokens import TOKENIZER
from corpus.urls import url_key
from corpus.workers import Limits

INPUTS = ("crawl", "seed-pages", "benchmarks", "patterns", "model")  # their order on the data card
DUPLICATES = ("same url", "same text", "near duplicate")


def run(work: Work, config: CorpusConfig, inputs: Inputs) -> Outcome:
    """Reads, deduplicates, decontaminates and mines a crawl; see docs/artifacts.md for what lies in the result."""
    here = replace(work, folder=work.folder.absolute())  # a node may have been started in another folder
    with connected(config.cluster, workers=config.workers) as nodes:
        if nodes is None:
            return _run(here, config, inputs, None)
        frames.use_nodes()
        outcome = _run(here, config, inputs, nodes)
        write_json(here.logs / "cluster.json", nodes.facts())
        return outcome


def _run(work: Work, config: CorpusConfig, inputs: Inputs, nodes: Nodes | None) -> Outcome:
    model = _ready_model(config, inputs)
    reviewed = _reviewed(inputs["patterns"].path) if "patterns" in inputs else ()
    rules = config.decontamination
    with one_process() as beside:
        started = beside.submit(built_index, inputs["benchmarks"], work.scratch / "index", rules)
        _read(work, config, inputs, nodes, after_each=partial(raise_failure, started))
        index = started.result()
        testing = beside.submit(self_tested, index, rules, config.seed)
        distinct = _distinct(work, config, inputs, nodes)
        quoted = (work.scratch / "pages", work.scratch / "quoted" / "quoted.parquet", index, rules)
        if nodes is not None:
            step(nodes, "decontamination", lambda: write_quoted(*quoted))
        looking = beside.submit(write_quoted, *quoted)
        seeds, state = _mine(work, config, inputs, nodes, distinct, reviewed, model)
        looking.result()
    found = index, testing.result()
    return step(nodes, "publication", lambda: _publish(work, config, inputs, distinct, state, seeds, *found))


def _read(
    work: Work, config: CorpusConfig, inputs: Inputs, nodes: Nodes | None, *, after_each: Callable[[], None]
) -> None:
    """The captures of the crawl, with their text."""
    captures = work.scratch / "captures"
    extract_crawl(
        crawl_parts(inputs["crawl"].path, config.reading),
        captures,
        hashes=config.duplicates.hashes,
        max_body_bytes=config.reading.max_body_bytes,
        workers=config.workers,
        limits=Limits(config.reading.timeout_seconds, config.reading.memory_bytes),
        nodes=nodes,
        after_each=after_each,
    )
    write_json(work.folder / "reading.json", reading_counts(captures))


def _distinct(work: Work, config: CorpusConfig, inputs: Inputs, nodes: Nodes | None) -> Distinct:
    """What is left of the captures when each page is there once."""
    captures, pages = work.scratch / "captures", work.scratch / "pages"
    distinct = step(
        nodes, "deduplication", lambda: write_distinct(captures, pages, config.duplicates, shards=config.shards)
    )
    if not distinct.steps[-1].left.pages:
        raise DataError(f"no page of {inputs['crawl'].path} has any text ({dict(distinct.steps[0].dropped)})")
    return distinct


def _mine(
    work: Work,
    config: CorpusConfig,
    inputs: Inputs,
    nodes: Nodes | None,
    distinct: Distinct,
    reviewed: Sequence[Pattern],
    model: Path | None,
) -> tuple[frozenset[str], State]:
    """The ids of the seed pages, and what the rounds, or one pass of a ready classifier, collected."""
    pages, listed = work.scratch / "pages", inputs.get("seed-pages")
    seeds = step(nodes, "seed pages", lambda: _seed_ids(listed.path, pages, distinct)) if listed else frozenset()
    if model:
        return seeds, step(nodes, "recall", lambda: recall_with(model, pages, work.scratch, seeds, config))
    with MetricsLog(work.logs) as log:
        mined = step(nodes, "rounds", lambda: iterate(pages, work.scratch, seeds, config, reviewed=reviewed, log=log))
    return seeds, mined


def crawl_parts(crawl: Path, reading: Reading) -> list[Part]:
    """The parts of a crawl, local or remote. Raises DataError when there is nothing to read."""
    pace = Pace(requests_per_second=reading.requests_per_second, tries=reading.tries)
    return parts_of(crawl, base=reading.base, fetcher=fetcher(pace, timeout_seconds=reading.answer_seconds))


def _publish(
    work: Work,
    config: CorpusConfig,
    inputs: Inputs,
    distinct: Distinct,
    state: State,
    given: frozenset[str],
    index: Path,
    tested: SelfTest,
) -> Outcome:
    """Writes the artifact from the scratch folders, prints the funnel and reports the counts."""
    joined = frames.scan(work.scratch / "pages").join(frames.scan(work.scratch / "quoted"), on="id")
    pages = frames.stored(release.cleaned(joined), work.scratch / "cleaned")
    why = mined.provenance(state, given)
    mine, other = round_frames.with_rounds(pages, mined.collected_folders(work.scratch, state))
    mine = frames.stored(round_frames.with_provenance(mine, why), work.scratch / "collected")
    other = frames.stored(other, work.scratch / "others")
    quoting = outputs.quoting_rows(mine)
    general = outputs.capped(other, tokens=config.general_tokens, seed=config.seed)
    kept = {name: _kept(frame, work, name, config) for name, frame in (("pages", mine), ("general", general))}
    outputs.write_dropped(work.folder / "dropped" / "dropped.jsonl.zst", [*distinct.dropped, *quoting])
    quotations = outputs.quotation_rows(pages)
    write_jsonl(work.folder / "decontamination.jsonl", quotations)
    facts = outputs.decontamination_facts(quotations, index, tested, config.decontamination)
    if config.decontamination.resembling_share is not None:
        alike = outputs.resembling_rows(pages, index, share=config.decontamination.resembling_share)
        facts["resembling_passages"] = write_jsonl(work.folder / "resembling.jsonl", alike)
    write_json(work.folder / "decontamination.json", facts)
    mined.write_mined(work.folder, work.scratch, state)
    mined.write_seed(work.folder / "seed.jsonl", pages, mine, why)
    if "model" not in inputs:
        shipped = {"vectors": config.fasttext.shipped_vectors, "prior_words": config.fasttext.prior_words}
        mined.write_model(work.folder, pages, work.scratch, state, **shipped)
    steps = _steps(distinct, state, mine, quoting)
    write_json(work.folder / "funnel.json", [one.row() for one in steps])
    digests = {name: inputs[name].digest for name in INPUTS if name in inputs}
    card = data_card(config, digests, [one.row() for one in steps], kept, outputs.pages_by_domain(mine), facts)
    write_atomic(work.folder / "README.md", card)
    _show(work, steps, f"tokens: {TOKENIZER}; {facts['texts']:,} benchmark texts protected; {tested.summary()}")
    return _outcome(steps, state, kept, facts)


def _ready_model(config: CorpusConfig, inputs: Inputs) -> Path | None:
    """The file of `--model`, that of a finished corpus or one of its own; None when the rounds are to train one."""
    given = inputs.get("model")
    if given is None:
        if "seed-pages" not in inputs:
            raise ArtifactError("--seed-pages is missing: it names the file of addresses to learn from (or --model)")
        return None
    if "patterns" in inputs:
        raise ConfigError("--patterns says what joins the seed of the next round; with --model there is none")
    if "seed-pages" not in inputs and config.recall.budget_tokens is None and config.recall.budget_share is None:
        raise ConfigError("--model without --seed-pages: set recall.budget_tokens or recall.budget_share")
    path = given.path if given.manifest is None else given.path / "model" / "model.ftz"
    try:
        Scorer(str(path))
    except ValueError as error:
        raise DataError(f"{path}: no fastText classifier of {MATHS} and {OTHER} ({error})") from None
    return path


def _kept(frame: Frame, work: Work, name: str, config: CorpusConfig) -> Kept:
    personal = config.personal_data
    return outputs.write_kept(
        frame,
        work.folder / name,
        work.scratch / f"kept-{name}",
        shards=config.shards,
        mask_emails=personal.mask_emails,
        mask_ip_addresses=personal.mask_ip_addresses,
    )


def _reviewed(path: Path) -> tuple[Pattern, ...]:
    try:
        return read_patterns(path.read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: {error}; start from the patterns.toml of a finished corpus") from None


def _seed_ids(path: Path, pages: Path, distinct: Distinct) -> frozenset[str]:
    """The distinct pages that the seed file names; a dropped duplicate stands for the page that was kept for it."""
    kept_for = {row["key"]: row["detail"] for row in distinct.dropped if row["reason"] in DUPLICATES}
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    keys = {key for line in lines if line and not line.startswith("#") and (key := url_key(line))}
    wanted = {_followed(key, kept_for) for key in keys}
    light = frames.scan(pages).select("id", "key").where(col("key").is_in(sorted(wanted) or [""]))
    found = frozenset(row["id"] for row in frames.rows(light))
    if not found:
        raise DataError(
            f"none of the {len(keys)} URLs in {path} is a page of this crawl with text; list some, one a line"
        )
    return found


def _followed(key: str, kept_for: Mapping[str, str]) -> str:
    for _ in range(len(DUPLICATES)):  # a page of the same text can itself be a near duplicate
        key = kept_for.get(key, key)
    return key


def _steps(distinct: Distinct, state: State, mine: Frame, quoting: Sequence[Dropped]) -> list[Step]:
    """The funnel: what the steps before the rounds left, the pages of each round, the clean pages of the last."""
    before = distinct.steps[-1].left.pages
    rounds = [
        Step(
            f"recalled in round {one.round}",
            Count(one.pages, one.tokens, one.languages),
            {"below the token budget": before - one.pages},
        )
        for one in state.rounds
    ]
    clean = frames.tally(mine.where(~col("contaminated")).with_column("collected", lit(True)), "language")
    return [*distinct.steps, *rounds, Step("quotes no benchmark", count_of(clean), reasons(quoting))]


def _show(work: Work, steps: Sequence[Step], note: str) -> None:
    text = f"{table(steps)}\n{note}\n"
    write_atomic(work.logs / "funnel.txt", text)
    print(text, end="", file=sys.stderr, flush=True)


def _outcome(steps: Sequence[Step], state: State, kept: Mapping[str, Kept], facts: Mapping[str, Any]) -> Outcome:
    first, last = steps[0], steps[-1]
    chinese = last.left.languages.get("zh", 0)
    captures = first.left.pages + sum(first.dropped.values())
    counts = {
        "captures": captures,
        "distinct_pages": steps[3].left.pages,
        "pages": last.left.pages,
        "pages_zh": chinese,
        "tokens": last.left.tokens,
        "general_pages": kept["general"].pages,
        "rounds": len(state.rounds),
        "pages_that_quote_benchmarks": facts["pages_that_quote"],
        "segments_removed": facts["segments_removed"],
        "planted_benchmark_texts": facts["self_test"]["planted"],
        "planted_benchmark_texts_found": facts["self_test"]["found"],
        "emails": sum(one.emails for one in kept.values()),
        "ip_addresses": sum(one.ip_addresses for one in kept.values()),
    }
    summary = (
        f"{captures:,} captures -> {steps[3].left.pages:,} distinct -> {last.left.pages:,} maths pages "
        f"({chinese:,} zh), {last.left.tokens:,} tokens, {len(state.rounds)} rounds"
    )
    return Outcome(counts, summary)


STAGE = Stage(
    name="corpus",
    about="mines pages about mathematics from WARC files (section 2.1)",
    config=CorpusConfig,
    run=run,
    makes="corpus",
    format=2,
    needs={"crawl": "crawl|folder|file", "benchmarks": "benchmark_index|folder"},
    takes={"seed-pages": "file", "patterns": "file", "model": "corpus|file"},
)
