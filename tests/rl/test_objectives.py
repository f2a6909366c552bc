"""Eq. 3 worked by hand: clipping on both sides, the mean over tokens, padding."""

import pytest
import torch
from torch.testing import assert_close

from rl.advantages import outcome_advantages
from rl.objectives import clipped_surrogate, grpo

SETTINGS = {"clip": 0.2, "kl_weight": 0.04, "max_log_ratio": 20.0}


@pytest.mark.parametrize(
    ("ratio", "advantage", "expected"),
    [(1.5, 1.0, 1.2), (0.5, 1.0, 0.5), (1.5, -1.0, -1.5), (0.5, -1.0, -0.8), (1.1, 2.0, 2.2), (0.9, -2.0, -1.8)],
)
def test_clipping_binds_only_where_it_makes_the_objective_smaller(ratio, advantage, expected):
    value_BT = clipped_surrogate(
        torch.tensor([[ratio]]).log(), torch.tensor([[0.0]]), torch.tensor([[advantage]]), clip=0.2
    )
    assert_close(value_BT, torch.tensor([[expected]]))


def test_the_objective_of_two_outputs_by_hand():
    logp_BT = torch.log(torch.tensor([[0.5, 0.25], [0.5, 0.9]]))
    ref_logp_BT = torch.log(torch.tensor([[0.5, 0.5], [0.25, 0.1]]))
    mask_BT = torch.tensor([[True, True], [True, False]])
    advantage_BT = torch.tensor([[1.0], [-1.0]])
    # KL: (0 + 0.3068528) / 2 and 0.1931472;  the second token of the second output is padding
    expected_B = torch.tensor([1 - 0.04 * 0.1534264, -1 - 0.04 * 0.1931472])
    assert_close(grpo(logp_BT, logp_BT, ref_logp_BT, advantage_BT, mask_BT, **SETTINGS), expected_B)


def test_the_first_loss_is_zero_but_its_gradient_is_not():
    logp_BT = torch.full((4, 3), -1.0, requires_grad=True)
    advantage_B = outcome_advantages(torch.tensor([1.0, 0.0, 0.0, 0.0]), torch.zeros(4))
    mask_BT = torch.ones(4, 3, dtype=torch.bool)
    loss = -grpo(logp_BT, logp_BT.detach(), logp_BT.detach(), advantage_B[:, None], mask_BT, **SETTINGS).mean()
    loss.backward()
    assert_close(loss.detach(), torch.tensor(0.0), atol=1e-6, rtol=0)
    assert logp_BT.grad.abs().min() > 0.01


def test_equal_rewards_leave_only_the_pull_to_the_reference():
    logp_BT = torch.full((2, 2), -1.0, requires_grad=True)
    ref_logp_BT = torch.full((2, 2), -1.5)
    mask_BT = torch.ones(2, 2, dtype=torch.bool)
    grpo(logp_BT, logp_BT.detach(), ref_logp_BT, torch.zeros(2, 1), mask_BT, **SETTINGS).sum().backward()
    assert_close(logp_BT.grad, torch.full((2, 2), 0.04 * (torch.tensor(-0.5).exp().item() - 1) / 2))


def test_a_log_ratio_of_200_on_a_sampled_token_keeps_loss_and_gradient_finite():
    logp_BT = torch.tensor([[-200.0, -1.0]], requires_grad=True)
    mask_BT = torch.ones(1, 2, dtype=torch.bool)
    value_B = grpo(logp_BT, logp_BT.detach(), torch.zeros(1, 2), torch.ones(1, 1), mask_BT, **SETTINGS)
    value_B.sum().backward()
    assert torch.isfinite(value_B).all()
    assert torch.isfinite(logp_BT.grad).all()
