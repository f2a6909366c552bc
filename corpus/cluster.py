"""A Ray cluster under the corpus stage: work spread over its nodes, and what a lost node costs.

All that is worth keeping lies in files that every node sees. A task that was lost with its node is sent out again and
passes over the shards that are there; a step of frames that lost what a node held in memory starts again from files.
"""

import logging
import socket
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from commons.errors import ConfigError, DataError

In = TypeVar("In")
Out = TypeVar("Out")

LOCAL = "local"
ANSWER_SECONDS = 10.0
MOST_LOSSES = 5  # of one task or one step; a cluster that loses more is not fit for the run
TASKS_PER_CPU = 4  # enough to even out their lengths
MOST_PER_TASK = 16
# How Ray names a loss, also in the text of an error that came through Daft.
LOSSES = (
    "NodeDiedError",
    "WorkerCrashedError",
    "OutOfMemoryError",
    "RayActorError",
    "ActorDiedError",
    "ActorUnavailableError",
    "ActorUnschedulableError",
    "TaskUnschedulableError",
    "OwnerDiedError",
    "ObjectLostError",
    "ObjectReconstructionFailedError",
    "ObjectReconstructionFailedMaxAttemptsExceededError",
    "ObjectFetchTimedOutError",
    "ReferenceCountingAssertionError",
    "LocalRayletDiedError",
    "RaySystemError",
    "RpcError",
)


@dataclass(slots=True)
class Nodes:
    """The nodes that are connected, and how often work on them was lost: (what, reason) -> times."""

    ray: Any
    losses: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def cpus(self) -> int:
        """CPUs of the nodes that are there now."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    def spread(self, what: str, work: Callable[[In], Out], items: Sequence[In]) -> Iterator[Out]:
        """`work(item)` for every item, each on one CPU of some node, in the order in which they are done.

        Raises what `work` raises, and DataError when the task of one item is lost MOST_LOSSES times.
        """
        task = self.ray.remote(num_cpus=1, max_retries=0)(_done)
        waiting = deque((item, 0) for item in items)
        running: dict[Any, tuple[In, int]] = {}
        try:
            while waiting or running:
                while waiting and len(running) < 2 * self.cpus:  # one runs, one waits where its CPU is
                    item, lost = waiting.popleft()
                    running[task.remote(work, item)] = (item, lost)
                ready, _ = self.ray.wait(list(running), num_returns=1)
                item, lost = running.pop(ready[0])
                try:
                    answer = self.ray.get(ready[0])
                except self.ray.exceptions.RayError as error:
                    self._lost(what, error, lost + 1)
                    waiting.appendleft((item, lost + 1))
                    continue
                yield answer
        finally:
            for left in running:
                self.ray.cancel(left, force=True)

    def step(self, what: str, work: Callable[[], Out]) -> Out:
        """See `step`."""
        for lost in range(1, MOST_LOSSES + 1):
            try:
                return work()
            except Exception as error:  # noqa: BLE001  # the engine words a lost node in several ways
                self._lost(what, error, lost)
        raise AssertionError("the last loss is an error")

    def _lost(self, what: str, error: Exception, times: int) -> None:
        """Counts and prints a loss; raises `error`, or what caused it, when it is something else."""
        reason = loss_of(error)
        if not reason:
            cause = getattr(error, "cause", None)
            raise cause if isinstance(cause, Exception) else error
        self.losses[what, reason] += 1
        print(
            f"corpus: a node was lost in {what} ({reason}, {times} of {MOST_LOSSES}): what it had not finished is "
            "computed again",
            file=sys.stderr,
            flush=True,
        )
        if times >= MOST_LOSSES:
            raise DataError(f"{what}: lost {times} times ({reason}); the same command goes on from the finished files")

    def facts(self) -> dict[str, Any]:
        """What was lost, for the log of a run."""
        rows = sorted(self.losses.items())
        return {"cpus": self.cpus, "losses": [{"in": what, "reason": why, "times": n} for (what, why), n in rows]}


def _done(work: Callable[[In], Out], item: In) -> Out:
    return work(item)


def step(nodes: Nodes | None, what: str, work: Callable[[], Out]) -> Out:
    """`work()`; on nodes again from its files when one takes something with it that the engine cannot make again.

    Raises what `work` raises, and DataError when it is lost MOST_LOSSES times.
    """
    return work() if nodes is None else nodes.step(what, work)


def loss_of(error: BaseException) -> str:
    """Ray's name for the loss of a node or a worker that made this error; empty for an error of the work itself."""
    found: BaseException | None = error
    while found is not None:
        for one in (found, getattr(found, "cause", None)):
            for kind in type(one).__mro__:
                if kind.__name__ in LOSSES:
                    return type(one).__name__ if type(one).__name__ in LOSSES else kind.__name__
        text = str(found)
        for name in LOSSES:
            if name in text:
                return name
        found = found.__cause__ or found.__context__
    return ""


def batches_for(items: Sequence[In], cpus: int) -> list[list[In]]:
    """The items in runs of equal length: some for every CPU, none so long that much would be lost with a node."""
    size = max(1, min(MOST_PER_TASK, len(items) // (TASKS_PER_CPU * cpus)))
    return [list(items[first : first + size]) for first in range(0, len(items), size)]


def require_answer(address: str) -> None:
    """Raises ConfigError when nothing listens at host:port; Ray itself would end the process after a minute."""
    host, _, port = address.rpartition(":")
    if "://" in address or not host or not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), timeout=ANSWER_SECONDS).close()
    except OSError as error:
        raise ConfigError(f"cluster={address}: nothing answers there ({error}); `local` starts a cluster") from None


@contextmanager
def connected(address: str, *, workers: int) -> Iterator[Nodes | None]:
    """The nodes of the Ray cluster at `address`; `local` starts one of `workers` CPUs here, and empty means none.

    Raises ConfigError when Ray is not installed or does not answer.
    """
    if not address:
        yield None
        return
    try:
        import ray
    except ImportError:
        raise ConfigError(f"cluster={address} needs Ray: pip install -c constraints.txt -e '.[cluster]'") from None
    require_answer(address)
    try:
        start: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if address == LOCAL else {}
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **start)
    except (ConnectionError, ValueError, RuntimeError) as error:
        text = str(error).splitlines()[0]
        raise ConfigError(f"cluster={address}: no Ray cluster answers there ({text}); `local` starts one") from None
    try:
        yield Nodes(ray)
    finally:
        ray.shutdown()
