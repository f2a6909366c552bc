"""Causal models whose attention our own sampler was not checked with: asked through the library's `generate`.

One output at a time, which is slow and right for every architecture; a server is the quick way for such models."""

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, GenerationConfig, PretrainedConfig, PreTrainedModel

from commons.seeds import seed_of
from eval.local import LocalWriter
from eval.writing import Asked, Generation, Keep, Sampling
from lm.sampling import Sample

# greedy outputs equal to those of `generate` (tests/eval/test_local.py)
CHECKED = ("llama", "qwen2", "qwen3", "phi", "gpt_neox", "gpt2", "mistral")
FULL = "full_attention"


def load_any(folder: Path, dtype: torch.dtype) -> PreTrainedModel:
    """The causal model in a folder as the library loads it, with the attention that it chooses."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, local_files_only=True)
    assert isinstance(model, PreTrainedModel)
    return model.eval()


def is_checked(config: PretrainedConfig) -> bool:
    """Whether `lm.sampling` may be used: a checked architecture that looks at all that came before, in every layer."""
    windowed = getattr(config, "sliding_window", None) is not None and getattr(config, "use_sliding_window", True)
    layers = getattr(config, "layer_types", None) or [FULL]
    return config.model_type in CHECKED and not windowed and set(layers) == {FULL}


class GenerateWriter(LocalWriter):
    """Outputs through `generate`. The random numbers of an output come from (seed, key, sample) alone."""

    def write(self, asked: Sequence[Asked], sampling: Sampling, keep: Keep) -> None:
        """Each wanted sample in turn; a prompt that leaves no room gets an empty one that the length limit ended."""
        for place, one in enumerate(asked):
            ids = self.exact(one)
            for index in one.samples:
                seed = seed_of(sampling.seed, one.key, index)
                keep([(place, index, self._generated(ids, sampling, seed))])

    @torch.no_grad()
    def _generated(self, ids: Sequence[int], sampling: Sampling, seed: int) -> Generation:
        room = min(sampling.max_new_tokens, self.positions - len(ids))
        if room < 1:
            return Generation("", "length")
        inputs = torch.tensor([list(ids)], device=self.model.device)
        greedy = sampling.temperature == 0
        settings = GenerationConfig(
            max_new_tokens=room,
            do_sample=not greedy,
            temperature=None if greedy else sampling.temperature,
            top_k=None if greedy else 0,
            top_p=None if greedy else 1.0,
            repetition_penalty=1.0,
            num_beams=1,
            eos_token_id=sorted(self._end_ids),
            pad_token_id=min(self._end_ids),
            bos_token_id=self.tokenizer.bos_token_id,
            stop_strings=list(sampling.stops) or None,
        )
        devices = [self.model.device] if self.model.device.type == "cuda" else []
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(seed)
            found = self.model.generate(  # type: ignore[operator]
                inputs,
                attention_mask=torch.ones_like(inputs),
                generation_config=settings,
                tokenizer=self.tokenizer if sampling.stops else None,
            )
        tokens = found[0, len(ids) :].tolist()
        finished = bool(tokens) and tokens[-1] in self._end_ids
        return self._read(Sample(tuple(tokens), (), finished), sampling.stops)
