"""Random models small enough to run in milliseconds."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, PreTrainedModel

VOCABULARY = 61


def llama(seed: int = 0, key_value_heads: int = 2, eos: int = 1, positions: int = 64) -> PreTrainedModel:
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=key_value_heads,
        max_position_embeddings=positions,
        initializer_range=0.3,
        bos_token_id=0,
        eos_token_id=eos,
        pad_token_id=None,
    )
    return LlamaForCausalLM(config).eval()


def gpt2(seed: int = 0) -> PreTrainedModel:
    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=VOCABULARY,
        n_embd=32,
        n_layer=2,
        n_head=4,
        n_positions=64,
        initializer_range=0.3,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=None,
    )
    return GPT2LMHeadModel(config).eval()


FAMILIES = {"llama": llama, "llama with 4 key-value heads": lambda: llama(key_value_heads=4), "gpt2": gpt2}
