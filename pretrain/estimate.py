"""`python -m pretrain --estimate`: memory and time of a run on N GPUs, before anything runs.

Memory per GPU: weights, gradients and optimiser by the arithmetic of ZeRO, shared out as its stage does; activations by
the tensors that a Llama block keeps for its backward pass. What CUDA, NCCL and fragmentation take (2 to 4 GB) comes on
top. Time: operations of the run (lm/throughput.py) over GPUs, their peak and the MFU that is assumed.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from pydantic import Field
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

from commons.config import Config, load_config
from commons.errors import ArtifactError, ConfigError, ProjectError
from lm.logprobs import LOGITS_AT_ONCE
from lm.throughput import PEAKS, flops_per_token
from pretrain.base import BaseConfig, llama_config
from pretrain.config import Training
from pretrain.stage import PretrainConfig

DAY = 86_400.0


class Machine(Config):
    """What the run is estimated for."""

    gpus: int = Field(default=8, ge=1)
    """GPUs, each with one process. [GPUs; ours]"""
    gpu: str = "H100"
    """Kind of GPU, one of lm/throughput.py. [-; ours]"""
    gpu_memory_gb: float = Field(default=80.0, gt=0)
    """Memory of one. [10^9 bytes; ours]"""
    mfu: float = Field(default=0.4, gt=0, le=1)
    """Share of its peak that training reaches. [-; ours]"""


def on_meta(shape: Path) -> PreTrainedModel:
    """The model of a base config (TOML) or of a checkpoint folder, without memory for its weights."""
    if shape.is_dir():
        if not (shape / "config.json").is_file():
            raise ArtifactError(f"no config.json in {shape}: --model takes a checkpoint folder or a base config")
        config = AutoConfig.from_pretrained(shape, local_files_only=True)
    else:
        base = load_config(BaseConfig, [shape], [])
        config = llama_config(base.model, base.tokenizer.vocabulary)
    with torch.device("meta"):
        model: PreTrainedModel = AutoModelForCausalLM.from_config(config)
    return model


def parameters_of(model: PreTrainedModel) -> int:
    """All parameters."""
    return sum(parameter.numel() for parameter in model.parameters())


def state_bytes(parameters: int, zero_stage: int, gpus: int, *, bf16: bool, offload: bool = False) -> float:
    """Bytes on one GPU of weights, gradients and AdamW (ZeRO paper: 2 + 2 + 12 a parameter in mixed precision)."""
    weights, gradients, optimiser = (2.0, 2.0, 12.0) if bf16 else (4.0, 4.0, 8.0)
    if not bf16 and zero_stage:
        optimiser += 4.0  # its flat copy of the weights
    shares = [weights, gradients, optimiser]
    shares[2] /= gpus if zero_stage >= 1 else 1
    shares[1] /= gpus if zero_stage >= 2 else 1
    shares[0] /= gpus if zero_stage >= 3 else 1
    if offload:
        shares[2] = 0.0
        shares[0] = 0.0 if zero_stage == 3 else shares[0]
    return parameters * sum(shares)


def activation_bytes(model: PreTrainedModel, training: Training) -> float:
    """Bytes of one micro-batch: 8 states and 3 feed-forward tensors a block, or with recompute 1 state a block."""
    config, value = model.config, 2.0 if training.bf16 else 4.0
    tokens = training.micro_batch_sequences * training.sequence_tokens
    block = tokens * value * (8 * config.hidden_size + 3 * config.intermediate_size)
    states = tokens * value * config.hidden_size * config.num_hidden_layers
    logits = 3 * 4.0 * min(LOGITS_AT_ONCE, tokens * config.vocab_size)
    return logits + (states + block if training.recompute else block * config.num_hidden_layers)


def seconds_of(model: PreTrainedModel, training: Training, machine: Machine) -> float:
    """Time of all steps; with recompute each block's forward pass is done twice, 8 instead of 6 a parameter."""
    if machine.gpu not in PEAKS:
        raise ConfigError(f"gpu is `{machine.gpu}`; known are {', '.join(PEAKS)}")
    tokens = training.steps * training.batch_sequences * training.sequence_tokens
    flops = flops_per_token(model, training.sequence_tokens) * (4 / 3 if training.recompute else 1)
    return tokens * flops / (machine.gpus * PEAKS[machine.gpu] * machine.mfu)


def lines(model: PreTrainedModel, config: PretrainConfig, machine: Machine) -> Iterator[str]:
    """The estimate as text."""
    training = config.training
    tokens, parameters = training.batch_sequences * training.sequence_tokens, parameters_of(model)
    drops = " and ".join(f"{round(training.steps * part):,}" for part in (0.8, 0.9))
    yield f"model     {parameters / 1e9:.2f}B parameters, vocabulary {model.config.vocab_size:,}"
    whole = training.steps * tokens
    yield (
        f"run       {training.steps:,} steps of {tokens / 1e6:.2f}M tokens, {whole / 1e9:.1f}B in all; "
        f"warm-up {training.warmup_steps:,} steps, the rate drops after {drops}"
    )
    kind = "bf16" if training.bf16 else "fp32"
    activations = activation_bytes(model, training)
    yield f"memory    per GPU of {machine.gpus}, {kind}, {activations / 1e9:.1f} GB of it activations:"
    for stage in (0, 1, 2, 3):
        if (stage == 0) and (training.bf16 or training.offload):
            continue  # refused by the engine
        state = state_bytes(parameters, stage, machine.gpus, bf16=training.bf16, offload=training.offload)
        total = (state + activations) / 1e9
        fits = "fits" if total < machine.gpu_memory_gb else "DOES NOT FIT"
        here = "   <- this config" if stage == training.zero_stage else ""
        yield f"  ZeRO {stage}  {total:8.1f} GB   {fits} {machine.gpu_memory_gb:.0f} GB{here}"
    seconds = seconds_of(model, training, machine)
    yield (
        f"time      {seconds / DAY:,.1f} days on {machine.gpus} x {machine.gpu} at {machine.mfu:.0%} of peak "
        f"({seconds / 3600 * machine.gpus:,.0f} GPU hours)"
    )


def main(arguments: Sequence[str]) -> int:
    """Prints the estimate and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m pretrain --estimate", allow_abbrev=False)
    parser.add_argument("--estimate", action="store_true")
    parser.add_argument("--config", type=Path, action="append", default=[], help="config of pretrain (TOML)")
    parser.add_argument("--model", type=Path, required=True, help="config of pretrain.base (TOML), or a checkpoint")
    parser.add_argument("settings", nargs="*", help="gpus=, gpu=, gpu_memory_gb=, mfu=, or any key of the config")
    flags = parser.parse_args(arguments)
    ours = [one for one in flags.settings if one.split("=")[0] in Machine.model_fields]
    try:
        machine = load_config(Machine, [], ours)
        config = load_config(PretrainConfig, flags.config, [one for one in flags.settings if one not in ours])
        print(*lines(on_meta(flags.model), config, machine), sep="\n")
    except ProjectError as error:
        print(f"pretrain: {error}", file=sys.stderr)
        return error.exit_code
    return 0
