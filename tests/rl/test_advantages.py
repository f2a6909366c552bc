"""Section 4.1.2 worked by hand, and the rewards that fooled other systems."""

import pytest
import torch
from torch.testing import assert_close

from rl.advantages import outcome_advantages


def test_an_advantage_is_the_reward_in_population_stds_from_the_mean_of_its_group():
    reward_B = torch.tensor([1.0, 0.0, 0.0, 0.0, 2.0, 4.0])
    group_B = torch.tensor([7, 7, 7, 7, 3, 3])
    # group 7: mean 1/4, variance (9/16 + 3/16) / 4 = 3/16;  group 3: mean 3, std 1
    expected_B = torch.tensor([3**0.5, -(3**-0.5), -(3**-0.5), -(3**-0.5), -1.0, 1.0])
    assert_close(outcome_advantages(reward_B, group_B), expected_B)


@pytest.mark.parametrize("reward", [0.35, 0.1, 1e6 + 0.1, 0.0, 1.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_sixty_four_equal_rewards_give_exactly_zero(reward, dtype):
    advantage_B = outcome_advantages(torch.full((64,), reward, dtype=dtype), torch.zeros(64, dtype=torch.long))
    assert advantage_B.tolist() == [0.0] * 64


def test_shuffled_outputs_keep_their_advantages():
    generator = torch.Generator().manual_seed(1)
    reward_B = torch.rand(64, generator=generator)
    group_B = torch.arange(64) % 5
    order_B = torch.randperm(64, generator=generator)
    assert_close(
        outcome_advantages(reward_B[order_B], group_B[order_B]), outcome_advantages(reward_B, group_B)[order_B]
    )


def test_two_groups_of_the_same_question_stay_two_groups():
    reward_B = torch.tensor([1.0, 0.0, 1.0, 1.0])
    assert outcome_advantages(reward_B, torch.tensor([0, 0, 1, 1])).tolist() == [1.0, -1.0, 0.0, 0.0]


def test_an_output_missing_from_one_group_does_not_move_the_others():
    reward_B = torch.tensor([1.0, 0.0, 1.0, 0.0, 0.0])
    group_B = torch.tensor([0, 0, 1, 1, 1])
    assert_close(outcome_advantages(reward_B[1:], group_B[1:])[1:], outcome_advantages(reward_B, group_B)[2:])


def test_a_group_of_one_has_no_advantage():
    assert outcome_advantages(torch.tensor([1.0]), torch.tensor([5])).tolist() == [0.0]
