"""What each method maximises, one value per output, so that whoever knows the whole batch averages.

Letters in shapes: B outputs, T tokens of the longest one. `mask_BT` is True on the tokens of the output.
"""

import torch
from torch import Tensor

from lm.logprobs import token_mean
from rl.kl import kl_to_reference


def grpo(
    logp_BT: Tensor,
    old_logp_BT: Tensor,
    ref_logp_BT: Tensor,
    advantage_BT: Tensor,
    mask_BT: Tensor,
    *,
    clip: float,
    kl_weight: float,
    max_log_ratio: float,
) -> Tensor:
    """Eq. 3, per output: the mean over its tokens of min(r A, clip(r) A) - kl_weight * KL.  -> [B]"""
    kl_BT = kl_to_reference(logp_BT, ref_logp_BT, max_log_ratio=max_log_ratio)
    surrogate_BT = clipped_surrogate(logp_BT, old_logp_BT, advantage_BT, clip=clip)
    return token_mean(surrogate_BT - kl_weight * kl_BT, mask_BT)


def clipped_surrogate(logp_BT: Tensor, old_logp_BT: Tensor, advantage_BT: Tensor, *, clip: float) -> Tensor:
    """The first term of Eq. 3 (and of Eq. 1), per token: min(r A, clip(r, 1 - clip, 1 + clip) A).  -> [B, T]"""
    ratio_BT = (logp_BT - old_logp_BT).exp()
    clipped_BT = ratio_BT.clamp(1 - clip, 1 + clip)
    return torch.minimum(ratio_BT * advantage_BT, clipped_BT * advantage_BT)


def sft(logp_BT: Tensor, mask_BT: Tensor) -> Tensor:
    """Eq. 6, per output: the mean log-likelihood of its tokens.  -> [B]"""
    return token_mean(logp_BT, mask_BT)


def rft(logp_BT: Tensor, correct_B: Tensor, mask_BT: Tensor) -> Tensor:
    """Eq. 8 (Eq. 11 when the policy itself sampled): Eq. 6 of the correct outputs, 0 for the others.  -> [B]"""
    return correct_B * token_mean(logp_BT, mask_BT)
