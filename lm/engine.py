"""One thin engine over DeepSpeed: start, step, save, resume. A single process goes through it as well.

A loss handed to `Engine.step` is this rank's share of ONE sum: whoever makes it divides by the token (or output) count
of the whole step, over all micro-batches and all ranks. So neither cutting a batch into micro-batches nor the number of
ranks changes a gradient.
"""

import shutil
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.utils import deterministic
from transformers import PreTrainedModel

from commons.errors import ArtifactError, ConfigError
from lm.linear import use_onednn
from lm.processes import deepspeed_module, join_processes, nothing_compiled
from lm.recompute import recompute_blocks
from lm.saves import (
    ENGINE,
    UNIVERSAL,
    random_state,
    remove_leftovers,
    remove_step,
    replace_step,
    saved_steps,
    set_random_state,
    unfinished_and_finished,
)
from lm.zero import zero_config


@dataclass(frozen=True, slots=True)
class Update:
    """What one optimiser step did."""

    loss: float  # the whole sum, over micro-batches and ranks
    grad_norm: float  # of the whole gradient, before clipping
    applied: bool = True  # False: the step was refused, weights and optimiser are as before


@dataclass(frozen=True, slots=True)
class Resumed:
    """Where a saved run stands."""

    step: int
    state: Mapping[str, Any]  # what the caller gave to `save`


class Engine:
    """A model in training. `model` is the module that losses are computed with."""

    def __init__(self, model: PreTrainedModel, wrapped: Any, zero_stage: int) -> None:
        self.model = model
        self.zero_stage = zero_stage
        self.rank = dist.get_rank()
        self.world_size = dist.get_world_size()
        self._wrapped = wrapped
        self._plain: PreTrainedModel | None = None

    @property
    def device(self) -> torch.device:
        """Where batches have to be."""
        return torch.device(self._wrapped.device)

    def step(
        self,
        losses: Sequence[Callable[[], Tensor]],
        learning_rate: float,
        accept: Callable[[float], bool] = isfinite,
    ) -> Update:
        """One optimiser step on the sum of `losses`, each computed and differentiated before the next (section 2.2).

        Nothing is changed when `accept` refuses the loss of the whole step, or when its gradient is not finite."""
        least, micro_batches = self._extremes(len(losses))
        if not least:
            raise ConfigError(
                f"a step has fewer parts than there are processes ({self.world_size}): make the batch of a step "
                "larger, or start fewer processes"
            )
        total = torch.zeros((), device=self.device)
        for i in range(micro_batches):
            last = i == micro_batches - 1
            self._wrapped.set_gradient_accumulation_boundary(last)
            loss = self._wrapped(losses[min(i, len(losses) - 1)])
            if i >= len(losses):
                loss = 0 * loss  # ZeRO 2 and 3 communicate in each backward pass: all ranks make equally many
            total += loss.detach()
            if last:
                whole = float(self.sum(total))
                if not accept(whole):
                    loss = loss * nan  # DeepSpeed drops a step whose gradient is not finite, at each ZeRO stage
            # DeepSpeed takes the mean over ranks where our losses are shares of a sum
            self._wrapped.backward(loss * self.world_size, scale_wrt_gas=False)
        for group in self._wrapped.optimizer.param_groups:
            group["lr"] = learning_rate
        return Update(whole, *self._apply())

    def _apply(self) -> tuple[float, bool]:
        """Updates the weights unless the gradient is not finite: (gradient norm, whether it was applied)."""
        if self.zero_stage:
            self._wrapped.step()
            return float(self._wrapped.get_global_grad_norm()), not self._wrapped.optimizer.overflow
        grad_norm = self._local_grad_norm()
        if isfinite(grad_norm):
            self._wrapped.step()
        else:
            self.model.zero_grad(set_to_none=True)
        return grad_norm, isfinite(grad_norm)

    def sum(self, value: Tensor) -> Tensor:
        """The sum of a number over all ranks."""
        if self.world_size > 1:
            dist.all_reduce(value)
        return value

    def largest(self, value: float) -> float:
        """The largest of a number over all ranks."""
        if self.world_size == 1:
            return value
        found = torch.tensor(float(value), device=self.device)
        dist.all_reduce(found, op=dist.ReduceOp.MAX)
        return float(found)

    def plain_model(self) -> PreTrainedModel:
        """The current weights as a module that any rank may call alone: for sampling, scoring and saving.

        Up to ZeRO 2 this is `model` itself. Under ZeRO 3 it is a copy, brought up to date by this call, which all
        ranks make together."""
        if self.zero_stage < 3:
            return self.model
        if self._plain is None:
            self._plain = _empty_copy(self.model, self.device)
        own = dict(self._plain.named_parameters())
        gathered = deepspeed_module().zero.GatheredParameters
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                with gathered([parameter]):
                    own[name].copy_(parameter)
        return self._plain

    def frozen_copy(self) -> PreTrainedModel:
        """A copy of the current weights that stays as it is: the reference model of Algorithm 1."""
        source = self.plain_model()
        copy = _empty_copy(source, self.device)
        copy.load_state_dict(source.state_dict())
        copy.requires_grad_(False)
        return copy

    def save(self, folder: Path, step: int, state: Mapping[str, Any] | None = None, *, keep: int = 2) -> None:
        """Writes step number `step` under `folder`, whole or not at all, and keeps the last `keep` of them."""
        unfinished, finished = unfinished_and_finished(folder, step)
        if self.rank == 0:
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
        self.barrier()
        self._wrapped.save_checkpoint(str(unfinished), tag=ENGINE, save_latest=False)
        ours = {"step": step, "world_size": self.world_size, "state": dict(state or {}), "random": random_state()}
        torch.save(ours | {"zero_stage": self.zero_stage}, unfinished / f"rank_{self.rank}.pt")
        self.barrier()
        if self.rank == 0:
            replace_step(unfinished, finished)
            for old in saved_steps(folder)[:-keep]:
                remove_step(old)
        self.barrier()

    def resume(self, folder: Path) -> Resumed | None:
        """Loads the last whole step under `folder`, random number generators included; None when there is none.

        Saved by another number of processes it is refused, unless `python -m lm.reshard` was run on it (ArtifactError
        names the command). The generators of a rank that was not there then are those of rank 0."""
        self.barrier()
        saved = saved_steps(folder)
        if self.rank == 0:
            remove_leftovers(folder)
        if not saved:
            return None
        last = saved[-1]
        ours = torch.load(last / "rank_0.pt", weights_only=False)
        if ours["zero_stage"] != self.zero_stage:
            raise ArtifactError(
                f"{last} was saved under ZeRO {ours['zero_stage']} and this run is under ZeRO {self.zero_stage}: "
                f"set zero_stage={ours['zero_stage']}, or start again with RESTART=1"
            )
        resharded = ours["world_size"] != self.world_size
        if resharded and not (last / UNIVERSAL).is_dir():
            raise ArtifactError(
                f"{last} was saved by {ours['world_size']} processes and this run has {self.world_size}: start as "
                f"many, or `python -m lm.reshard {last}` makes it fit any number, or start again with RESTART=1"
            )
        self._load(last, resharded=resharded)
        own = last / f"rank_{self.rank}.pt"
        if own.exists():
            ours = torch.load(own, weights_only=False)
        set_random_state(ours["random"])
        return Resumed(ours["step"], ours["state"])

    def _load(self, saved: Path, *, resharded: bool) -> None:
        tag = UNIVERSAL if resharded else ENGINE
        # the flag belongs to DeepSpeed's config file, but whether it is needed is only known here
        self._wrapped._config.load_universal_checkpoint = resharded and self.zero_stage > 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loaded, _ = self._wrapped.load_checkpoint(str(saved), tag=tag)
        self._wrapped._config.load_universal_checkpoint = False
        if loaded is None:
            raise ArtifactError(f"{saved} cannot be loaded: start again with RESTART=1")

    def barrier(self) -> None:
        """Waits for the other ranks."""
        if self.world_size > 1:
            dist.barrier()

    def _extremes(self, count: int) -> tuple[int, int]:
        """The least and the greatest `count` of all ranks."""
        if self.world_size == 1:
            return count, count
        both = torch.tensor([-count, count], device=self.device)
        dist.all_reduce(both, op=dist.ReduceOp.MAX)
        return -int(both[0]), int(both[1])

    def _local_grad_norm(self) -> float:
        gradients = [p.grad for p in self.model.parameters() if p.grad is not None]
        return float(nn.utils.get_total_norm(gradients))


