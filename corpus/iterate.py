"""Figure 2: classify, recall, discover domains, grow the seed, again. The loop, resumed at the round after a kill."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from commons.metrics import MetricsLog
from commons.seeds import seed_of
from commons.shards import write_parquet
from corpus import frames, heldout, ranking, round_frames, training
from corpus.classifier import Trained
from corpus.config import CorpusConfig, Recall
from corpus.discover import Discovery, discover
from corpus.frames import Frame, col
from corpus.funnel import Count, count_of
from corpus.heldout import HeldOut, Point
from corpus.patterns import Pattern
from corpus.ranking import Ranking
from corpus.recall import Cutoff, of_round, seed_threshold
from corpus.rounds import Joined, Round, State, read_state, save_state
from corpus.training import Lesson

COLLECTED = "collected"


@dataclass(frozen=True, slots=True)
class Crawl:
    """What all rounds share: distinct pages, their marks (`training.with_marks`), whether maths is rare among them."""

    pages: Frame
    marked: Frame
    rare: bool
    given: frozenset[str]
    reviewed: tuple[Pattern, ...]
    scratch: Path


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a round collected: its cut, the frame of scores with `collected`, and the figures at the cut."""

    ranked: Ranking
    budget: int
    cut: Cutoff
    pages: Frame
    left: Count
    held_out: HeldOut


def iterate(
    pages: Path,
    scratch: Path,
    given: frozenset[str],
    config: CorpusConfig,
    *,
    reviewed: Sequence[Pattern],
    log: MetricsLog,
) -> State:
    """Section 2.1: rounds until the budgeted pages hardly change. Round n leaves `scratch`/round-n/ with `collected/`.

    `given` are the ids of the user's seed pages, `reviewed` the patterns that a person decided on."""
    distinct = frames.scan(pages)
    marked = training.with_marks(distinct, config.fasttext, config.seed).collect()
    rare = round_frames.share_with_formulas(marked) < config.fasttext.maths_is_rare_below
    crawl = Crawl(distinct, marked, rare, given, tuple(reviewed), scratch)
    state = State(domains=_domains_of(marked, given))
    for number in range(1, config.recall.rounds + 1):
        folder = scratch / f"round-{number}"
        if read_state(folder) is None:
            save_state(folder, _round(crawl, state, folder, config, number))
        # from the file also when it was made just now: what a run writes must not depend on where it was killed
        found = read_state(folder)
        assert found is not None
        state = found
        log.write(number, _numbers(state.rounds[-1]))
        if state.rounds[-1].already_collected >= config.recall.stop_share:
            break
    return state


def recall_with(model: Path, pages: Path, scratch: Path, given: frozenset[str], config: CorpusConfig) -> State:
    """One pass of a classifier that is there already: score and cut; nothing is trained, no domain is looked at.

    Leaves `scratch`/round-1/ as a round of `iterate` does. Without a budget in the config, `given` sets it."""
    folder = scratch / "round-1"
    found = read_state(folder)
    if found is not None:
        return found
    untaught = Lesson((), (), (), (), "a ready model")
    scores = round_frames.scored(frames.scan(pages), model, prior_words=config.fasttext.prior_words).collect()
    ranked = round_frames.with_rank(scores, sorted(given) if config.recall.seed_first else []).collect()
    recalled = _recall(ranked, untaught, given, config.recall, [])
    _write_collected(recalled, folder)
    nothing = Discovery((), frozenset(), (), 0, {})
    state = State((_row(1, untaught, Trained(model, 0.0, 0), recalled, 0.0, nothing, 0),))
    save_state(folder, state)
    return state


def _round(crawl: Crawl, state: State, folder: Path, config: CorpusConfig, number: int) -> State:
    """One round: the four steps of Figure 2. Returns the state after it."""
    draw = seed_of(config.seed, "fasttext", number)
    positives = sorted(crawl.given | state.joined.keys())
    domains = sorted(state.domains)
    chosen = training.lesson(crawl.marked, positives, domains, config.fasttext, seed=draw, rare=crawl.rare)
    trained = training.train(crawl.pages, chosen, folder, config.fasttext, seed=draw)
    scores = round_frames.scored(crawl.pages, trained.path, prior_words=config.fasttext.prior_words).collect()
    ranked = round_frames.with_rank(scores, positives if config.recall.seed_first else []).collect()
    recalled = _recall(ranked, chosen, crawl.given, config.recall, [one.budget_tokens for one in state.rounds])
    mine = _write_collected(recalled, folder)
    found = discover(recalled.pages, config.domains, number, reviewed=crawl.reviewed, known=state.patterns, seed=draw)
    left = {name: one for name, one in state.joined.items() if one.pattern not in found.withdrawn}
    joined = {
        name: Joined(one, one.split("/", 1)[0], number)
        for name, one in found.lets_in.items()
        if name not in crawl.given and name not in left
    }
    before = crawl.scratch / f"round-{number - 1}" / COLLECTED if number > 1 else None
    row = _row(number, chosen, trained, recalled, _share_known(mine, before, recalled.left), found, len(joined))
    return State(
        (*state.rounds, row),
        state.domains | found.maths,
        {**left, **joined},
        found.patterns,
        found.tallies,
        (*state.curve, *_curve(recalled, number, config.recall.curve_points)),
        (*state.budgets, *_budgets(recalled, number, config.recall.budget_multiples)),
        chosen.held_out_maths,
        chosen.held_out_other,
    )


