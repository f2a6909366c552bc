"""A page that never ends, for a test in a process of its own."""

import os
from pathlib import Path


def hang(pid_file: str) -> str:
    unfinished = Path(pid_file + ".tmp")
    unfinished.write_text(str(os.getpid()))
    unfinished.rename(pid_file)
    while True:
        pass


def failed(item: str, reason: str, detail: str) -> str:
    return reason
