"""The DeepSpeed configuration as a dictionary."""

from typing import Any

from commons.errors import ConfigError


def zero_config(
    *,
    zero_stage: int,
    betas: tuple[float, float],
    weight_decay: float,
    clip: float | None,
    bf16: bool,
    offload: bool = False,
) -> dict[str, Any]:
    """DeepSpeed's JSON for AdamW without loss scaling; ZeRO stage 0 (plain data parallel) to 3.

    The batch sizes here only satisfy DeepSpeed: micro-batches and their weights are ours (lm/engine.py)."""
    if zero_stage not in (0, 1, 2, 3):
        raise ValueError(f"ZeRO stage {zero_stage}: accepted are 0, 1, 2 and 3")
    if bf16 and zero_stage == 0:
        # at stage 0 DeepSpeed 0.19 trained visibly worse in bf16 than in float32; from stage 1 on it does not
        raise ConfigError("got bf16 with zero_stage = 0; accepted with it are zero_stage 1, 2 and 3")
    if offload and zero_stage == 0:
        raise ConfigError("got offload with zero_stage = 0; accepted with it are zero_stage 1, 2 and 3")
    return {
        "train_micro_batch_size_per_gpu": 1,
        "gradient_accumulation_steps": 1,
        # torch's own AdamW: the fused one of DeepSpeed is compiled on the machine at first use
        "optimizer": {
            "type": "AdamW",
            "params": {"lr": 0.0, "betas": list(betas), "weight_decay": weight_decay, "torch_adam": True},
        },
        "gradient_clipping": clip or 0.0,
        "bf16": {"enabled": bf16},
        "zero_optimization": {
            "stage": zero_stage,
            "overlap_comm": False,
            "contiguous_gradients": True,
            "stage3_param_persistence_threshold": 0,
            **_offload(zero_stage, offload),
        },
        "zero_force_ds_cpu_optimizer": False,
        "steps_per_print": None,
        "wall_clock_breakdown": False,
    }


def _offload(zero_stage: int, offload: bool) -> dict[str, Any]:
    where = {"device": "cpu"}
    if not offload:
        return {}
    return {"offload_optimizer": where} | ({"offload_param": where} if zero_stage == 3 else {})
