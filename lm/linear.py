"""Matrix products of float32 linear layers on a CPU by oneDNN.

torch hands them to MKL, which runs at half of its speed on AMD processors (measured on a Zen 5 core: MKL 100, oneDNN
210 GFLOP/s at hidden size 128). The gradient of the weights stays with MKL, which is the faster one there.
"""

from typing import Any

import torch
from torch import Tensor, nn


class OneDnnLinear(nn.Linear):
    """nn.Linear with the same weights, names and results to rounding."""

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002, the name is torch's
        """x W^T + b."""
        if input.dtype != torch.float32 or input.device.type != "cpu":
            return super().forward(input)
        if not torch.is_grad_enabled():
            return _product(input, self.weight, self.bias)
        product: Tensor = _Product.apply(input, self.weight, self.bias)
        return product


def use_onednn(model: nn.Module) -> None:
    """Turns the plain linear layers of `model` into `OneDnnLinear`, where torch was built with oneDNN."""
    if torch.backends.mkldnn.is_available():
        for module in model.modules():
            if type(module) is nn.Linear:
                module.__class__ = OneDnnLinear


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        return _product(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight = ctx.saved_tensors
        rows = grad.flatten(0, -2)
        grad_x = _product(grad, weight.t(), None) if ctx.needs_input_grad[0] else None
        grad_weight = rows.t() @ x.flatten(0, -2) if ctx.needs_input_grad[1] else None
        return grad_x, grad_weight, rows.sum(0) if ctx.has_bias else None


def _product(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    product: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    return product
