"""Plain Python objects between processes."""

from collections.abc import Sequence
from typing import TypeVar

import torch.distributed as dist

T = TypeVar("T")


def gathered(items: Sequence[T]) -> list[T]:
    """The items of all processes, those of rank 0 first; every process gets all of them."""
    if not dist.is_initialized() or dist.get_world_size() == 1:
        return list(items)
    parts: list[Sequence[T]] = [[] for _ in range(dist.get_world_size())]
    dist.all_gather_object(parts, list(items))
    return [item for part in parts for item in part]
