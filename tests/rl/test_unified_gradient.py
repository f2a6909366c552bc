"""Eq. 5: autograd of each objective equals the coefficient that Table 10 prints for it."""

import pytest
import torch
from torch.testing import assert_close

from rl import coefficients, objectives

generator = torch.Generator().manual_seed(3)
LOGP_BT = -3 * torch.rand(4, 5, dtype=torch.float64, generator=generator)
REF_LOGP_BT = -3 * torch.rand(4, 5, dtype=torch.float64, generator=generator)
ADVANTAGE_BT = torch.randn(4, 1, dtype=torch.float64, generator=generator)
CORRECT_B = torch.tensor([1.0, 0.0, 0.0, 1.0], dtype=torch.float64)
MASK_BT = torch.arange(5) < torch.tensor([[5], [3], [1], [4]])


def objective(method, logp_BT):
    if method == "sft":
        return objectives.sft(logp_BT, MASK_BT)
    if method == "rft":
        return objectives.rft(logp_BT, CORRECT_B, MASK_BT)
    return objectives.grpo(
        logp_BT, logp_BT.detach(), REF_LOGP_BT, ADVANTAGE_BT, MASK_BT, clip=0.2, kl_weight=0.04, max_log_ratio=20.0
    )


COEFFICIENT_BT = {
    "sft": coefficients.sft(LOGP_BT),
    "rft": coefficients.rft(LOGP_BT, CORRECT_B),
    "grpo": coefficients.grpo(LOGP_BT, REF_LOGP_BT, ADVANTAGE_BT, kl_weight=0.04),
}


@pytest.mark.parametrize("method", ["sft", "rft", "grpo"])
def test_the_gradient_of_the_objective_is_the_papers_coefficient(method):
    logp_BT = LOGP_BT.clone().requires_grad_()
    (grad_BT,) = torch.autograd.grad(objective(method, logp_BT).sum(), logp_BT)
    assert_close(grad_BT, COEFFICIENT_BT[method] * MASK_BT / MASK_BT.sum(-1, keepdim=True))
