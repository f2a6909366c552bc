"""A model of 20,000 weights that answers in one word, so that a whole run takes seconds."""

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from commons.artifacts import Artifact
from commons.shards import write_jsonl
from lm.checkpoints import save_checkpoint

CHOICES = 4


def micro_tokenizer():
    """One token per word: the answers, the choices of the questions, two end tokens; all else is <unk>."""
    words = ["<unk>", "<end>", "<also end>", "hm", *map(str, range(CHOICES))]
    words += [f"\\boxed{{{choice}}}" for choice in range(CHOICES)]
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", unk_token="<unk>")


def micro_model(tokenizer, seed=0):
    """A Llama with random weights."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=64,
        eos_token_id=[1, 2],
        bos_token_id=None,
        pad_token_id=None,
        tie_word_embeddings=True,
    )
    return LlamaForCausalLM(config).eval()


def question_rows(gold=str):
    """One question for each choice; its answer is the choice."""
    return [
        {
            "id": f"q{choice}",
            "question": f"choose {choice} please",
            "answer": gold(choice),
            "solution": None,
            "form": "cot",
            "language": "en",
            "family": "choice",
            "level": "1",
            "source": "test",
        }
        for choice in range(CHOICES)
    ]


def external(path: Path) -> Artifact:
    """A folder as an input of a stage function."""
    return Artifact(path, "digest of a test input", None)


@pytest.fixture
def policy(tmp_path):
    """A checkpoint folder."""
    tokenizer = micro_tokenizer()
    save_checkpoint(tmp_path / "policy", micro_model(tokenizer), tokenizer)
    return tmp_path / "policy"


@pytest.fixture
def questions(tmp_path):
    """A questions folder."""
    for name in ("rl", "heldout"):
        write_jsonl(tmp_path / "questions" / f"{name}.jsonl.zst", question_rows())
    return tmp_path / "questions"
