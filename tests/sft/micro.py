"""A tiny base model, a questions artifact of single-digit sums, and the smallest config that trains on them."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from commons import publish
from commons.artifacts import Plan
from commons.seeds import rng
from commons.shards import write_jsonl
from lm.checkpoints import save_checkpoint

SFT = (
    "steps=8",
    "save_every=3",
    "batch.rows=4",
    "batch.row_tokens=224",
    "batch.micro_batch_rows=2",
    "optimiser.learning_rate=3e-3",
    "held_out.questions=6",
    "held_out.max_new_tokens=8",
    "held_out.every=4",
)


def question(split: str, number: int) -> dict[str, str]:
    draw = rng(0, split, number)
    one, other = draw.randint(1, 9), draw.randint(1, 9)
    chinese, form = number % 4 == 0, "pot" if split == "train" and number % 3 == 0 else "cot"
    sums = f"Program:\n```python\nprint({one}+{other})\n```" if form == "pot" else f"So \\boxed{{{one + other}}}."
    return {
        "id": f"{split}-{number}",
        "question": f"{one}+{other}等于多少？" if chinese else f"What is {one}+{other}?",
        "answer": str(one + other),
        "solution": sums,
        "form": form,
        "language": "zh" if chinese else "en",
        "family": "sums",
        "level": "1",
        "source": "test",
    }


def make_questions(out: Path) -> Path:
    """Publishes a questions artifact of 40 solutions and 10 held-out questions."""
    plan = Plan(kind="questions", format=1, stage="sft.questions", config={}, inputs={})
    partial, _ = publish.begin(out, plan, replace=True, restart=True)
    write_jsonl(partial / "train.jsonl.zst", (question("train", number) for number in range(40)))
    write_jsonl(partial / "heldout.jsonl.zst", (question("heldout", number) for number in range(10)))
    publish.publish(out, plan, {}, {})
    return out


def make_model(folder: Path) -> Path:
    """A random two-layer Llama with a byte tokenizer, as any Hugging Face folder."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = ["Please reason step by step, and put your final answer within User Assistant"] * 3
    trainer = trainers.BpeTrainer(
        vocab_size=320, special_tokens=["<|end|>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(words, trainer)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=320,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=256,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=0,
    )
    save_checkpoint(
        folder, LlamaForCausalLM(config), PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>")
    )
    return folder