class _Calls(nn.Module):
    # DeepSpeed sees one module whose forward pass is whatever the loss computes with the model inside it: its hooks
    # run around the whole loss, and a loss may use the model's parts (body and vocabulary head) as it likes
    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, loss: Callable[[], Tensor]) -> Tensor:
        return loss()


def start(
    model: PreTrainedModel,
    *,
    zero_stage: int = 0,
    betas: tuple[float, float] = (0.9, 0.95),
    weight_decay: float = 0.1,
    clip: float | None = 1.0,
    bf16: bool = False,
    offload: bool = False,
    recompute: bool = False,
) -> Engine:
    """Puts `model` under DeepSpeed with AdamW (section 2.2: betas 0.9 and 0.95, weight decay 0.1).

    Joins the processes that torchrun or deepspeed started, or makes a group of one. Asks torch for deterministic
    kernels; on CPU equal runs then give equal bytes as long as the number of threads is equal. `offload` keeps the
    optimiser (under ZeRO 3 the weights too) in main memory; `recompute` is activation checkpointing."""
    join_processes()
    torch.use_deterministic_algorithms(True, warn_only=True)
    deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    # DeepSpeed 0.19 calls collectives by names that torch 2.13 has just renamed
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"torch\.distributed")
    config = zero_config(
        zero_stage=zero_stage, betas=betas, weight_decay=weight_decay, clip=clip, bf16=bf16, offload=offload
    )
    use_onednn(model)
    if recompute:
        recompute_blocks(model)
    calls = _Calls(model)
    buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}
    deepspeed = deepspeed_module()
    with nothing_compiled(deepspeed):
        wrapped, *_ = deepspeed.initialize(model=calls, model_parameters=calls.parameters(), config=config)
    if zero_stage == 0 and dist.get_world_size() == 1:
        wrapped.enable_backward_allreduce = False  # a sum over one process: 4% of a step of a small model
    for name, buffer in model.named_buffers():  # bf16 rounds them too, and with them the rotary frequencies
        buffer.data = buffers[name].to(buffer.device)
    return Engine(model, wrapped, zero_stage)


def _empty_copy(model: PreTrainedModel, device: torch.device) -> PreTrainedModel:
    copy: PreTrainedModel = type(model)._from_config(model.config, dtype=model.dtype, attn_implementation="sdpa")
    use_onednn(copy)
    nn.Module.to(copy, device)
    copy.train(model.training)
    return copy
