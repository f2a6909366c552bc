"""python -m corpus.annotate: decide which URL paths join the seed (section 2.1, "manually annotate the URLs").

    python -m corpus.annotate FILE list [--decision open] [--domain a.org]    one line for each pattern
    python -m corpus.annotate FILE show a.org/maths ...                       counts and sample pages
    python -m corpus.annotate FILE accept a.org/maths ...                     (a pattern of your own is added)
    python -m corpus.annotate FILE reject a.org/chat ...
    python -m corpus.annotate FILE unattended [--share 0.5] [--pages 5] [--poor-share 0.3]   the rule decides the open

FILE is a copy of the `patterns.toml` of a finished corpus; give it back to `python -m corpus` as `--patterns`.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from commons.errors import ArtifactError, ConfigError, DataError, ProjectError
from commons.files import write_atomic
from corpus.config import Domains
from corpus.patterns import ACCEPT, OPEN, REJECT, Candidate, Pattern, accepted_by_rule
from corpus.review import DECISIONS, PERSON, RULE, normal, patterns_toml, read_patterns


def listed(patterns: Iterable[Pattern], *, decision: str | None, domain: str | None) -> str:
    """One line for each pattern of a decision and a domain: decision, share, counts, pattern."""
    lines = [f"{'decision':<9}{'by':<8}{'share':>6}{'collected':>10}{'pages':>8}  pattern"]
    for one in patterns:
        if (decision or one.decision) == one.decision and (domain or one.domain) == one.domain:
            share = f"{one.collected / one.pages:.2f}" if one.pages else "-"
            counts = f"{share:>6}{one.collected:>10,}{one.pages:>8,}"
            lines.append(f"{one.decision:<9}{one.decided_by:<8}{counts}  {one.pattern}")
    return "\n".join(lines)


def shown(one: Pattern) -> str:
    """A pattern with its counts and sample pages."""
    lines = [
        f"{one.pattern}  ({one.decision}{' by ' + one.decided_by if one.decided_by else ''})",
        f"  {one.collected:,} of {one.pages:,} pages collected in round {one.round}, domain {one.domain}",
        *(f"  collected  {url}" for url in one.collected_samples),
        *(f"  not        {url}" for url in one.other_samples),
    ]
    return "\n".join(lines)


def decided(patterns: Sequence[Pattern], names: Iterable[str], decision: str) -> list[Pattern]:
    """The patterns with a person's decision on some. An unknown one is added when it is accepted or rejected."""
    found = {one.pattern: one for one in patterns}
    for name in map(normal, names):
        old = found.get(name) or Pattern(name, name.split("/", 1)[0], 0, 0, 0, OPEN, "")
        found[name] = replace(old, decision=decision, decided_by=PERSON)
    return list(found.values())


def unattended(patterns: Sequence[Pattern], *, share: float, pages: int, poor_share: float) -> list[Pattern]:
    """The patterns with the open ones accepted where the rule accepts them; a person's decisions stay."""
    counted = [Candidate(one.pattern, one.domain, one.pages, one.collected) for one in patterns if one.pages]
    accepted = accepted_by_rule(counted, share=share, pages=pages, poor_share=poor_share)
    return [
        replace(one, decision=ACCEPT, decided_by=RULE) if one.decision == OPEN and one.pattern in accepted else one
        for one in patterns
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    try:
        _run(_parser().parse_args(sys.argv[1:] if argv is None else argv))
    except ProjectError as error:
        print(f"corpus.annotate: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _run(flags: argparse.Namespace) -> None:
    patterns = _read(flags.file)
    if flags.action == "list":
        print(listed(patterns, decision=flags.decision, domain=flags.domain))
    elif flags.action == "show":
        known = {one.pattern: one for one in patterns}
        names = [normal(name) for name in flags.patterns]
        if missing := [name for name in names if name not in known]:
            raise ConfigError(f"{flags.file} has no pattern {missing[0]}; `list` shows what there is")
        print("\n".join(shown(known[name]) for name in names))
    elif flags.action == "unattended":
        _write(flags.file, unattended(patterns, share=flags.share, pages=flags.pages, poor_share=flags.poor_share))
    else:
        _write(flags.file, decided(patterns, flags.patterns, ACCEPT if flags.action == "accept" else REJECT))


def _read(path: Path) -> tuple[Pattern, ...]:
    try:
        return read_patterns(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ArtifactError(f"{path} is not there; copy the patterns.toml of a finished corpus to it") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: {error}") from None


def _write(path: Path, patterns: Sequence[Pattern]) -> None:
    if (path.parent / "manifest.json").exists():
        raise ConfigError(f"{path} belongs to a finished artifact: copy it, edit the copy and give that as --patterns")
    write_atomic(path, patterns_toml(patterns))
    counts = {decision: sum(one.decision == decision for one in patterns) for decision in DECISIONS}
    print(", ".join(f"{number} {decision}" for decision, number in counts.items()) + f"   {path}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m corpus.annotate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    actions = parser.add_subparsers(dest="action", required=True)
    listing = actions.add_parser("list")
    listing.add_argument("--decision", choices=DECISIONS)
    listing.add_argument("--domain")
    for name in ("show", "accept", "reject"):
        actions.add_parser(name).add_argument("patterns", nargs="+")
    rule, defaults = actions.add_parser("unattended"), Domains()
    rule.add_argument("--share", type=float, default=defaults.pattern_share)
    rule.add_argument("--pages", type=int, default=defaults.pattern_pages)
    rule.add_argument("--poor-share", type=float, default=defaults.poor_share)
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
