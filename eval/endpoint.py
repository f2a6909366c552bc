"""A model behind an OpenAI-compatible server (vLLM, SGLang, llama.cpp): completions or chat, one request a sample.

The server is a foreign, failing thing: it is asked again with growing pauses after what may pass, and what does not
pass is a failure with its reason, never an empty output."""

import json
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from commons.answers.extraction import cut_at_stops
from commons.errors import ConfigError
from commons.seeds import rng, seed_of
from eval.config import ModelConfig
from eval.writing import Asked, Generation, Keep, Sampling

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
REFUSED = frozenset({401, 403, 404, 405})
MOST_STOPS = 4  # that the protocol lets one send; all are looked for again in what comes back
SEED_BITS = 31
SHOWN = 200  # characters of a server's own words in a reason


class Passing(Exception):
    """A failure that may pass; `wait` is what the server asked for, in seconds."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class Lasting(Exception):
    """A failure of this request alone, which asking again will not mend."""


class EndpointWriter:
    """Outputs of a served model. A context: the connections close with it."""

    def __init__(self, config: ModelConfig, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._config, self._sleep = config, sleep
        key = os.environ.get(config.key_variable, "")
        limits = httpx2.Limits(max_connections=config.concurrency, max_keepalive_connections=config.concurrency)
        self._client = httpx2.Client(
            base_url=config.url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx2.Timeout(config.timeout_seconds, connect=min(10.0, config.timeout_seconds)),
            limits=limits,
            trust_env=False,
        )

    @property
    def identity(self) -> dict[str, str]:
        """The address and the name of the model: a server shows no weights. `revision` is the user's word for them."""
        return {
            "url": self._config.url.rstrip("/"),
            "model": self._config.served,
            "revision": self._config.revision,
            "api": self._config.api,
        }

    def exact(self, asked: Asked) -> list[str]:
        """The prompt and what was written behind it, as texts: the server has the tokenizer."""
        return [asked.prompt, asked.written]

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def write(self, asked: Sequence[Asked], sampling: Sampling, keep: Keep) -> None:
        """Asks for each sample on its own, `concurrency` at a time, and hands each over as it comes.

        Raises ConfigError when the server refuses the key, the path or the model: every other request would fail."""
        pool = ThreadPoolExecutor(self._config.concurrency)
        try:
            waiting: dict[Future[Generation], tuple[int, int]] = {
                pool.submit(self._sample, one, index, sampling): (place, index)
                for place, one in enumerate(asked)
                for index in one.samples
            }
            for done in as_completed(waiting):
                keep([(*waiting[done], done.result())])
        finally:
            pool.shutdown(cancel_futures=True)

    def _sample(self, asked: Asked, index: int, sampling: Sampling) -> Generation:
        path, body = self._request(asked, index, sampling)
        pauses = rng(sampling.seed, "pauses", asked.key, index)
        reason = ""
        for attempt in range(self._config.attempts):
            try:
                return read_answer(self._post(path, body), sampling.stops)
            except Lasting as error:
                return Generation("", "", failure=str(error))
            except Passing as error:
                reason = str(error)
                if attempt + 1 < self._config.attempts:
                    self._sleep(self._pause(attempt, error.wait, pauses.random()))
        return Generation("", "", failure=f"{reason}, {self._config.attempts} times asked")

    def _pause(self, attempt: int, wait: float | None, draw: float) -> float:
        """Doubling from `backoff_seconds`, by half at random, or what the server asks for; never above the longest."""
        own = self._config.backoff_seconds * 2**attempt * (0.5 + draw / 2)
        return min(self._config.longest_pause_seconds, own if wait is None else max(wait, 0.0))

    def _request(self, asked: Asked, index: int, sampling: Sampling) -> tuple[str, dict[str, Any]]:
        body: dict[str, Any] = {
            "model": self._config.served,
            "max_tokens": sampling.max_new_tokens,
            "temperature": sampling.temperature,
            "top_p": 1.0,
            "n": 1,
            "seed": seed_of(sampling.seed, asked.key, index) >> (63 - SEED_BITS),
            "stream": False,
        }
        if sampling.stops:
            body["stop"] = list(sampling.stops[:MOST_STOPS])
        if self._config.api == "completions":
            return "completions", {**body, "prompt": asked.prompt + asked.written}
        messages = [{"role": "user", "content": asked.prompt}]
        if asked.written:
            messages.append({"role": "assistant", "content": asked.written})
            body |= {"continue_final_message": True, "add_generation_prompt": False}
        return "chat/completions", {**body, "messages": messages}

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        try:
            answer = self._client.post(path, json=body)
        except httpx2.TimeoutException as error:
            raise Passing(f"timed out ({type(error).__name__})") from None
        except httpx2.RequestError as error:
            raise Passing(f"connection failed ({type(error).__name__})") from None
        if answer.status_code in PASSING:
            raise Passing(f"HTTP {answer.status_code}", retry_after(answer.headers.get("retry-after")))
        if answer.status_code in REFUSED:
            raise ConfigError(
                f"{answer.request.url} refuses with HTTP {answer.status_code}: {_shown(answer.text)}; check "
                f"model.url, model.served and the key in the variable {self._config.key_variable}"
            )
        if answer.status_code != 200:
            raise Lasting(f"HTTP {answer.status_code}: {_shown(answer.text)}")
        try:
            return answer.json()
        except (json.JSONDecodeError, UnicodeDecodeError):
            raise Passing("the answer is no JSON") from None


def read_answer(values: Any, stops: Sequence[str]) -> Generation:
    """The output in the server's answer, cut at the stop words that the server may have ignored.

    Raises Passing for an answer without a choice, without a text or without a reason why it ended there."""
    choices = values.get("choices") if isinstance(values, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Passing("the answer has no choices")
    choice = choices[0]
    text = choice.get("text")
    if text is None and isinstance(choice.get("message"), dict):
        text = choice["message"].get("content")
    if not isinstance(text, str):
        raise Passing("the answer has no text")
    reason = choice.get("finish_reason")
    if reason not in ("stop", "length", "eos"):
        raise Passing(f"finish_reason is {reason!r}")
    own, stop = cut_at_stops(text, stops)
    if stop is not None:
        return Generation(own, "stop")
    if reason == "length":
        return Generation(text, "length")
    named = choice.get("stop_reason") or choice.get("matched_stop")
    return Generation(text, "stop" if isinstance(named, str) else "end")


def retry_after(value: str | None) -> float | None:
    """Seconds that a Retry-After header asks for: a number or a date; None where it is absent or says neither."""
    if value is None:
        return None
    try:
        return float(value)
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[:SHOWN] + "..."
