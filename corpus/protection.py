"""The two steps about benchmarks, in a process beside those that they do not wait for.

The index needs no page, so it is built while the crawl is read; its self-test runs while duplicates are looked for, on
the core that they leave idle; what the pages quote needs no score, so it is looked for while the classifier learns and
scores. On a cluster the nodes do the last, as a step of their own.
"""

import multiprocessing as mp
import os
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from commons.artifacts import Artifact
from commons.shards import write_parquet
from corpus import frames, release
from corpus.config import Decontamination
from corpus.decontaminate import Rule
from corpus.index import index_for, load_index
from corpus.selftest import SelfTest, checked, self_test
from corpus.workers import end_with


@contextmanager
def one_process() -> Iterator[ProcessPoolExecutor]:
    """A process that does what it is given, one thing after the other; it ends with the block, and with its parent."""
    spawn = mp.get_context("spawn")  # a fork would copy the threads of Arrow and Daft in a half-locked state
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=end_with, initargs=(os.getpid(),)) as process:
        yield process


def raise_failure(started: "Future[Any]") -> None:
    """Raises what ended a step in the other process, now and not when its result is asked for."""
    if started.done() and (error := started.exception()) is not None:
        raise error


def built_index(benchmarks: Artifact, scratch: Path, rules: Decontamination) -> Path:
    """The folder of the index; errors as in `index_for`."""
    return index_for(benchmarks, scratch, answers=rules.answers, gram_tokens=rules.gram_tokens).absolute()


def self_tested(index: Path, rules: Decontamination, seed: int) -> SelfTest:
    """What the self-test of an index found, all of it; errors as in `checked`."""
    return checked(self_test(load_index(index), rule_of(rules), per_file=rules.self_test_items, seed=seed))


def write_quoted(pages: Path, path: Path, index: Path, rules: Decontamination) -> None:
    """What the distinct pages quote, once: a row for each page in order of the ids (`release.with_quotations`)."""
    if not path.exists():
        light = frames.scan(pages).select("id", "text")
        found = release.with_quotations(light, index, rule_of(rules)).exclude("text")
        write_parquet(path, found.to_arrow().sort_by("id"))


def rule_of(rules: Decontamination) -> Rule:
    """What removes what, as the config says."""
    return Rule(rules.removes, rules.boilerplate_items, rules.boilerplate_pages, rules.min_distinct_tokens)
