"""Section 4.1.1: the distance of the policy from the reference.

Letters in shapes: B outputs, T tokens of the longest one.
"""

import torch
from torch import Tensor


def kl_to_reference(logp_BT: Tensor, ref_logp_BT: Tensor, *, max_log_ratio: float) -> Tensor:
    """Eq. 4, never negative and unbiased for KL(policy || reference): ref/pi - log(ref/pi) - 1.  -> [B, T]

    A log-ratio above `max_log_ratio` is cut to it before the exponential, so that neither the value nor its
    gradient overflows (docs/deviations.md); `share_cut` says how often that happens."""
    log_ratio_BT = (ref_logp_BT - logp_BT).clamp(max=max_log_ratio)
    return torch.expm1(log_ratio_BT) - log_ratio_BT


def share_cut(logp_BT: Tensor, ref_logp_BT: Tensor, mask_BT: Tensor, *, max_log_ratio: float) -> Tensor:
    """The share of output tokens whose log-ratio Eq. 4 would have had to cut.  -> scalar"""
    cut_BT = (ref_logp_BT - logp_BT > max_log_ratio) & mask_BT
    return cut_BT.sum() / mask_BT.sum().clamp(min=1)
