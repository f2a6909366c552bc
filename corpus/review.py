"""`patterns.toml`: the candidates of section 2.1 with counts and sample pages, and the decisions of a person."""

import json
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from corpus.patterns import ACCEPT, OPEN, REJECT, Pattern

DECISIONS = (ACCEPT, REJECT, OPEN)
RULE, PERSON = "rule", "person"
HEAD = """\
# Paths inside domains about mathematics. Pages below accepted ones that were not collected join the seed.
# Edit `decision` ("accept", "reject" or "open") here or with `python -m corpus.annotate`, add patterns of your own
# (`pattern` and `decision` suffice), and give the file back as `--patterns` (make: PATTERNS=file).
# `*` stands for any run of characters inside one path segment; what lies below a pattern belongs to it.
"""


def patterns_toml(patterns: Iterable[Pattern]) -> str:
    """The text of the file: accepted first, then open, then rejected; most pages first."""
    order = {ACCEPT: 0, OPEN: 1, REJECT: 2}
    ranked = sorted(patterns, key=lambda one: (order[one.decision], -one.pages, one.pattern))
    return HEAD + "".join(f"\n[[pattern]]\n{_table(one)}" for one in ranked)


def _table(one: Pattern) -> str:
    values: list[tuple[str, Any]] = [
        ("pattern", one.pattern),
        ("decision", one.decision),
        ("decided_by", one.decided_by),
        ("domain", one.domain),
        ("pages", one.pages),
        ("collected", one.collected),
        ("round", one.round),
        ("collected_samples", list(one.collected_samples)),
        ("other_samples", list(one.other_samples)),
    ]
    # a JSON string or list of strings is TOML as well, DEL apart
    return "".join(f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in values).replace(
        "\x7f", "\\u007f"
    )


def read_patterns(text: str) -> tuple[Pattern, ...]:
    """The patterns of a file. Raises ValueError for what is no such file."""
    try:
        tables = tomllib.loads(text).get("pattern", [])
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML ({error})") from None
    if not isinstance(tables, list):
        raise ValueError("`pattern` has to be a list of tables: [[pattern]]")
    found = [_pattern(table) for table in tables]
    names = [one.pattern for one in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{twice[0]} stands there twice")
    return tuple(found)


def _pattern(table: Any) -> Pattern:
    if not isinstance(table, Mapping) or not isinstance(table.get("pattern"), str) or not table["pattern"].strip("/"):
        raise ValueError("each [[pattern]] needs `pattern`, a string such as a.org/maths")
    decision = table.get("decision")
    if decision not in DECISIONS:
        raise ValueError(f"{table['pattern']}: decision is {decision!r}; it can be {', '.join(DECISIONS)}")
    pattern = normal(table["pattern"])
    try:
        return Pattern(
            pattern,
            str(table.get("domain", pattern.split("/", 1)[0])),
            int(table.get("pages", 0)),
            int(table.get("collected", 0)),
            int(table.get("round", 0)),
            decision,
            str(table.get("decided_by", PERSON)),
            tuple(map(str, table.get("collected_samples", ()))),
            tuple(map(str, table.get("other_samples", ()))),
        )
    except (TypeError, ValueError):
        raise ValueError(f"{pattern}: pages, collected and round are numbers, samples lists of addresses") from None


def normal(pattern: str) -> str:
    """A pattern as people write it, as it stands in keys: no scheme, no `www.`, host in lower case, no last slash."""
    address = pattern.strip().removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")
    host, slash, path = address.partition("/")
    return host.lower() + slash + path
