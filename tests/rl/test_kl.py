"""Eq. 4 against the exact divergence of a small distribution."""

import torch
from torch.testing import assert_close

from rl.kl import kl_to_reference, share_cut

POLICY_V = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
REFERENCE_V = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64)


def test_the_estimate_by_hand():
    # ref/pi = 2: 2 - ln 2 - 1;  ref/pi = 1/2: 1/2 + ln 2 - 1
    logp_BT = torch.log(torch.tensor([[0.25, 0.5, 0.3]]))
    ref_logp_BT = torch.log(torch.tensor([[0.5, 0.25, 0.3]]))
    assert_close(kl_to_reference(logp_BT, ref_logp_BT, max_log_ratio=20.0), torch.tensor([[0.3068528, 0.1931472, 0.0]]))


def test_its_expectation_under_the_policy_is_the_exact_divergence_and_the_plain_log_ratio_agrees():
    exact = (POLICY_V * (POLICY_V / REFERENCE_V).log()).sum()
    k3_V = kl_to_reference(POLICY_V.log(), REFERENCE_V.log(), max_log_ratio=20.0)
    assert_close((POLICY_V * k3_V).sum(), exact)
    generator = torch.Generator().manual_seed(0)
    samples_B = torch.multinomial(POLICY_V, 200_000, replacement=True, generator=generator)
    assert_close(k3_V[samples_B].mean(), exact, atol=2e-3, rtol=0)
    k1_V = POLICY_V.log() - REFERENCE_V.log()
    assert_close(k1_V[samples_B].mean(), exact, atol=6e-3, rtol=0)


def test_it_is_never_negative_and_not_symmetric():
    forward = kl_to_reference(POLICY_V.log(), REFERENCE_V.log(), max_log_ratio=20.0)
    backward = kl_to_reference(REFERENCE_V.log(), POLICY_V.log(), max_log_ratio=20.0)
    assert (forward >= 0).all()
    assert not torch.allclose(forward, backward)


def test_a_log_ratio_of_200_gives_a_finite_value_and_gradient_and_is_counted():
    logp_BT = torch.tensor([[-200.0, -1.0]], requires_grad=True)
    ref_logp_BT = torch.tensor([[0.0, -1.0]])
    kl_BT = kl_to_reference(logp_BT, ref_logp_BT, max_log_ratio=20.0)
    kl_BT.sum().backward()
    assert torch.isfinite(kl_BT).all()
    assert torch.isfinite(logp_BT.grad).all()
    assert share_cut(logp_BT, ref_logp_BT, torch.tensor([[True, True]]), max_log_ratio=20.0) == 0.5
