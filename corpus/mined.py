"""The files of the corpus artifact that say how it was mined: rounds, curve, budgets, domains, patterns, seed, model.

docs/artifacts.md describes them."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from commons.files import write_atomic, write_json
from commons.shards import write_jsonl
from corpus import classifier, frames, heldout
from corpus.classifier import Scorer
from corpus.frames import Frame
from corpus.heldout import Scored
from corpus.iterate import COLLECTED
from corpus.review import patterns_toml
from corpus.rounds import State
from corpus.tokens import TOKENIZER

SEED = "seed"


def provenance(state: State, given: Iterable[str]) -> dict[str, str]:
    """Why a page is a seed page, by id: `seed` for those of the user, else the pattern that let it in."""
    return {name: one.text() for name, one in state.joined.items()} | dict.fromkeys(given, SEED)


def collected_folders(scratch: Path, state: State) -> list[Path]:
    """The folders of the pages that each round collected, first round first."""
    return [scratch / f"round-{one.round}" / COLLECTED for one in state.rounds]


def write_mined(folder: Path, scratch: Path, state: State) -> None:
    """Writes rounds.json, rounds/, curve.jsonl, budgets.jsonl, domains.jsonl and patterns.toml."""
    for one, source in zip(state.rounds, collected_folders(scratch, state), strict=True):
        write_atomic(folder / "rounds" / f"round-{one.round}.parquet", (source / "pages.parquet").read_bytes())
    write_json(folder / "rounds.json", {"tokenizer": TOKENIZER, "rounds": [asdict(one) for one in state.rounds]})
    write_jsonl(folder / "curve.jsonl", state.curve)
    write_jsonl(folder / "budgets.jsonl", state.budgets)
    rows = ({**asdict(one), "share": round(one.share, 6), "maths": one.name in state.domains} for one in state.tallies)
    write_jsonl(folder / "domains.jsonl", rows)
    write_atomic(folder / "patterns.toml", patterns_toml(state.patterns))


def write_seed(path: Path, pages: Frame, mine: Frame, why: Mapping[str, str]) -> int:
    """seed.jsonl: each seed page after the last round, why it is one, and the round that first collected it, if any.

    `mine` are the collected pages with `round`."""
    first = {row["id"]: row["round"] for row in frames.rows(frames.with_ids(mine, sorted(why)).select("id", "round"))}
    found = frames.rows(frames.with_ids(pages.select("id", "url", "domain"), sorted(why)))
    rows = sorted(found, key=lambda row: (row["url"], row["id"]))
    return write_jsonl(
        path, ({**row, "provenance": why[row["id"]], "collected_in_round": first.get(row["id"])} for row in rows)
    )


def write_model(folder: Path, pages: Frame, scratch: Path, state: State, *, vectors: int, prior_words: int) -> None:
    """model/: the quantised classifier of the last round with its size, and its agreement with the full one.

    Both score the held-out pages; `agreement` is the share that they put on the same side of the last cut."""
    last = scratch / f"round-{state.rounds[-1].round}"
    full, small = last / "model.bin", folder / "model" / "model.ftz"
    small.parent.mkdir(parents=True, exist_ok=True)
    classifier.quantise(full, small, vectors=vectors)
    ids = sorted([*state.held_out_maths, *state.held_out_other])
    texts = sorted((row["id"], row["text"]) for row in frames.rows(frames.with_ids(pages, ids).select("id", "text")))
    one, two = (_scores(Scorer(str(model), prior_words=prior_words), texts) for model in (full, small))
    cut = state.rounds[-1].cutoff_score
    gaps = [abs(a - b) for (_, a), (_, b) in zip(one, two, strict=True) if a is not None and b is not None]
    facts: dict[str, Any] = {
        "text": "corpus/classifier.py::fasttext_line",
        "labels": [classifier.MATHS, classifier.OTHER],
        "prior_words": prior_words,
        "vectors": vectors,
        "bytes": small.stat().st_size,
        "bytes_full": full.stat().st_size,
        "held_out_pages": len(texts),
        "cutoff_score": cut,
        "agreement": None if cut is None else heldout.agreement(one, two, cut),
        "median_difference": round(median(gaps), 6) if gaps else None,
    }
    write_json(folder / "model" / "model.json", facts)


def _scores(scorer: Scorer, texts: Iterable[tuple[str, str]]) -> list[Scored]:
    return [(name, scorer.log_odds(text)) for name, text in texts]
