"""A progress bar for commands: on stderr, and only when that is a terminal."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")


def bar(items: Iterable[T], *, total: int | None, label: str, start: int = 0) -> Iterator[T]:
    """The items, shown as a bar with time left; silent when stderr is no terminal."""
    shown = tqdm(items, total=total, desc=label, initial=start, file=sys.stderr, disable=not sys.stderr.isatty())
    yield from shown
