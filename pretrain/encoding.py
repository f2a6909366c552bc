"""Texts -> the bytes of their tokens, block by block, in this process or in several; in order either way."""

import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from hashlib import sha256
from itertools import islice
from typing import TypeVar

import numpy as np
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast

BLOCKS_AHEAD = 4  # of each worker, so that a fast reader does not fill the memory

T = TypeVar("T")
Encoded = tuple[bytes, list[int]]  # little-endian 32-bit tokens, and how many each document has


def encoded(texts: Iterable[list[str]], tokenizer: PreTrainedTokenizerFast, workers: int) -> Iterator[Encoded]:
    """The tokens of each block of documents, each document followed by the end token."""
    end_id = tokenizer.eos_token_id
    if workers == 1:
        for block in texts:
            yield encode_block(tokenizer.backend_tokenizer, end_id, block)
        return
    # spawned, since forking a process with torch's threads can hang
    context = multiprocessing.get_context("spawn")
    settings = (tokenizer.backend_tokenizer.to_str(), end_id)
    waiting: deque[Future[Encoded]] = deque()
    with ProcessPoolExecutor(workers, context, _start_worker, settings) as pool:
        for block in texts:
            waiting.append(pool.submit(_encode_in_worker, block))
            if len(waiting) >= workers * BLOCKS_AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def encode_block(tokenizer: Tokenizer, end_id: int, texts: list[str]) -> Encoded:
    """The tokens of documents one after the other, the end token after each, and their lengths with it."""
    ids = [[*encoding.ids, end_id] for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
    flat = np.array([token for document in ids for token in document], dtype="<u4")
    return flat.tobytes(), [len(document) for document in ids]


def tokenizer_digest(tokenizer: PreTrainedTokenizerFast) -> str:
    """What names a tokenizer: equal digests give equal tokens and end token."""
    text = f"{tokenizer.eos_token_id}\n{tokenizer.backend_tokenizer.to_str()}"
    return sha256(text.encode()).hexdigest()


def blocks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items, `size` at a time."""
    iterator = iter(items)
    while block := list(islice(iterator, size)):
        yield block


class _Worker:
    """What a worker process is told once."""

    tokenizer: Tokenizer
    end_id: int


def _start_worker(tokenizer: str, end_id: int) -> None:
    _Worker.tokenizer, _Worker.end_id = Tokenizer.from_str(tokenizer), end_id


def _encode_in_worker(texts: list[str]) -> Encoded:
    return encode_block(_Worker.tokenizer, _Worker.end_id, texts)
