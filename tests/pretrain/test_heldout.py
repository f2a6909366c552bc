from math import log2

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from pretrain.heldout import bits_per_byte, windows
from pretrain.tokenizer import train_tokenizer


def test_a_text_is_cut_into_pieces_that_start_with_the_token_before_them():
    assert windows([[1, 2, 3, 4, 5]], end_id=0, length=3) == [([0], [1, 2]), ([2], [3, 4]), ([4], [5])]


def test_an_empty_text_gives_no_piece():
    assert windows([[], [7]], end_id=0, length=3) == [([0], [7])]


@pytest.fixture(scope="module")
def tokenizer():
    return train_tokenizer(["abc abc def"] * 3, 300)


def test_a_model_that_knows_nothing_needs_the_logarithm_of_its_vocabulary_for_each_token(tokenizer):
    config = LlamaConfig(
        vocab_size=512, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2
    )
    model = LlamaForCausalLM(config).eval()
    torch.nn.init.zeros_(model.lm_head.weight)  # every token is then equally likely: 9 bits of 512
    text = "abc 数 42"
    tokens, text_bytes = len(tokenizer.encode(text)), len(text.encode())
    assert text_bytes == 10
    measured = bits_per_byte(model, tokenizer, [text], length=4)
    assert measured == pytest.approx(tokens * log2(512) / text_bytes, abs=1e-4)


def test_no_text_has_no_bits(tokenizer):
    assert bits_per_byte(None, tokenizer, [], length=4) == 0.0
