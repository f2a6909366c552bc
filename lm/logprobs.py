"""log pi(o_t | q, o_<t) of given output tokens, and the padded batches it is computed on.

B rows, T tokens of the longest row (question and output), O tokens of the longest output, H hidden size, N output
tokens of all rows. Rows are padded on the right, so a causal model never sees the padding; what is real comes from
lengths, never from comparing ids with a padding id.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.utils.checkpoint import checkpoint
from transformers import PreTrainedModel

# float32 logits held at once: 2**24 are 64 MB
LOGITS_AT_ONCE = 1 << 24


@dataclass(frozen=True, slots=True)
class Batch:
    """Question-output pairs of similar length, side by side."""

    tokens_BT: Tensor
    lengths_B: Tensor  # question and output together
    first_B: Tensor  # where the output starts, so the length of the question
    places: tuple[int, ...]  # index of each row in the list that was cut into batches

    @property
    def outputs_B(self) -> Tensor:
        """Length of each output.  -> [B]"""
        return self.lengths_B - self.first_B

    @property
    def mask_BO(self) -> Tensor:
        """True at the tokens of each output.  -> [B, O]"""
        columns_O = torch.arange(int(self.outputs_B.max()), device=self.tokens_BT.device)
        return columns_O < self.outputs_B[:, None]

    def align(self, values: Sequence[Sequence[float]]) -> Tensor:
        """Per-token numbers of the whole list (old log-probabilities, say) for these rows, 0 elsewhere.  -> [B, O]"""
        aligned_BO = torch.zeros(len(self.places), int(self.outputs_B.max()))
        for row, place in enumerate(self.places):
            aligned_BO[row, : len(values[place])] = torch.tensor(values[place])
        return aligned_BO.to(self.tokens_BT.device)

    def to(self, device: torch.device) -> "Batch":
        """The same rows on `device`."""
        return Batch(self.tokens_BT.to(device), self.lengths_B.to(device), self.first_B.to(device), self.places)


def to_batches(
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]], *, token_budget: int, device: torch.device | str = "cpu"
) -> list[Batch]:
    """Cuts (question tokens, output tokens) pairs, sorted by length, into batches of at most `token_budget` tokens.

    Padding counts towards the budget; a pair that is longer than the budget gets a batch of its own."""
    lengths = [len(question) + len(output) for question, output in pairs]
    batches: list[list[int]] = []
    for place in sorted(range(len(pairs)), key=lambda i: (-lengths[i], i)):
        if not batches or (len(batches[-1]) + 1) * lengths[batches[-1][0]] > token_budget:
            batches.append([])
        batches[-1].append(place)
    return [_pad([pairs[i] for i in places], tuple(places)).to(torch.device(device)) for places in batches]


def _pad(pairs: Sequence[tuple[Sequence[int], Sequence[int]]], places: tuple[int, ...]) -> Batch:
    first_B = torch.tensor([len(question) for question, _ in pairs])
    lengths_B = torch.tensor([len(question) + len(output) for question, output in pairs])
    if int(first_B.min()) < 1 or bool((lengths_B == first_B).any()):
        raise ValueError("every pair needs a question of at least one token and an output of at least one token")
    tokens_BT = torch.zeros(len(pairs), int(lengths_B.max()), dtype=torch.long)
    for row, (question, output) in enumerate(pairs):
        tokens_BT[row, : len(question)] = torch.tensor(question)
        tokens_BT[row, len(question) : len(question) + len(output)] = torch.tensor(output)
    return Batch(tokens_BT, lengths_B, first_B, places)


def token_logprobs(
    model: PreTrainedModel, batch: Batch, *, temperature: float = 1.0, logits_at_once: int = LOGITS_AT_ONCE
) -> Tensor:
    """Natural log of the probability of each output token at `temperature`, 0 beyond each output's end.  -> [B, O]

    Pass the temperature the output was sampled at: then this is the law it was drawn from (notes: Eq. 1 and 3 use
    the same pi in sampling and in the ratio)."""
    hidden_BTH = hidden_states(model, batch.tokens_BT)
    mask_BO = batch.mask_BO
    row_N, column_N = mask_BO.nonzero(as_tuple=True)
    target_N = batch.first_B[row_N] + column_N
    logp_N = logprobs_of(
        model,
        hidden_BTH[row_N, target_N - 1],
        batch.tokens_BT[row_N, target_N],
        temperature=temperature,
        logits_at_once=logits_at_once,
    )
    return logp_N.new_zeros(mask_BO.shape).index_put((row_N, column_N), logp_N)


def hidden_states(
    model: PreTrainedModel, tokens_BT: Tensor, positions_BT: Tensor | None = None, mask_B1TT: Tensor | None = None
) -> Tensor:
    """Last hidden states, without the vocabulary head.  -> [B, T, H]

    Without a mask attention is causal over the whole row; positions then count from 0."""
    if positions_BT is None:
        positions_BT = torch.arange(tokens_BT.shape[1], device=tokens_BT.device).expand_as(tokens_BT)
    output = model.base_model(input_ids=tokens_BT, position_ids=positions_BT, attention_mask=mask_B1TT, use_cache=False)
    return output.last_hidden_state


def logprobs_of(
    model: PreTrainedModel,
    hidden_NH: Tensor,
    target_N: Tensor,
    *,
    temperature: float = 1.0,
    logits_at_once: int = LOGITS_AT_ONCE,
) -> Tensor:
    """log-probability of `target_N` after `hidden_NH`, in float32.  -> [N]

    The vocabulary head runs over slices of at most `logits_at_once` logits, computed again in the backward pass, so
    the full float32 table is never held."""
    head, vocabulary = model.get_output_embeddings(), model.config.vocab_size
    return head_logprobs(head, hidden_NH, target_N, vocabulary, temperature=temperature, logits_at_once=logits_at_once)


def head_logprobs(
    head: nn.Module,
    hidden_NH: Tensor,
    target_N: Tensor,
    vocabulary: int,
    *,
    temperature: float = 1.0,
    logits_at_once: int = LOGITS_AT_ONCE,
) -> Tensor:
    """The same from the vocabulary head alone.  -> [N]"""

    def of_slice(hidden: Tensor, target: Tensor) -> Tensor:
        return -cross_entropy(head(hidden).float() / temperature, target, reduction="none")

    at_once = max(1, logits_at_once // vocabulary)
    if len(target_N) <= at_once:
        return of_slice(hidden_NH, target_N)
    slices = zip(hidden_NH.split(at_once), target_N.split(at_once), strict=True)
    if not torch.is_grad_enabled():
        return torch.cat([of_slice(hidden, target) for hidden, target in slices])
    return torch.cat([checkpoint(of_slice, hidden, target, use_reentrant=False) for hidden, target in slices])


def token_mean(x_BO: Tensor, mask_BO: Tensor) -> Tensor:
    """Mean over the tokens of each output, the inner sum of Eq. 3; 0 for a row without any.  -> [B]"""
    return torch.where(mask_BO, x_BO, 0.0).sum(-1) / mask_BO.sum(-1).clamp(min=1)
