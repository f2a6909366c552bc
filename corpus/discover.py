"""Steps 3 and 4 of Figure 2: domains about mathematics, and the paths in them whose other pages join the seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpus import frames, round_frames
from corpus.config import Domains
from corpus.domains import HOST, Tally, maths_domains, with_registrable
from corpus.frames import Frame
from corpus.patterns import ACCEPT, OPEN, REJECT, Candidate, Pattern, accepted_by_rule, verdicts
from corpus.review import RULE


@dataclass(frozen=True, slots=True)
class Discovery:
    """What a round found: domain counts, hosts about mathematics, all patterns so far, and the pages to add by id.

    `withdrawn` are the patterns that the rule takes back: what they let in leaves the seed."""

    tallies: tuple[Tally, ...]
    maths: frozenset[str]
    patterns: tuple[Pattern, ...]
    accepted: int
    lets_in: Mapping[str, str]
    withdrawn: frozenset[str] = frozenset()


def discover(
    collected: Frame,
    rules: Domains,
    number: int,
    *,
    reviewed: Sequence[Pattern],
    known: Sequence[Pattern],
    seed: int,
) -> Discovery:
    """Domains of a frame of scores with `collected`, candidates in them, and what the accepted ones let in.

    `reviewed` are a person's decisions, `known` the patterns of earlier rounds: what the rule once accepted stays while
    its domain is about mathematics."""
    hosts = [_tally(row) for row in frames.tally(collected, "domain")]
    tallies = tuple(with_registrable(hosts))
    maths = maths_domains(tallies, maths_share=rules.maths_share)
    suggested = round_frames.with_proposed(collected, sorted(maths), depth=rules.pattern_depth).collect()
    candidates = round_frames.candidates(suggested, pages=rules.pattern_pages)
    decided = {one.pattern: one for one in reviewed if one.decision != OPEN}
    withdrawn = _withdrawn(known, maths)
    by_rule = _accepted(candidates, known, rules) - withdrawn
    samples = round_frames.sample_urls(suggested, [one.pattern for one in candidates], count=rules.samples, seed=seed)
    patterns = _patterns(candidates, number, by_rule, decided, {one.pattern: one for one in known}, samples)
    accepted = [one.pattern for one in patterns if one.decision == ACCEPT]
    rejected = [one.pattern for one in patterns if one.decision == REJECT]
    lets_in = round_frames.uncollected_under(collected, verdicts(accepted, rejected))
    return Discovery(tallies, maths, patterns, len(accepted), lets_in, withdrawn)


def _accepted(candidates: Sequence[Candidate], known: Sequence[Pattern], rules: Domains) -> frozenset[str]:
    if not rules.unattended:
        return frozenset()
    before = _accepted_before(known)
    now = accepted_by_rule(
        candidates, share=rules.pattern_share, pages=rules.pattern_pages, poor_share=rules.poor_share
    )
    return now | before


def _accepted_before(known: Sequence[Pattern]) -> frozenset[str]:
    return frozenset(one.pattern for one in known if one.decision == ACCEPT and one.decided_by == RULE)


def _withdrawn(known: Sequence[Pattern], maths: frozenset[str]) -> frozenset[str]:
    """The patterns that the rule once accepted in a domain that is no longer about mathematics."""
    return frozenset(one.pattern for one in known if one.pattern in _accepted_before(known) and one.domain not in maths)


def _patterns(
    candidates: Sequence[Candidate],
    number: int,
    by_rule: frozenset[str],
    decided: Mapping[str, Pattern],
    known: Mapping[str, Pattern],
    samples: Mapping[tuple[str, bool], Sequence[str]],
) -> tuple[Pattern, ...]:
    """All patterns with the newest counts; a verdict keeps the round in which it was first given."""
    counts = {one.pattern: one for one in candidates}
    found = []
    for name in sorted(counts.keys() | known.keys() | decided.keys()):
        old, person = known.get(name), decided.get(name)
        decision, by = OPEN, ""
        if person is not None:
            decision, by = person.decision, person.decided_by
        elif name in by_rule:
            decision, by = ACCEPT, RULE
        same = old is not None and (old.decision, old.decided_by) == (decision, by) and decision != OPEN
        round_of_verdict = old.round if same and old is not None else number
        if name in counts:
            one = counts[name]
            shown = tuple(samples.get((name, True), ())), tuple(samples.get((name, False), ()))
            found.append(Pattern(name, one.domain, one.pages, one.collected, round_of_verdict, decision, by, *shown))
        else:
            last = old or person
            assert last is not None
            shown = last.collected_samples, last.other_samples
            found.append(Pattern(name, last.domain, last.pages, last.collected, round_of_verdict, decision, by, *shown))
    return tuple(found)


def _tally(row: Mapping[str, object]) -> Tally:
    numbers = (row["pages"], row["tokens"], row["collected"], row["collected_tokens"])
    return Tally(str(row["domain"]), HOST, *(int(str(one)) for one in numbers))
