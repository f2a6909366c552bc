"""One update of the policy: the loss of Eq. 3 over micro-batches, and what is measured on the way.

Letters in shapes: B outputs, O tokens of the longest one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from transformers import PreTrainedModel

from lm.logprobs import token_mean
from rl.kl import kl_to_reference, share_cut
from rl.objectives import clipped_surrogate, grpo
from rl.shared import SharedBatch, shared_token_logprobs


@dataclass(frozen=True, slots=True)
class MicroBatch:
    """Outputs of similar length with all that Eq. 3 needs to know about them."""

    batch: SharedBatch
    ref_logp_BO: Tensor
    sampled_logp_BO: Tensor  # as the sampler computed it; for measuring alone
    advantage_B1: Tensor
    weight_B: Tensor  # 1 / outputs of the whole step with a reward; 0 for an output without


@dataclass(slots=True)
class OldLogprobs:
    """log pi_old of each micro-batch: what the first update of a step computes, frozen for the later ones.

    So with one update the ratio is exactly 1 (pi_old is pi_theta), while the sampler's own numbers, which differ
    in the last bits, would give a ratio of 1 + 1e-6."""

    logp_BO: dict[int, Tensor] = field(default_factory=dict)

    def of(self, place: int, logp_BO: Tensor) -> Tensor:
        """The frozen values of micro-batch `place`; its current ones when it is seen for the first time."""
        return self.logp_BO.setdefault(place, logp_BO.detach())


@torch.no_grad()
def micro_batches(
    batches: Sequence[SharedBatch],
    reference: PreTrainedModel,
    *,
    sampled: Sequence[Sequence[float]],
    advantages: Sequence[float | None],
    outputs_of_step: int,
    temperature: float,
) -> list[MicroBatch]:
    """The batches with the reference's log-probabilities, computed once for all updates of a step.

    An output without a reward (advantage None) gets weight 0: it is neither in the sum nor in the count."""
    made = []
    for batch in batches:
        own = [advantages[place] for place in batch.places]
        weights = [0.0 if advantage is None else 1 / outputs_of_step for advantage in own]
        device = batch.device
        made.append(
            MicroBatch(
                batch=batch,
                ref_logp_BO=shared_token_logprobs(reference, batch, temperature=temperature),
                sampled_logp_BO=batch.align(sampled),
                advantage_B1=torch.tensor([advantage or 0.0 for advantage in own], device=device)[:, None],
                weight_B=torch.tensor(weights, device=device),
            )
        )
    return made


def losses(
    model: PreTrainedModel,
    parts: Sequence[MicroBatch],
    old: OldLogprobs,
    measured: dict[int, dict[str, float]],
    *,
    temperature: float,
    clip: float,
    kl_weight: float,
    max_log_ratio: float,
) -> list[Callable[[], Tensor]]:
    """Minus Eq. 3, one closure per micro-batch; their sum over micro-batches and ranks is the mean over all outputs.

    Each leaves its measures in `measured` under its place."""

    def loss(place: int) -> Tensor:
        part = parts[place]
        mask_BO = part.batch.mask_BO
        logp_BO = shared_token_logprobs(model, part.batch, temperature=temperature)
        old_logp_BO = old.of(place, logp_BO)
        value_B = grpo(
            logp_BO,
            old_logp_BO,
            part.ref_logp_BO,
            part.advantage_B1,
            mask_BO,
            clip=clip,
            kl_weight=kl_weight,
            max_log_ratio=max_log_ratio,
        )
        measured[place] = measures(
            logp_BO.detach(), old_logp_BO, part, clip=clip, kl_weight=kl_weight, max_log_ratio=max_log_ratio
        )
        return -(torch.where(part.weight_B > 0, value_B, 0.0) * part.weight_B).sum()

    return [lambda place=place: loss(place) for place in range(len(parts))]  # type: ignore[misc]


def measures(
    logp_BO: Tensor, old_logp_BO: Tensor, part: MicroBatch, *, clip: float, kl_weight: float, max_log_ratio: float
) -> dict[str, float]:
    """Sums (`sum/...`) and extremes (`max/...`, `min/...`) of one micro-batch over its outputs with a reward."""
    mask_BO = part.batch.mask_BO & (part.weight_B > 0)[:, None]
    ratio_BO = torch.where(mask_BO, (logp_BO - old_logp_BO).exp(), 1.0)
    kl_BO = kl_to_reference(logp_BO, part.ref_logp_BO, max_log_ratio=max_log_ratio)
    low_B = token_mean((ratio_BO < 1 - clip) & (part.advantage_B1 < 0), mask_BO)
    high_B = token_mean((ratio_BO > 1 + clip) & (part.advantage_B1 > 0), mask_BO)
    surrogate_B = token_mean(clipped_surrogate(logp_BO, old_logp_BO, part.advantage_B1, clip=clip), mask_BO)
    drift_BO = torch.where(mask_BO, (logp_BO - part.sampled_logp_BO).abs(), 0.0)
    tokens = mask_BO.sum()
    values = {
        "sum/outputs": (part.weight_B > 0).sum(),
        "sum/tokens": tokens,
        "sum/policy_loss": -(surrogate_B * part.weight_B).sum(),
        "sum/kl_loss": kl_weight * (token_mean(kl_BO, mask_BO) * part.weight_B).sum(),
        "sum/kl": torch.where(mask_BO, kl_BO, 0.0).sum(),
        "sum/kl_cut": tokens * share_cut(logp_BO, part.ref_logp_BO, mask_BO, max_log_ratio=max_log_ratio),
        "sum/surprise": -torch.where(mask_BO, logp_BO, 0.0).sum(),
        "sum/ratio": torch.where(mask_BO, ratio_BO, 0.0).sum(),
        "max/ratio": ratio_BO.max(),
        "sum/clip_low": low_B.sum(),
        "min/clip_low": low_B.min(),
        "sum/clip_high": high_B.sum(),
        "max/clip_high": high_B.max(),
        "sum/drift": drift_BO.sum(),
        "max/drift": drift_BO.max(),
    }
    return {name: float(value) for name, value in values.items()}


def update_measures(measured: Sequence[Mapping[str, float]], *, updates: int) -> dict[str, float]:
    """The metrics of a step's updates from the measures of all micro-batches of all ranks."""

    def total(name: str) -> float:
        return sum(one[f"sum/{name}"] for one in measured)

    tokens, outputs = max(total("tokens"), 1.0), max(total("outputs"), 1.0)
    low, high = total("clip_low") / outputs, total("clip_high") / outputs
    return {
        "policy_loss": total("policy_loss") / updates,
        "kl_loss": total("kl_loss") / updates,
        "kl": total("kl") / tokens,
        "kl_cut_ratio": total("kl_cut") / tokens,
        "entropy": total("surprise") / tokens,  # mean of -log pi over sampled tokens: unbiased, without the logits
        "ratio_mean": total("ratio") / tokens,
        "ratio_max": max(one["max/ratio"] for one in measured),
        "clip_ratio/low_mean": low,
        "clip_ratio/low_min": min(one["min/clip_low"] for one in measured),
        "clip_ratio/high_mean": high,
        "clip_ratio/high_max": max(one["max/clip_high"] for one in measured),
        "clip_ratio/region_mean": low + high,
        "sampling/sampling_logp_difference/mean": total("drift") / tokens,
        "sampling/sampling_logp_difference/max": max(one["max/drift"] for one in measured),
    }
