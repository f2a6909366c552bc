"""Section 2.1: URL paths inside domains about mathematics, whose uncollected pages join the seed.

The paper lets people mark the paths ("mathoverflow.net/questions"). Here candidates are proposed from the addresses
with their counts; a person decides on them in a TOML file (`python -m corpus.annotate`), or a stated rule does.

A pattern is a host without `www.` and path segments, compared one by one with the first segments of an address; what
lies deeper belongs to it. `*` inside a segment stands for any run of characters, a query counts with its last segment:
`a.org`, `a.org/maths`, `a.org/wiki/Theorem_*`, `a.org/view.php?topic=*`.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from corpus.urls import domain_of, path_prefixes

# The kind of a file by its name: what stands before the first separator, or the name of the first parameter.
NAME_WITH_KIND = re.compile(r"^([^\W\d_]+[-_])[^?]+")
FIRST_PARAMETER = re.compile(r"^([^?]*\?[^=&]+=)")

ACCEPT, REJECT, OPEN = "accept", "reject", "open"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pattern with the counts of one round: deduplicated pages, how many of them were collected, its domain."""

    pattern: str
    domain: str
    pages: int
    collected: int

    @property
    def share(self) -> float:
        """Share of the deduplicated pages that was collected."""
        return self.collected / self.pages


@dataclass(frozen=True, slots=True)
class Pattern:
    """A candidate with its verdict: ACCEPT, REJECT or OPEN, by `rule` or `person`, and the round of the verdict.

    `collected_samples` and `other_samples` are addresses of pages that the round did and did not collect."""

    pattern: str
    domain: str
    pages: int
    collected: int
    round: int
    decision: str
    decided_by: str
    collected_samples: tuple[str, ...] = ()
    other_samples: tuple[str, ...] = ()


def proposed(key: str, *, depth: int) -> list[str]:
    """The patterns that a URL key suggests, broad first: host, folders down to `depth`, kind of the last segment.

    `a.org/book/PA_groups.html` -> `a.org`, `a.org/book`, `a.org/book/PA_*`."""
    found = path_prefixes(key, depth=depth)
    path, mark, query = key.partition("?")
    folder, _, name = path.removeprefix("www.").rpartition("/")
    kind = _kind_of(name + mark + query)
    return [*found, f"{folder}/{kind}"] if kind and folder == found[-1] else found


def _kind_of(name: str) -> str:
    match = FIRST_PARAMETER.match(name) or NAME_WITH_KIND.match(name)
    return f"{match.group(1)}*" if match else ""


def accepted_by_rule(candidates: Iterable[Candidate], *, share: float, pages: int, poor_share: float) -> frozenset[str]:
    """Section 2.1, in place of a person: broad patterns first, each only where the pages below it agree.

    A pattern of at least `pages` pages, `share` of them collected, is accepted whole when none of the patterns of as
    many pages right below it has less than `poor_share` collected; otherwise those below are judged by themselves."""
    known = {one.pattern: one for one in candidates if one.pages >= pages}
    below: dict[str, list[Candidate]] = {}
    for one in known.values():
        below.setdefault(_above(one.pattern, known), []).append(one)
    accepted: set[str] = set()
    todo = list(below.get("", ()))
    while todo:
        one = todo.pop()
        children = below.get(one.pattern, [])
        if one.share >= share and all(child.share >= poor_share for child in children):
            accepted.add(one.pattern)
        else:
            todo += children
    return frozenset(accepted)


def _above(pattern: str, known: Collection[str]) -> str:
    """The narrowest known pattern that this one lies below; empty when there is none."""
    while pattern:
        pattern = pattern.rpartition("/")[0]
        if pattern in known:
            return pattern
    return ""


Verdicts = Mapping[str, Sequence[tuple[str, bool]]]  # host -> its decided patterns, narrow first, whether accepted


def verdicts(accepted: Iterable[str], rejected: Iterable[str]) -> Verdicts:
    """Decided patterns by host, narrow first: the form in which pages are looked up. A rejection beats its equal."""
    refused = frozenset(rejected)
    hosts: dict[str, list[tuple[str, bool]]] = {}
    for pattern in sorted(refused | frozenset(accepted), key=lambda one: (-one.count("/"), -len(one), one)):
        hosts.setdefault(pattern.split("/", 1)[0], []).append((pattern, pattern not in refused))
    return hosts


def letting_in(key: str, decided: Verdicts) -> str | None:
    """The pattern by which a page joins the seed: the narrowest that it lies under, if that one is accepted."""
    address = key.removeprefix("www.")
    for pattern, accepted in decided.get(domain_of(key), ()):
        if _expression(pattern).match(address):
            return pattern if accepted else None
    return None


@lru_cache(maxsize=65_536)
def _expression(pattern: str) -> re.Pattern[str]:
    """The pattern as an expression on URL keys; only `*` is special, and it never crosses a `/`."""
    parts = [re.escape(part) for part in pattern.rstrip("/").split("*")]
    return re.compile("[^/]*".join(parts) + r"(?=[/?]|$)")
