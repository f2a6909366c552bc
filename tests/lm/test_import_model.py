import json
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerFast

from commons.artifacts import open_artifact
from lm.checkpoints import load_model, load_tokenizer, save_checkpoint
from lm.import_model import main
from tests.lm.models import llama

TEXT = ["the sum of two numbers is a number and 12 + 30 = 42 "] * 3


def trained(vocabulary: int = 300) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=alphabet,
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    return tokenizer


def tiny(tokens: int):
    model = llama()
    model.resize_token_embeddings(tokens)
    return model


def write_gguf(path: Path, model, tokenizer: Tokenizer, *, cut: str = "smollm", kind: str = "llama") -> Path:
    """A GGUF file as llama.cpp's converter writes it: rows of query and key with rotary pairs side by side."""
    writer, config = gguf.GGUFWriter(path, kind), model.config
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10_000.0)
    written = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(written["vocab"], key=written["vocab"].__getitem__)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(cut)
    writer.add_token_list(tokens)
    writer.add_token_types([3] * 3 + [1] * (len(tokens) - 3))
    writer.add_token_merges([" ".join(merge) for merge in written["merges"]])
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(2)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config.num_hidden_layers)
    for name, weight in model.state_dict().items():
        values = weight.numpy()
        if "q_proj" in name or "k_proj" in name:
            heads = config.num_attention_heads if "q_proj" in name else config.num_key_value_heads
            halves = values.reshape(heads, 2, -1, values.shape[1])
            values = np.ascontiguousarray(halves.swapaxes(1, 2)).reshape(values.shape)
        writer.add_tensor(names.get_name(name, try_suffixes=(".weight",)), values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_a_gguf_file_becomes_a_checkpoint_with_the_same_logits(tmp_path):
    tokenizer = trained()
    model = tiny(tokenizer.get_vocab_size())
    path = write_gguf(tmp_path / "tiny.gguf", model, tokenizer)
    assert main([str(path), "--out", str(tmp_path / "out")]) == 0
    artifact = open_artifact(tmp_path / "out", "checkpoint")
    assert artifact.counts == {
        "model": "llama",
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "vocabulary": tokenizer.get_vocab_size(),
        "dtype": "float32",
    }
    asked = torch.arange(40)[None]
    with torch.no_grad():
        expected = model(asked).logits
        torch.testing.assert_close(load_model(artifact.path)(asked).logits, expected, rtol=0, atol=0)
        plain = AutoModelForCausalLM.from_pretrained(artifact.path)
        torch.testing.assert_close(plain(asked).logits, expected, rtol=0, atol=0)


def test_the_tokenizer_of_a_gguf_file_takes_digits_one_by_one_and_ends_where_the_model_ends(tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf", tiny(300), trained())
    assert main([str(path), "--out", str(tmp_path / "out")]) == 0
    for tokenizer in (load_tokenizer(tmp_path / "out"), AutoTokenizer.from_pretrained(tmp_path / "out")):
        words = tokenizer.convert_ids_to_tokens(tokenizer.encode("and  100%"))
        assert [word for word in words if word in "100"] == ["1", "0", "0"]
        assert tokenizer.decode(tokenizer.encode("a 今天\n 12<|im_end|>")) == "a 今天\n 12<|im_end|>"
        assert (tokenizer.eos_token, tokenizer.pad_token, tokenizer.eos_token_id) == ("<|im_end|>", "<|im_end|>", 2)
    assert AutoModelForCausalLM.from_pretrained(tmp_path / "out").generation_config.eos_token_id == 2


@pytest.mark.parametrize(
    ("options", "line"), [({"kind": "gpt2"}, "holds a gpt2 model"), ({"cut": "refact"}, "cut refact; known are gpt2")]
)
def test_a_gguf_file_that_is_not_understood_is_refused(tmp_path, capsys, options, line):
    path = write_gguf(tmp_path / "tiny.gguf", tiny(300), trained(), **options)
    assert main([str(path), "--out", str(tmp_path / "out")]) == 4
    assert line in capsys.readouterr().err


def test_a_tokenizer_that_is_not_understood_may_be_given(tmp_path):
    path = write_gguf(tmp_path / "tiny.gguf", tiny(300), trained(), cut="refact")
    given = PreTrainedTokenizerFast(tokenizer_object=trained(), eos_token="<|endoftext|>")
    given.save_pretrained(tmp_path / "tokenizer")
    assert main([str(path), "--out", str(tmp_path / "out"), "--tokenizer", str(tmp_path / "tokenizer")]) == 0
    assert load_tokenizer(tmp_path / "out").eos_token == "<|endoftext|>"


def test_a_folder_keeps_its_numbers_unless_others_are_asked_for(tmp_path):
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=trained(), eos_token="<|im_end|>")
    save_checkpoint(tmp_path / "model", tiny(300).to(torch.bfloat16), tokenizer)
    assert main([str(tmp_path / "model"), "--out", str(tmp_path / "kept")]) == 0
    assert main([str(tmp_path / "model"), "--out", str(tmp_path / "float"), "dtype=float32"]) == 0
    kept, other = (AutoModelForCausalLM.from_pretrained(tmp_path / name, dtype="auto") for name in ("kept", "float"))
    assert (kept.dtype, other.dtype) == (torch.bfloat16, torch.float32)
    assert torch.equal(kept.lm_head.weight.float(), other.lm_head.weight)
    names = ("model.safetensors", "tokenizer.json")
    assert [(tmp_path / "kept" / name).read_bytes() for name in names] == [
        (tmp_path / "model" / name).read_bytes() for name in names
    ]


@pytest.mark.parametrize(
    ("model", "line"),
    [
        ("owner/no-such-model", "give a folder or a GGUF file"),
        ("missing.gguf", "no file or folder missing.gguf"),
        ("{folder}", "no config.json in"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(tmp_path, capsys, model, line):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "note.txt").write_text("empty")
    assert main([model.format(folder=tmp_path / "model"), "--out", str(tmp_path / "out")]) == 3
    error = capsys.readouterr().err
    assert line in error
    assert error.count("\n") == 1
