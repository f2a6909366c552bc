"""Log-probabilities of the outputs of one question, which is read once for all of them.

A group's outputs share their question, and with short outputs most of a group's tokens would be copies of it. Its keys
and values are computed once and lent to every output; the gradient of all outputs flows back through them.

Letters in shapes: B outputs, Q tokens of the question, O tokens of the longest output, H hidden size, N output tokens.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel

from lm.logprobs import logprobs_of

Pair = tuple[Sequence[int], Sequence[int]]


@dataclass(frozen=True, slots=True)
class SharedBatch:
    """Outputs of one question, of similar length, padded on the right."""

    question_1Q: Tensor
    tokens_BO: Tensor
    outputs_B: Tensor  # length of each output
    places: tuple[int, ...]  # index of each output in the list that was cut into batches

    @property
    def device(self) -> torch.device:
        """Where the tensors are."""
        return self.tokens_BO.device

    @property
    def mask_BO(self) -> Tensor:
        """True at the tokens of each output.  -> [B, O]"""
        return torch.arange(self.tokens_BO.shape[1], device=self.device) < self.outputs_B[:, None]

    def align(self, values: Sequence[Sequence[float]]) -> Tensor:
        """Per-token numbers of the whole list (old log-probabilities, say) for these outputs, else 0.  -> [B, O]"""
        return _padded([values[place] for place in self.places], torch.float32, self.device)


def to_shared_batches(
    pairs: Sequence[Pair], *, token_budget: int, device: torch.device | str = "cpu"
) -> list[SharedBatch]:
    """Cuts (question tokens, output tokens) pairs into batches of one question and at most `token_budget` tokens.

    Outputs are sorted by length, so that little is padded; padding counts towards the budget, and a pair that is longer
    than the budget gets a batch of its own. Equal questions are read together, whatever groups their outputs are in."""
    of_question: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for place, (question, _) in enumerate(pairs):
        of_question[tuple(question)].append(place)
    batches = []
    for question, places in of_question.items():
        places.sort(key=lambda place: (-len(pairs[place][1]), place))
        start = 0
        while start < len(places):
            longest = len(pairs[places[start]][1])
            end = start + max(1, (token_budget - len(question)) // longest)
            batches.append(_batch(question, pairs, places[start:end], torch.device(device)))
            start = end
    return batches


def _batch(question: Sequence[int], pairs: Sequence[Pair], places: Sequence[int], device: torch.device) -> SharedBatch:
    outputs = [pairs[place][1] for place in places]
    if not question or not all(outputs):
        raise ValueError("every pair needs a question of at least one token and an output of at least one token")
    return SharedBatch(
        question_1Q=torch.tensor([list(question)], device=device),
        tokens_BO=_padded(outputs, torch.long, device),
        outputs_B=torch.tensor([len(output) for output in outputs], device=device),
        places=tuple(places),
    )


def _padded(rows: Sequence[Sequence[float]], dtype: torch.dtype, device: torch.device) -> Tensor:
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows], dtype=dtype, device=device)


def shared_token_logprobs(model: PreTrainedModel, batch: SharedBatch, *, temperature: float) -> Tensor:
    """Natural log of the probability of each output token at `temperature`, 0 beyond each output's end.  -> [B, O]

    The same numbers, to rounding, as `lm.logprobs.token_logprobs` gives for each pair alone."""
    cache = DynamicCache(config=model.config)
    read = model.base_model(input_ids=batch.question_1Q, cache=cache, use_cache=True)
    hidden_BOH = read.last_hidden_state[:, -1:].expand(len(batch.places), -1, -1)  # predicts the first output token
    if batch.tokens_BO.shape[1] > 1:
        cache.batch_repeat_interleave(len(batch.places))
        written = model.base_model(input_ids=batch.tokens_BO[:, :-1], cache=cache, use_cache=True)
        hidden_BOH = torch.cat([hidden_BOH, written.last_hidden_state], dim=1)
    mask_BO = batch.mask_BO
    logp_N = logprobs_of(model, hidden_BOH[mask_BO], batch.tokens_BO[mask_BO], temperature=temperature)
    return logp_N.new_zeros(mask_BO.shape).masked_scatter(mask_BO, logp_N)
