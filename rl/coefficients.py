"""Table 10: the gradient coefficient of each method, written apart from the objectives on purpose.

Eq. 5 says that the gradient of every objective is the mean over an output's tokens of coefficient * grad log pi;
tests/rl/test_unified_gradient.py holds autograd of rl/objectives.py against the functions here.
Letters in shapes: B outputs, T tokens of the longest one.
"""

import torch
from torch import Tensor


def sft(logp_BT: Tensor) -> Tensor:
    """Eq. 7 (Table 10, SFT): 1 for every token.  -> [B, T]"""
    return torch.ones_like(logp_BT)


def rft(logp_BT: Tensor, correct_B: Tensor) -> Tensor:
    """Eq. 10 (Table 10, RFT and online RFT): 1 for each token of a correct output, else 0.  -> [B, T]"""
    return correct_B[:, None].expand_as(logp_BT).to(logp_BT.dtype)


def grpo(logp_BT: Tensor, ref_logp_BT: Tensor, advantage_BT: Tensor, *, kl_weight: float) -> Tensor:
    """Eq. 21 (Table 10, GRPO): A + kl_weight * (ref/pi - 1), at the policy that sampled.  -> [B, T]"""
    return advantage_BT + kl_weight * (torch.exp(ref_logp_BT - logp_BT) - 1)
