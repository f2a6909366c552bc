"""Outputs for questions: token in, token out; one pass over each question shared by its outputs.

P questions, G outputs of each, R = P*G rows, L slots of the longest question, V vocabulary, T tokens of the longest
output.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import AttentionInterface, PreTrainedModel

from commons.errors import DataError
from lm.kvcache import GroupCache, attend_to_group
from lm.uniforms import stream_keys, uniforms

# finished rows leave when the batch without them has at most this share of its rows: leaving copies keys and values
KEPT_SHARE = 0.75
ATTENTION = "attend_to_group"


@dataclass(frozen=True, slots=True)
class Sample:
    """One output. An end token that was drawn is its last token; nothing is appended to an output without one."""

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]  # natural log at the sampling temperature, one per token (greedy: temperature 1)
    finished: bool  # False only when the limit came before an end token


@torch.no_grad()
def sample(
    model: PreTrainedModel,
    prompts: Sequence[Sequence[int]],
    *,
    outputs_per_prompt: int,
    max_new_tokens: int,
    temperature: float,
    seed: int,
    end_ids: frozenset[int],
    keys: Sequence[object] | None = None,
    rows_at_once: int = 512,
) -> list[list[Sample]]:
    """`outputs_per_prompt` outputs for each prompt, in the order of the prompts; temperature 0 is greedy.

    The random numbers of an output come from (seed, key of its prompt, index of the output, position) alone; `keys`
    are the indices of the prompts unless given (give question ids when ranks or calls share the work). An output ends
    with one of `end_ids`, after `max_new_tokens`, or where the model's positions end. `rows_at_once` bounds memory:
    so many outputs run side by side, prompts of similar length together."""
    keys = range(len(prompts)) if keys is None else keys
    if len(keys) != len(prompts):
        raise ValueError(f"{len(prompts)} prompts but {len(keys)} keys")
    by_length = sorted(range(len(prompts)), key=lambda i: (len(prompts[i]), i))
    at_once = max(1, rows_at_once // outputs_per_prompt)
    found: dict[int, list[Sample]] = {}
    for start in range(0, len(by_length), at_once):
        chunk = by_length[start : start + at_once]
        streams_R = stream_keys(seed, [keys[i] for i in chunk], outputs_per_prompt).to(model.device)
        samples = _run(
            model,
            [prompts[i] for i in chunk],
            streams_R,
            max_new_tokens=max_new_tokens,
            temperature=temperature,
            end_ids=end_ids,
        )
        for i in chunk:
            found[i] = [next(samples) for _ in range(outputs_per_prompt)]
    return [found[i] for i in range(len(prompts))]


@dataclass(slots=True)
class _Batch:
    # the rows that are being written; `outputs` rows for each question, some of them ended already
    outputs: int
    padding_PL: Tensor  # -inf in the slots before a question's first token
    streams_R: Tensor
    lengths_R: Tensor  # of the questions
    limits_R: Tensor
    places_R: Tensor  # row of the result
    running_R: Tensor

    def shrink(self, cache: GroupCache, token_R: Tensor) -> Tensor:
        """Lets ended rows go when that is worth it: whole questions, and then down to the most outputs that run."""
        running_PG = self.running_R.view(-1, self.outputs)
        counts_P = running_PG.sum(1)
        questions, outputs = counts_P.nonzero().squeeze(1), int(counts_P.max())
        if len(questions) * outputs > KEPT_SHARE * len(self.running_R):
            return token_R
        running_first = (~running_PG[questions]).int().argsort(dim=1, stable=True)[:, :outputs]
        rows = (questions[:, None] * self.outputs + running_first).flatten()
        for layer in cache.groups:
            layer.take(questions, rows)
        self.outputs, self.padding_PL = outputs, self.padding_PL[questions]
        self.streams_R, self.lengths_R, self.limits_R = self.streams_R[rows], self.lengths_R[rows], self.limits_R[rows]
        self.places_R, self.running_R = self.places_R[rows], self.running_R[rows]
        return token_R[rows]


def _run(
    model: PreTrainedModel,
    prompts: Sequence[Sequence[int]],
    streams_R: Tensor,
    *,
    max_new_tokens: int,
    temperature: float,
    end_ids: frozenset[int],
) -> Iterator[Sample]:
    device = model.device
    limits = [_limit(model, len(prompt), max_new_tokens) for prompt in prompts]
    lengths_P = torch.tensor([len(prompt) for prompt in prompts], device=device)
    cache = GroupCache(model.config, max(limits))
    hidden_PH, padding_PL = _read(model, prompts, lengths_P, cache)
    question_R = torch.arange(len(prompts), device=device).repeat_interleave(len(streams_R) // len(prompts))
    hidden_RH = hidden_PH[question_R]
    batch = _Batch(
        outputs=len(streams_R) // len(prompts),
        padding_PL=padding_PL,
        streams_R=streams_R,
        lengths_R=lengths_P[question_R],
        limits_R=torch.tensor(limits, device=device)[question_R],
        places_R=torch.arange(len(streams_R), device=device),
        running_R=torch.ones(len(streams_R), dtype=torch.bool, device=device),
    )
    tokens_RT = torch.zeros(len(streams_R), max(limits), dtype=torch.long, device=device)
    logprobs_RT = torch.zeros(len(streams_R), max(limits), device=device)
    counts_R = torch.zeros(len(streams_R), dtype=torch.long, device=device)
    ended_R = torch.zeros(len(streams_R), dtype=torch.bool, device=device)
    ends_E = torch.tensor(sorted(end_ids), device=device)
    with _group_attention(model):
        for step in range(max(limits)):
            token_R, logprob_R = _draw(model, hidden_RH, uniforms(batch.streams_R, step), temperature)
            end_R = torch.isin(token_R, ends_E)
            places = batch.places_R[batch.running_R]
            tokens_RT[places, step] = token_R[batch.running_R]
            logprobs_RT[places, step] = logprob_R[batch.running_R]
            counts_R[places] = step + 1
            ended_R[places] = end_R[batch.running_R]
            batch.running_R &= ~end_R & (step + 1 < batch.limits_R)
            if not batch.running_R.any():
                break
            token_R = batch.shrink(cache, token_R)
            hidden_RH = model.base_model(
                input_ids=token_R[:, None],
                position_ids=(batch.lengths_R + step)[:, None],
                attention_mask=batch.padding_PL[:, None, None],
                cache=cache,
                use_cache=True,
                group_cache=cache,
            ).last_hidden_state[:, -1]
    return _samples(tokens_RT, logprobs_RT, counts_R, ended_R)


def _limit(model: PreTrainedModel, length: int, max_new_tokens: int) -> int:
    room = model.config.max_position_embeddings - length
    if length < 1 or room < 1:
        positions = model.config.max_position_embeddings
        raise DataError(f"a question of {length} tokens, but the model has {positions} positions: shorten it")
    return min(max_new_tokens, room)


def _read(
    model: PreTrainedModel, prompts: Sequence[Sequence[int]], lengths_P: Tensor, cache: GroupCache
) -> tuple[Tensor, Tensor]:
    """Reads the questions into the cache; the last hidden state of each and the mask of its padding, on the left.

    -> [P, H], [P, L]"""
    longest = max(map(len, prompts))
    tokens_PL = torch.zeros(len(prompts), longest, dtype=torch.long)
    for row, prompt in enumerate(prompts):
        tokens_PL[row, longest - len(prompt) :] = torch.tensor(prompt)
    positions_PL = torch.arange(longest, device=lengths_P.device) - (longest - lengths_P)[:, None]
    # a padding slot sees itself, so that no softmax is taken over nothing; no real slot sees it
    itself_LL = torch.eye(longest, dtype=torch.bool, device=lengths_P.device)
    causal_LL = torch.ones_like(itself_LL).tril()
    visible_PLL = causal_LL & (positions_PL >= 0)[:, None] | itself_LL
    output = model.base_model(
        input_ids=tokens_PL.to(lengths_P.device),
        position_ids=positions_PL.clamp(min=0),
        attention_mask=visible_PLL[:, None],
        cache=cache,
        use_cache=True,
    )
    last_PH = output.last_hidden_state[:, -1]
    return last_PH, torch.zeros_like(positions_PL, dtype=last_PH.dtype).masked_fill(positions_PL < 0, -torch.inf)


@contextmanager
def _group_attention(model: PreTrainedModel) -> Iterator[None]:
    AttentionInterface.register(ATTENTION, attend_to_group)
    usual = model.config._attn_implementation
    model.config._attn_implementation = ATTENTION
    try:
        yield
    finally:
        model.config._attn_implementation = usual


def _draw(model: PreTrainedModel, hidden_RH: Tensor, uniform_R: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """The next token of each row and its log-probability, by inversion of the distribution function."""
    logits_RV = model.get_output_embeddings()(hidden_RH).float()
    if temperature == 0:
        token_R = logits_RV.argmax(-1)
        logprobs_RV = logits_RV.log_softmax(-1)
    else:
        logprobs_RV = (logits_RV / temperature).log_softmax(-1)
        below_RV = logprobs_RV.exp().double().cumsum(-1)
        token_R = torch.searchsorted(below_RV, uniform_R[:, None] * below_RV[:, -1:], right=True).squeeze(1)
    return token_R, logprobs_RV.gather(1, token_R[:, None]).squeeze(1)


def _samples(tokens_RT: Tensor, logprobs_RT: Tensor, counts_R: Tensor, ended_R: Tensor) -> Iterator[Sample]:
    table = zip(tokens_RT.tolist(), logprobs_RT.tolist(), counts_R.tolist(), ended_R.tolist(), strict=True)
    for tokens, logprobs, count, ended in table:
        yield Sample(tuple(tokens[:count]), tuple(logprobs[:count]), ended)
