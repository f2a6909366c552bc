"""Figure 2: classify, recall, discover domains, grow the seed, again. The loop and its state."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from commons.errors import DataError
from commons.metrics import MetricsLog
from commons.seeds import seed_of
from commons.shards import write_parquet
from corpus import classifier, frames
from corpus.config import CorpusConfig, FastText, Recall
from corpus.domains import Pattern, Tally, accepted_prefixes, maths_domains
from corpus.frames import Frame, col
from corpus.funnel import Count, count_of
from corpus.recall import NOTHING, Cutoff, budget_of_round, cut_bin, cut_inside, seed_threshold


@dataclass(frozen=True, slots=True)
class Seed:
    """What the next round trains on: positives, of them the pages that the user gave, and domains without negatives.

    The domains are all that any round found to be about mathematics: what is there is no example of other text."""

    positives: frozenset[str]
    given: frozenset[str]
    domains: frozenset[str]


@dataclass(frozen=True, slots=True)
class Round:
    """One row of rounds.json."""

    round: int
    positives: int
    negatives: int
    budget_tokens: int
    cutoff_score: float | None
    pages: int
    tokens: int
    languages: Mapping[str, int]
    already_collected: float
    maths_domains: int
    accepted_patterns: int
    new_seed_pages: int


@dataclass(frozen=True, slots=True)
class Mined:
    """What the rounds leave: their rows, the domains and patterns of the last one, and the number of the last one."""

    rounds: tuple[Round, ...]
    domains: tuple[dict[str, Any], ...]
    patterns: tuple[Pattern, ...]


def iterate(
    pages: Path,
    scratch: Path,
    given: frozenset[str],
    config: CorpusConfig,
    *,
    reviewed: frozenset[str] | None,
    log: MetricsLog,
) -> Mined:
    """Section 2.1: rounds until the budgeted pages hardly change. Round n leaves `scratch`/round-n/pages.parquet.

    `given` are the ids of the user's seed pages, `reviewed` the prefixes of a patterns file, which then decides alone.
    """
    distinct = frames.scan(pages)
    seed = Seed(given, given, _domains_of(distinct, given))
    before: Frame | None = None
    rounds: list[Round] = []
    patterns: dict[str, Pattern] = {}
    for number in range(1, config.recall.rounds + 1):
        folder = scratch / f"round-{number}"
        model, trained_on = _train(distinct, seed, folder, config.fasttext, seed_of(config.seed, "fasttext", number))
        scores = frames.scored(distinct, model).collect()
        budget, cutoff = _cut(scores, seed, config.recall, [one.budget_tokens for one in rounds])
        collected = frames.with_collected(scores, cutoff).collect()
        _write_collected(collected, folder)
        mine = collected.where(col("collected"))
        left = count_of(frames.tally(mine, "language"))
        known = _share_known(mine, before, left)
        tallies = frames.tally(collected, "domain")
        maths = maths_domains((_tally(row, "domain") for row in tallies), maths_share=config.domains.maths_share)
        found = _patterns(collected, maths, config, number, reviewed)
        patterns |= {one.prefix: _first_accepted(patterns.get(one.prefix), one) for one in found}
        accepted = frozenset(one.prefix for one in found if one.accepted_by)
        new = frames.uncollected_under(collected, accepted, depth=config.domains.pattern_depth)
        rounds.append(_round(number, trained_on, budget, cutoff, left, known, (maths, accepted, new)))
        log.write(number, _numbers(rounds[-1]))
        if known >= config.recall.stop_share:
            break
        seed = Seed(seed.positives | set(new), seed.given, seed.domains | maths)
        before = mine
    domains = tuple({**row, "maths": row["domain"] in maths} for row in tallies)
    return Mined(tuple(rounds), domains, tuple(patterns.values()))


def _train(pages: Frame, seed: Seed, folder: Path, config: FastText, draw: int) -> tuple[Path, tuple[int, int]]:
    """Trains the classifier of a round; returns its file and the numbers of positives and negatives."""
    folder.mkdir(parents=True, exist_ok=True)
    positives = sorted(seed.positives)[: config.max_positives]
    wanted = max(1, round(config.negatives_per_positive * len(positives)))
    other = _texts(frames.negatives(pages, positives, sorted(seed.domains), count=wanted, seed=draw))
    if not other:  # every page lies in a domain of the seed
        other = _texts(frames.negatives(pages, positives, [], count=wanted, seed=draw))
    maths = _texts(frames.with_ids(pages, positives))
    counts = classifier.write_training_file(folder / "training.txt", maths, other)
    if not all(counts):
        raise DataError(f"got {counts[0]} seed pages and {counts[1]} other pages with text; training needs both kinds")
    model = classifier.train(
        folder / "training.txt",
        dimensions=config.dimensions,
        learning_rate=config.learning_rate,
        word_ngrams=config.word_ngrams,
        min_count=config.min_count,
        epochs=config.epochs,
        buckets=config.buckets,
        seed=draw,
    )
    model.save_model(str(folder / "model.bin"))
    return folder / "model.bin", counts


def _texts(frame: Frame) -> list[str]:
    return [row["text"] for row in sorted(frames.rows(frame.select("id", "text")), key=lambda row: row["id"])]


def _cut(scores: Frame, seed: Seed, config: Recall, earlier: Sequence[int]) -> tuple[int, Cutoff]:
    """The budget of this round and where it cuts the ranked pages.

    A budget that is not given never shrinks, as the paper's never do: a classifier trained on more seed pages is
    surer of them, and the score that most of them reach rises above that of new kinds of pages."""
    if config.budget_tokens:
        budget = budget_of_round(config.budget_tokens, len(earlier) + 1)
    else:
        given = frames.with_ids(scores, sorted(seed.given)).where(~col("score").is_null())
        known = [row["score"] for row in frames.rows(given.select("score"))]
        budget = max([frames.tokens_from(scores, seed_threshold(known, config.seed_share)), *earlier])
    found = cut_bin(frames.tokens_by_bin(scores), budget)
    if found is None:
        return budget, Cutoff(-1e30, "~")
    bin_number, left = found
    inside = cut_inside(frames.pages_in_bin(scores, bin_number), left)
    return budget, inside or cut_inside(frames.last_above(scores, bin_number), 1 << 62) or NOTHING


def _patterns(
    collected: Frame, maths: frozenset[str], config: CorpusConfig, number: int, reviewed: frozenset[str] | None
) -> list[Pattern]:
    rules = config.domains
    prefixes = frames.with_prefixes(collected, sorted(maths), depth=rules.pattern_depth)
    tallies = [_tally(row, "prefix") for row in frames.tally(prefixes, "prefix")] if maths else []
    if reviewed is None:
        accepted = accepted_prefixes(tallies, share=rules.pattern_share, pages=rules.pattern_pages)
    else:
        accepted = reviewed
    by = "rule" if reviewed is None else "file"
    known = [tally for tally in tallies if tally.pages >= rules.pattern_pages or tally.name in accepted]
    found = [Pattern(one.name, one.pages, one.collected, number, by if one.name in accepted else "") for one in known]
    return found + [Pattern(name, 0, 0, number, by) for name in sorted(accepted - {one.name for one in known})]


def _first_accepted(old: Pattern | None, new: Pattern) -> Pattern:
    """The newer counts under the round and the verdict with which a prefix was first accepted."""
    if old is None or not old.accepted_by:
        return new
    return Pattern(new.prefix, new.pages, new.collected, old.round, old.accepted_by)


def _share_known(mine: Frame, before: Frame | None, left: Count) -> float:
    """Share of the collected tokens that the round before had collected."""
    if before is None or not left.tokens:
        return 0.0
    both = mine.join(before.select("id"), on="id", how="semi")
    return round(count_of(frames.tally(both, "language")).tokens / left.tokens, 6)


def _write_collected(collected: Frame, folder: Path) -> None:
    frame = collected.where(col("collected")).select("id", "score")
    write_parquet(folder / "collected" / "pages.parquet", frame.to_arrow().sort_by("id"))


def _domains_of(pages: Frame, ids: frozenset[str]) -> frozenset[str]:
    return frozenset(row["domain"] for row in frames.rows(frames.with_ids(pages, sorted(ids)).select("domain")))


def _tally(row: Mapping[str, Any], name: str) -> Tally:
    return Tally(row[name], row["pages"], row["collected"])


def _round(
    number: int,
    trained_on: tuple[int, int],
    budget: int,
    cutoff: Cutoff,
    left: Count,
    known: float,
    discovered: tuple[frozenset[str], frozenset[str], Sequence[str]],
) -> Round:
    maths, accepted, new = discovered
    score = round(cutoff.score, 6) if abs(cutoff.score) < 1e20 else None
    return Round(
        number,
        *trained_on,
        budget,
        score,
        left.pages,
        left.tokens,
        left.languages,
        known,
        len(maths),
        len(accepted),
        len(new),
    )


def _numbers(one: Round) -> dict[str, float]:
    return {
        f"corpus/{name}": value
        for name, value in asdict(one).items()
        if isinstance(value, int | float) and name != "round"
    }
