"""One thin engine over DeepSpeed: start, step, save, resume. A single process goes through it as well.

A loss handed to `Engine.step` is this rank's share of ONE sum: whoever makes it divides by the token (or output) count
of the whole step, over all micro-batches and all ranks. So neither cutting a batch into micro-batches nor the number of
ranks changes a gradient.
"""

import logging
import os
import random
import shutil
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch._C._distributed_c10d import HashStore
from torch.utils import deterministic
from transformers import PreTrainedModel

from commons.errors import ArtifactError, ConfigError
from lm.linear import use_onednn
from lm.zero import zero_config

UNFINISHED, OLD = ".unfinished-", ".old-"


@dataclass(frozen=True, slots=True)
class Update:
    """What one optimiser step did."""

    loss: float  # the whole sum, over micro-batches and ranks
    grad_norm: float  # of the whole gradient, before clipping


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

    def step(self, losses: Sequence[Callable[[], Tensor]], learning_rate: float) -> Update:
        """One optimiser step on the sum of `losses`, each computed and differentiated before the next (section 2.2)."""
        least, micro_batches = self._extremes(len(losses))
        if not least:
            raise ConfigError(
                f"a step has fewer parts than there are processes ({self.world_size}): make the batch of a step "
                "larger, or start fewer processes"
            )
        total = torch.zeros((), device=self.device)
        for i in range(micro_batches):
            self._wrapped.set_gradient_accumulation_boundary(i == micro_batches - 1)
            loss = self._wrapped(losses[min(i, len(losses) - 1)])
            if i >= len(losses):
                loss = 0 * loss  # ZeRO 2 and 3 communicate in each backward pass: all ranks make equally many
            # DeepSpeed takes the mean over ranks where our losses are shares of a sum
            self._wrapped.backward(loss * self.world_size, scale_wrt_gas=False)
            total += loss.detach()
        for group in self._wrapped.optimizer.param_groups:
            group["lr"] = learning_rate
        grad_norm = self._local_grad_norm() if self.zero_stage == 0 else None
        self._wrapped.step()
        if grad_norm is None:
            grad_norm = float(self._wrapped.get_global_grad_norm())
        return Update(float(self.sum(total)), grad_norm)

    def sum(self, value: Tensor) -> Tensor:
        """The sum of a number over all ranks."""
        if self.world_size > 1:
            dist.all_reduce(value)
        return value

    def plain_model(self) -> PreTrainedModel:
        """The current weights as a module that any rank may call alone: for sampling, scoring and saving.

        Up to ZeRO 2 this is `model` itself. Under ZeRO 3 it is a copy, brought up to date by this call, which all
        ranks make together."""
        if self.zero_stage < 3:
            return self.model
        if self._plain is None:
            self._plain = _empty_copy(self.model, self.device)
        own = dict(self._plain.named_parameters())
        gathered = _deepspeed().zero.GatheredParameters
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
        unfinished, finished = folder / f"{UNFINISHED}{step:08d}", folder / f"{step:08d}"
        if self.rank == 0:
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
        self.barrier()
        self._wrapped.save_checkpoint(str(unfinished), tag="engine", save_latest=False)
        ours = {"step": step, "world_size": self.world_size, "state": dict(state or {}), "random": _random_state()}
        torch.save(ours, unfinished / f"rank_{self.rank}.pt")
        self.barrier()
        if self.rank == 0:
            _replace(unfinished, finished)
            for old in _saved(folder)[:-keep]:
                _remove(old)
        self.barrier()

    def resume(self, folder: Path) -> Resumed | None:
        """Loads the last whole step under `folder`, random number generators included; None when there is none."""
        self.barrier()
        saved = _saved(folder)
        if not saved:
            return None
        ours = torch.load(saved[-1] / "rank_0.pt", weights_only=False)
        if ours["world_size"] != self.world_size:
            raise ArtifactError(
                f"{saved[-1]} was saved by {ours['world_size']} processes and this run has {self.world_size}: "
                "start as many, or start again with RESTART=1"
            )
        ours = torch.load(saved[-1] / f"rank_{self.rank}.pt", weights_only=False)
        loaded, _ = self._wrapped.load_checkpoint(str(saved[-1]), tag="engine")
        if loaded is None:
            raise ArtifactError(f"{saved[-1]} cannot be loaded: start again with RESTART=1")
        _set_random_state(ours["random"])
        return Resumed(ours["step"], ours["state"])

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
) -> Engine:
    """Puts `model` under DeepSpeed with AdamW (section 2.2: betas 0.9 and 0.95, weight decay 0.1).

    Joins the processes that torchrun or deepspeed started, or makes a group of one. Asks torch for deterministic
    kernels; on CPU equal runs then give equal bytes as long as the number of threads is equal."""
    _join()
    torch.use_deterministic_algorithms(True, warn_only=True)
    deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    # DeepSpeed 0.19 calls collectives by names that torch 2.13 has just renamed
    warnings.filterwarnings("ignore", category=FutureWarning, module=r"torch\.distributed")
    config = zero_config(zero_stage=zero_stage, betas=betas, weight_decay=weight_decay, clip=clip, bf16=bf16)
    use_onednn(model)
    calls = _Calls(model)
    buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}
    deepspeed = _deepspeed()
    with _nothing_compiled(deepspeed):
        wrapped, *_ = deepspeed.initialize(model=calls, model_parameters=calls.parameters(), config=config)
    for name, buffer in model.named_buffers():  # bf16 rounds them too, and with them the rotary frequencies
        buffer.data = buffers[name].to(buffer.device)
    return Engine(model, wrapped, zero_stage)


