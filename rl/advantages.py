"""How much better than its group an output is (section 4.1).

Letters in shapes: Q questions (one group each), B outputs of all of them.
"""

import torch
from torch import Tensor


def outcome_advantages(reward_B: Tensor, group_B: Tensor) -> Tensor:
    """Section 4.1.2: (r - mean) / std over the outputs with the same group id; 0 where all rewards agree.  -> [B]

    The group ids are explicit: order, missing outputs and two groups of one question change nothing. std is
    the population one; the paper does not say which, at G = 64 they differ by 0.8% (docs/deviations.md).
    Agreement is max == min, exactly, and no epsilon is added: the std of 64 equal rewards need not be 0 in
    floating point, and dividing by such a residue gives advantages near 1 out of nothing."""
    exact_B = reward_B.double()
    _, index_B, count_Q = torch.unique(group_B, return_inverse=True, return_counts=True)
    zero_Q = exact_B.new_zeros(len(count_Q))
    mean_Q = zero_Q.index_add(0, index_B, exact_B) / count_Q
    centred_B = exact_B - mean_Q[index_B]
    std_Q = (zero_Q.index_add(0, index_B, centred_B.square()) / count_Q).sqrt()
    agree_Q = groups_that_agree(exact_B, index_B, len(count_Q))
    safe_std_Q = torch.where(agree_Q, 1.0, std_Q)
    return torch.where(agree_Q[index_B], 0.0, centred_B / safe_std_Q[index_B]).to(reward_B.dtype)


def groups_that_agree(reward_B: Tensor, index_B: Tensor, groups: int) -> Tensor:
    """Whether all outputs of a group got the same reward; `index_B` counts the groups from 0.  -> [Q]"""
    empty_Q = reward_B.new_zeros(groups)
    highest_Q = empty_Q.scatter_reduce(0, index_B, reward_B, "amax", include_self=False)
    lowest_Q = empty_Q.scatter_reduce(0, index_B, reward_B, "amin", include_self=False)
    return highest_Q == lowest_Q
