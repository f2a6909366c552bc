"""Where the time of a step goes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """Seconds of the phases of one step, measured from its creation on."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._phases: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Counts the time of the block under `name`."""
        began = time.monotonic()
        yield
        self._phases[name] = self._phases.get(name, 0.0) + time.monotonic() - began

    def measures(self, tokens: int) -> dict[str, float]:
        """`step_time` and `time/<phase>` in seconds, and the `tokens` written per second of each phase that moves them:
        `tokens_per_second/generate` and `/update`."""
        phases = {f"time/{name}": round(seconds, 4) for name, seconds in self._phases.items()}
        speeds = {
            f"tokens_per_second/{name}": round(tokens / self._phases[name], 1)
            for name in ("generate", "update")
            if self._phases.get(name)
        }
        return {"step_time": round(time.monotonic() - self._began, 4), **phases, **speeds}
