"""Section 2.1: which domains are about mathematics.

The paper's domain is "pages sharing the same base URL". Both readings are counted: the host without `www.`, and the
domain that somebody registered (`a.co.uk`; every user of github.io or blogspot.com has one of their own).
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from corpus.urls import registrable_domain

HOST, REGISTRABLE = "host", "registrable"


@dataclass(frozen=True, slots=True)
class Tally:
    """Deduplicated pages of a domain and their tokens, and how many of them a round collected."""

    name: str
    kind: str  # HOST or REGISTRABLE
    pages: int
    tokens: int
    collected: int
    collected_tokens: int

    @property
    def share(self) -> float:
        """Share of the deduplicated pages that was collected."""
        return self.collected / self.pages


def with_registrable(hosts: Iterable[Tally]) -> list[Tally]:
    """The tallies of hosts and of the registrable domains that they add up to, by kind and name."""
    hosts = list(hosts)
    parts: dict[str, list[Tally]] = defaultdict(list)
    for host in hosts:
        parts[registrable_domain(host.name)].append(host)
    sums = [
        Tally(
            name,
            REGISTRABLE,
            sum(host.pages for host in found),
            sum(host.tokens for host in found),
            sum(host.collected for host in found),
            sum(host.collected_tokens for host in found),
        )
        for name, found in parts.items()
    ]
    return sorted([*hosts, *sums], key=lambda tally: (tally.kind, tally.name))


def maths_domains(tallies: Iterable[Tally], *, maths_share: float) -> frozenset[str]:
    """Section 2.1: the hosts with more than `maths_share` of their pages collected, or whose registrable domain has."""
    tallies = list(tallies)
    above = {(tally.kind, tally.name) for tally in tallies if tally.share > maths_share}
    return frozenset(
        tally.name
        for tally in tallies
        if tally.kind == HOST
        and ((HOST, tally.name) in above or (REGISTRABLE, registrable_domain(tally.name)) in above)
    )
