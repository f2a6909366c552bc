"""SIGTERM during training: the step is finished, saved, and the run stops in order."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from commons.errors import ProjectError


class Stopped(ProjectError):
    """The run was told to stop by SIGTERM and saved where it stood."""

    exit_code = 143  # what a shell reports for SIGTERM


class Told:
    """Whether this process was told to stop."""

    def __init__(self) -> None:
        self.stop = False


@contextmanager
def until_told() -> Iterator[Told]:
    """Inside the block SIGTERM is only noted; the handler of before comes back after it.

    In a thread other than the main one signals cannot be handled: nothing is noted there."""
    told = Told()
    if threading.current_thread() is not threading.main_thread():
        yield told
        return

    def note(_number: int, _frame: FrameType | None) -> None:
        told.stop = True

    before = signal.signal(signal.SIGTERM, note)
    try:
        yield told
    finally:
        signal.signal(signal.SIGTERM, before)
