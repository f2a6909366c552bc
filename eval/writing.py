"""What is asked of a model and what it writes, whichever model: one in this process, or a server."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Asked:
    """One prompt and which of its samples are wanted. `written` is what the model wrote before: it goes on from it."""

    key: str  # names the random stream of the prompt
    prompt: str
    samples: tuple[int, ...]
    written: str = ""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How samples are drawn; temperature 0 is greedy."""

    temperature: float
    max_new_tokens: int
    seed: int
    stops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Generation:
    """One output. `failure` says why there is none; its text is then empty and means nothing."""

    text: str
    finish: str  # end, stop, length
    failure: str = ""


Keep = Callable[[Sequence[tuple[int, int, Generation]]], None]  # (place in what was asked, sample, what was written)


class Writer(Protocol):
    """A model that goes on from texts."""

    @property
    def identity(self) -> dict[str, Any]:
        """What tells its outputs from those of another model: digests of weights and tokenizer, or its address."""

    def exact(self, asked: Asked) -> Any:
        """The prompt as the model gets it, as a JSON value: token ids where they are known, else the text."""

    def write(self, asked: Sequence[Asked], sampling: Sampling, keep: Keep) -> None:
        """Hands each wanted sample to `keep`, in any order, as soon as it is there."""
