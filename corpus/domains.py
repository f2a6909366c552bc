"""Section 2.1: which domains are about mathematics, and which of their paths to take more seed pages from.

The paper lets people mark the paths. Here candidates are proposed from path prefixes with counts and written to
`patterns.toml`; a reviewed copy of that file, given as an input, replaces the rule below.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpus.urls import path_prefixes


@dataclass(frozen=True, slots=True)
class Tally:
    """Pages of a domain or below a path prefix, and how many of them a round collected."""

    name: str
    pages: int
    collected: int

    @property
    def share(self) -> float:
        """Share of the deduplicated pages that was collected."""
        return self.collected / self.pages


@dataclass(frozen=True, slots=True)
class Pattern:
    """A candidate path prefix. `accepted_by` is `rule`, `file`, or empty when it is not accepted."""

    prefix: str
    pages: int
    collected: int
    round: int
    accepted_by: str


def maths_domains(tallies: Iterable[Tally], *, maths_share: float) -> frozenset[str]:
    """Section 2.1: the domains with more than `maths_share` of their pages collected."""
    return frozenset(tally.name for tally in tallies if tally.share > maths_share)


def accepted_prefixes(tallies: Iterable[Tally], *, share: float, pages: int) -> frozenset[str]:
    """The shallowest prefixes with enough pages of which at least `share` was collected; what lies below is covered."""
    accepted: set[str] = set()
    for tally in sorted(tallies, key=lambda tally: (tally.name.count("/"), tally.name)):
        if tally.pages >= pages and tally.share >= share and not _covered(tally.name, accepted):
            accepted.add(tally.name)
    return frozenset(accepted)


def lies_under(key: str, prefixes: frozenset[str], depth: int) -> bool:
    """Whether a page lies below one of the accepted prefixes."""
    return any(prefix in prefixes for prefix in path_prefixes(key, depth=depth))


def patterns_toml(patterns: Iterable[Pattern]) -> str:
    """The text of `patterns.toml`: one table for each candidate, most pages first within accepted and not accepted."""
    lines = [
        "# Path prefixes inside domains about mathematics. Set `accepted` by hand and give this file back as",
        "# `--patterns` (make: PATTERNS=file): then it decides alone which uncollected pages join the seed.",
    ]
    order = sorted(patterns, key=lambda pattern: (not pattern.accepted_by, -pattern.pages, pattern.prefix))
    for pattern in order:
        prefix = pattern.prefix.replace("\\", "\\\\").replace('"', '\\"')
        lines += [
            "",
            "[[pattern]]",
            f'prefix = "{prefix}"',
            f"accepted = {'true' if pattern.accepted_by else 'false'}",
            f'accepted_by = "{pattern.accepted_by}"',
            f"pages = {pattern.pages}",
            f"collected = {pattern.collected}",
            f"round = {pattern.round}",
        ]
    return "\n".join(lines) + "\n"


def read_patterns(text: str) -> frozenset[str]:
    """The accepted prefixes of a patterns file. Raises ValueError for what is no such file."""
    try:
        tables = tomllib.loads(text).get("pattern", [])
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML ({error})") from None
    if not isinstance(tables, list) or not all(_is_pattern(table) for table in tables):
        raise ValueError(
            "each [[pattern]] needs `prefix` (a string such as a.org/maths) and `accepted` (true or false)"
        )
    return frozenset(str(table["prefix"]).strip("/").removeprefix("www.") for table in tables if table["accepted"])


def _is_pattern(table: object) -> bool:
    return (
        isinstance(table, Mapping) and isinstance(table.get("prefix"), str) and isinstance(table.get("accepted"), bool)
    )


def _covered(prefix: str, accepted: set[str]) -> bool:
    parts = prefix.split("/")
    return any("/".join(parts[:count]) in accepted for count in range(1, len(parts)))
