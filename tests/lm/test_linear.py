import copy

import pytest
import torch
from torch import nn

from lm.linear import OneDnnLinear, use_onednn


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(5,), (2, 3), (1, 1), (0,)])
def test_values_and_gradients_are_those_of_torch(bias, shape):
    torch.manual_seed(1)
    plain = nn.Sequential(nn.Linear(7, 6, bias=bias))
    fast = copy.deepcopy(plain)
    use_onednn(fast)
    assert type(fast[0]) is OneDnnLinear
    results = []
    for module in (plain, fast):
        x = torch.linspace(-1, 1, 7).expand(*shape, 7).clone().requires_grad_()
        y = module(x)
        (y * y).sum().backward()
        results.append([y, x.grad, *(p.grad for p in module.parameters())])
    torch.testing.assert_close(results[1], results[0], atol=1e-5, rtol=1e-5)


def test_other_precisions_and_kinds_of_layers_are_left_to_torch():
    class Own(nn.Linear):
        pass

    layers = nn.Sequential(nn.Linear(2, 2, dtype=torch.bfloat16), Own(2, 2))
    use_onednn(layers)
    assert type(layers[1]) is Own
    assert layers[0](torch.ones(1, 2, dtype=torch.bfloat16)).dtype == torch.bfloat16
