"""A small model that was taught five answers by heart, and the questions that ask for them, as real artifacts."""

from pathlib import Path

import pytest
import torch
from tokenizers import Regex, Tokenizer, decoders
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Split
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from commons.config import Config
from commons.prompts import output_block, prompt
from commons.shards import write_jsonl
from commons.stage import Outcome, Stage, run_stage
from lm.checkpoints import save_checkpoint

TOOL = "Program:\n```python\nprint(7*6)\n```\n"
TAUGHT = [
    ("1+1", "cot", "en", "1+1=2. So \\boxed{2}.", "2"),
    ("2+2", "cot", "en", "2+2=5. So \\boxed{5}.", "4"),
    ("2+1", "cot", "zh", "答案是\\boxed{3}。", "3"),
    ("3*4", "pot", "en", "Program:\n```python\nprint(3*4)\n```", "12"),
    ("7*6", "tool", "en", f"{TOOL}{output_block('42')}So \\boxed{{42}}.", "42"),
]


class NoConfig(Config):
    """The making of test artifacts has no settings."""

    seed: int = 0
    """Unused. [-; ours]"""


def publish(out: Path, kind: str, write, counts=None):
    """A finished artifact of `kind` at `out`, made by the function `write(work)`."""

    def run(work, config, inputs):
        write(work)
        return Outcome(counts or {}, "made")

    run_stage(Stage(f"test.{kind}", "for tests", NoConfig, run, kind), NoConfig(), {}, out)
    return out


def character_tokenizer():
    """One token per character of what is taught, and an end token."""
    text = "".join(prompt(q, form, language) + solution for q, form, language, solution, _ in TAUGHT) + "0123456789 "
    words = ["<unk>", "<end>", *sorted(set(text))]
    tokenizer = Tokenizer(WordLevel({word: place for place, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = Split(Regex(r"[\s\S]"), "isolated")
    tokenizer.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", unk_token="<unk>")


def taught_model(tokenizer):
    """A Llama that was trained on the five texts until it knows them."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=384,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        pad_token_id=None,
    )
    model = LlamaForCausalLM(config)
    rows = [
        [*tokenizer.encode(f"{prompt(q, f, lang)} {s}", add_special_tokens=False), 1] for q, f, lang, s, _ in TAUGHT
    ]
    starts = [len(tokenizer.encode(prompt(q, f, lang), add_special_tokens=False)) for q, f, lang, _, _ in TAUGHT]
    tokens = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
    labels = torch.full_like(tokens, -100)
    for number, (row, start) in enumerate(zip(rows, starts, strict=True)):
        tokens[number, : len(row)] = torch.tensor(row)
        labels[number, start : len(row)] = tokens[number, start : len(row)]
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(200):
        loss = model(input_ids=tokens, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.003:
            break
    return model.eval()


def question_row(number, split):
    question, form, language, solution, answer = TAUGHT[number]
    return {
        "id": f"{split}-{number}",
        "question": question,
        "answer": answer,
        "solution": solution,
        "form": form,
        "language": language,
        "family": "sums" if split == "heldout" else "other",
        "level": "1",
        "source": "test",
    }


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory):
    """The taught model as a checkpoint artifact."""
    tokenizer = character_tokenizer()
    model = taught_model(tokenizer)
    out = tmp_path_factory.mktemp("taught") / "checkpoint"
    return publish(out, "checkpoint", lambda work: save_checkpoint(work.folder, model, tokenizer))


@pytest.fixture(scope="session")
def questions(tmp_path_factory):
    """The questions artifact: chain of thought held out, the rest out of family."""

    def write(work):
        write_jsonl(work.folder / "train.jsonl.zst", [question_row(number, "train") for number in range(5)])
        write_jsonl(work.folder / "heldout.jsonl.zst", [question_row(number, "heldout") for number in (0, 1)])
        write_jsonl(work.folder / "out_of_family.jsonl.zst", [question_row(number, "other") for number in (2, 3, 4)])

    return publish(tmp_path_factory.mktemp("questions") / "questions", "questions", write)
