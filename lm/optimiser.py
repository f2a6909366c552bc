"""The optimiser as every stage that trains is told it."""

from pydantic import Field
from transformers import PreTrainedModel

from commons.config import Config
from lm.engine import Engine, start


class AdamW(Config):
    """AdamW under DeepSpeed with the values of pre-training (section 2.2); stages add their learning rate."""

    beta1: float = Field(default=0.9, ge=0, lt=1)
    """AdamW's decay of the gradient mean. [-; section 2.2]"""
    beta2: float = Field(default=0.95, ge=0, lt=1)
    """AdamW's decay of the squared gradient. [-; section 2.2]"""
    weight_decay: float = Field(default=0.1, ge=0)
    """AdamW's weight decay. [-; section 2.2]"""
    clip_norm: float | None = Field(default=1.0, gt=0)
    """Gradients are scaled down to this norm. [-; DeepSeek LLM, DeepSeekMath does not say]"""
    zero_stage: int = Field(default=0, ge=0, le=3)
    """DeepSpeed ZeRO stage. [-; ours]"""
    bf16: bool = False
    """Compute in bfloat16 with float32 master weights. [-; ours]"""
    offload: bool = False
    """Keep the optimiser, under ZeRO 3 the weights too, in main memory instead of the GPU's. [-; ours]"""
    recompute: bool = Field(default=False, json_schema_extra={"identity": False})
    """Compute the blocks again in the backward pass (activation checkpointing): less memory, same result. [-; ours]"""


def start_with(model: PreTrainedModel, optimiser: AdamW) -> Engine:
    """The engine that trains `model` as told (lm/engine.py)."""
    return start(
        model,
        zero_stage=optimiser.zero_stage,
        betas=(optimiser.beta1, optimiser.beta2),
        weight_decay=optimiser.weight_decay,
        clip=optimiser.clip_norm,
        bf16=optimiser.bf16,
        offload=optimiser.offload,
        recompute=optimiser.recompute,
    )