def _write_collected(recalled: Recalled, folder: Path) -> Frame:
    mine = recalled.pages.where(col("collected"))
    write_parquet(folder / COLLECTED / "pages.parquet", mine.select("id", "url", "score").to_arrow().sort_by("id"))
    return mine


def _recall(scores: Frame, chosen: Lesson, given: frozenset[str], config: Recall, earlier: Sequence[int]) -> Recalled:
    ranked = ranking.ranking(scores)
    budget = _budget(scores, given, config, earlier)
    cut = ranking.cutoff(ranked, budget)
    pages = round_frames.with_collected(scores, cut).collect()
    left = count_of(frames.tally(pages.where(col("collected")), "language"))
    return Recalled(ranked, budget, cut, pages, left, training.held_out_scores(scores, chosen))


def _budget(scores: Frame, given: frozenset[str], config: Recall, earlier: Sequence[int]) -> int:
    """Tokens to keep in this round.

    A budget that is not given never shrinks, as the paper's never do: a classifier trained on more seed pages is
    surer of them, and the score that most of them reach rises above that of new kinds of pages."""
    number = len(earlier) + 1
    if config.budget_tokens:
        return int(of_round(config.budget_tokens, number))
    if config.budget_share:
        return round(of_round(config.budget_share, number) * round_frames.tokens_in(scores))
    mine = frames.with_ids(scores, sorted(given)).where(~col("score").is_null())
    known = [row["score"] for row in frames.rows(mine.select("score"))]
    return max([round_frames.tokens_from(scores, seed_threshold(known, config.seed_share)), *earlier])


def _curve(recalled: Recalled, number: int, points: int) -> list[dict[str, Any]]:
    """The classifier alone: seed pages stand where it puts them, not first."""
    alone = ranking.ranking(round_frames.with_rank(recalled.ranked.scores.exclude("rank"), []))
    found = heldout.curve(heldout.edges(alone.sums, points=points), recalled.held_out)
    return [{"round": number, **asdict(one)} for one in found]


def _budgets(recalled: Recalled, number: int, multiples: Sequence[float]) -> list[dict[str, Any]]:
    """Section 2.1, the experiment with 40, 80, 120 and 160B tokens: what other budgets would keep."""
    rows = []
    for multiple in sorted(multiples):
        budget = round(multiple * recalled.budget)
        one = _point(recalled, ranking.cutoff(recalled.ranked, budget))
        rows.append({"round": number, "multiple": multiple, "budget_tokens": budget, **asdict(one)})
    return rows


def _point(recalled: Recalled, cut: Cutoff) -> Point:
    return heldout.point(cut, ranking.kept_by(recalled.ranked, cut), recalled.held_out)


def _share_known(mine: Frame, before: Path | None, left: Count) -> float:
    """Share of the collected tokens that the round before had collected."""
    if before is None or not left.tokens:
        return 0.0
    both = mine.join(frames.scan(before).select("id"), on="id", how="semi")
    return round(count_of(frames.tally(both, "language")).tokens / left.tokens, 6)


def _domains_of(marked: Frame, ids: frozenset[str]) -> frozenset[str]:
    found = frames.with_ids(marked, sorted(ids)).select("domain")
    return frozenset(row["domain"] for row in frames.rows(found))


def _row(
    number: int,
    chosen: Lesson,
    trained: Trained,
    recalled: Recalled,
    known: float,
    found: Discovery,
    new_seed_pages: int,
) -> Round:
    bounds = round_frames.bounds(recalled.ranked.scores, "score")
    lowest, highest = (round(bounds[0], 6), round(bounds[1], 6)) if bounds else (None, None)
    at_cut = _point(recalled, recalled.cut)
    return Round(
        round=number,
        positives=len(chosen.maths),
        negatives=len(chosen.other),
        negatives_from=chosen.negatives_from,
        held_out_positives=len(chosen.held_out_maths),
        held_out_negatives=len(chosen.held_out_other),
        learning_rate=trained.learning_rate,
        nan_attempts=trained.nan_attempts,
        lowest_score=lowest,
        highest_score=highest,
        budget_tokens=recalled.budget,
        cutoff_score=at_cut.threshold,
        pages=recalled.left.pages,
        tokens=recalled.left.tokens,
        languages=recalled.left.languages,
        precision=at_cut.precision,
        recall=at_cut.recall,
        already_collected=known,
        maths_domains=len(found.maths),
        accepted_patterns=found.accepted,
        new_seed_pages=new_seed_pages,
    )


def _numbers(one: Round) -> dict[str, float]:
    """The row as metrics; languages and what does not exist are left out."""
    row: Mapping[str, Any] = asdict(replace(one, languages={}))
    return {
        f"corpus/{name}": value for name, value in row.items() if isinstance(value, int | float) and name != "round"
    }
