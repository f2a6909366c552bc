"""The processes of a run and the DeepSpeed module in each: what has to be in place before an engine starts."""

import logging
import os
import warnings
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import HashStore


def deepspeed_module() -> ModuleType:
    """The DeepSpeed module, silent. Imported when training starts: it takes seconds, and looks for the accelerator."""
    if not torch.cuda.is_available():
        os.environ.setdefault("DS_ACCELERATOR", "cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import deepspeed
    logging.getLogger("DeepSpeed").setLevel(logging.ERROR)
    return deepspeed


@contextmanager
def nothing_compiled(deepspeed: ModuleType) -> Iterator[None]:
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


def join_processes() -> None:
    """Joins the processes that a launcher started, or makes a group of one; a second call does nothing."""
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