def _deepspeed() -> ModuleType:
    """The DeepSpeed module, silent. Imported when training starts: it takes seconds, and looks for the accelerator."""
    if not torch.cuda.is_available():
        os.environ.setdefault("DS_ACCELERATOR", "cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import deepspeed
    logging.getLogger("DeepSpeed").setLevel(logging.ERROR)
    return deepspeed


@contextmanager
def _nothing_compiled(deepspeed: ModuleType) -> Iterator[None]:
    """Keeps DeepSpeed from building kernels of its own (seconds, noise on stdout) and from loading a compiler."""
    deepspeed.ops.__compatible_ops__ = defaultdict(bool)
    before = os.environ.get("TORCHDYNAMO_DISABLE")
    os.environ["TORCHDYNAMO_DISABLE"] = "1"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        del os.environ["TORCHDYNAMO_DISABLE"]
        if before is not None:
            os.environ["TORCHDYNAMO_DISABLE"] = before


def _join() -> None:
    os.environ.setdefault("LOCAL_RANK", "0")  # DeepSpeed asks for it even when there is one process
    if dist.is_initialized():
        return
    on_gpu = torch.cuda.is_available()
    if on_gpu:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    backend = "nccl" if on_gpu else "gloo"
    if "RANK" in os.environ:
        dist.init_process_group(backend)
    else:
        dist.init_process_group(backend, store=HashStore(), rank=0, world_size=1)


def _empty_copy(model: PreTrainedModel, device: torch.device) -> PreTrainedModel:
    copy: PreTrainedModel = type(model)._from_config(model.config, dtype=model.dtype, attn_implementation="sdpa")
    use_onednn(copy)
    nn.Module.to(copy, device)
    copy.train(model.training)
    return copy


def _saved(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.name.isdigit()) if folder.exists() else []


def _replace(unfinished: Path, finished: Path) -> None:
    if finished.exists():
        _remove(finished)
    unfinished.rename(finished)


def _remove(saved: Path) -> None:
    # renamed first, so that a kill while deleting leaves no half folder under a good name
    old = saved.with_name(f"{OLD}{saved.name}")
    shutil.rmtree(old, ignore_errors=True)
    saved.rename(old)
    shutil.rmtree(old)


def _random_state() -> dict[str, Any]:
    states = {"python": random.getstate(), "numpy": np.random.get_state(), "torch": torch.get_rng_state()}
    return states | ({"cuda": torch.cuda.get_rng_state()} if torch.cuda.is_available() else {})


def _set_random_state(states: dict[str, Any]) -> None:
    random.setstate(states["python"])
    np.random.set_state(states["numpy"])
    torch.set_rng_state(states["torch"])
    if "cuda" in states:
        torch.cuda.set_rng_state(states["cuda"])
