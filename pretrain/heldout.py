"""Bits per byte of held-out text: how well a model predicts it, whatever its tokenizer."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from math import log

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from lm.logprobs import to_batches, token_logprobs

TOKENS_AT_ONCE = 16_384


def windows(texts: Iterable[list[int]], end_id: int, length: int) -> list[tuple[list[int], list[int]]]:
    """Each text cut into pieces of less than `length` tokens, each with the token before it.

    Before the first piece of a text stands the end token, as in training. A piece sees nothing further back.
    """
    pairs = []
    for ids in texts:
        cuts = [*range(0, len(ids), length - 1), len(ids)]
        pairs += [([ids[start - 1] if start else end_id], ids[start:stop]) for start, stop in pairwise(cuts)]
    return [pair for pair in pairs if pair[1]]


@torch.no_grad()
def bits_per_byte(model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, texts: list[str], length: int) -> float:
    """Bits that `model` needs for one byte of `texts` (UTF-8), read in pieces of `length` tokens; 0 without text."""
    text_bytes = sum(len(text.encode()) for text in texts)
    if not text_bytes:
        return 0.0
    encodings = tokenizer.backend_tokenizer.encode_batch(texts, add_special_tokens=False)
    pairs = windows((encoding.ids for encoding in encodings), tokenizer.eos_token_id, length)
    batches = to_batches(pairs, token_budget=TOKENS_AT_ONCE, device=model.device)
    nats = -sum(float(token_logprobs(model, batch).double().sum()) for batch in batches)
    return round(nats / log(2) / text_bytes, 4)


def bits_per_byte_of_sources(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, heldout: Mapping[str, list[str]], length: int
) -> dict[str, float]:
    """Bits per byte by source."""
    return {name: bits_per_byte(model, tokenizer, texts, length) for name, texts in heldout.items()}
