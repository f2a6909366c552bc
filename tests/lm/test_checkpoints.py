import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from commons.errors import ArtifactError
from commons.files import sha256_of_file
from lm.ask import main
from lm.checkpoints import end_token_ids, load_model, load_tokenizer, save_checkpoint
from tests.lm.models import VOCABULARY, gpt2, llama


def tokenizer():
    words = {"<begin>": 0, "<end>": 1} | {chr(33 + i): i + 2 for i in range(VOCABULARY - 2)}
    core = Tokenizer(models.WordLevel(words, unk_token="<begin>"))
    core.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    return PreTrainedTokenizerFast(tokenizer_object=core, bos_token="<begin>", eos_token="<end>")


def test_a_checkpoint_comes_back_as_it_was_saved(tmp_path):
    save_checkpoint(tmp_path, llama(), tokenizer())
    model, words = load_model(tmp_path), load_tokenizer(tmp_path)
    for name, weights in llama().state_dict().items():
        assert torch.equal(model.state_dict()[name], weights)
    assert words.encode("17+25", add_special_tokens=False) == tokenizer().encode("17+25", add_special_tokens=False)
    assert words.is_fast
    assert not model.training


def test_equal_weights_give_equal_bytes_wherever_they_were_read_and_written(tmp_path):
    save_checkpoint(tmp_path / "first", llama(), tokenizer())
    again = tmp_path / "elsewhere" / "second"
    save_checkpoint(again, load_model(tmp_path / "first"), load_tokenizer(tmp_path / "first"))
    names = sorted(path.name for path in again.iterdir())
    assert names == sorted(path.name for path in (tmp_path / "first").iterdir())
    assert {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} <= set(names)
    for name in names:
        assert sha256_of_file(again / name) == sha256_of_file(tmp_path / "first" / name), name
        assert str(tmp_path).encode() not in (again / name).read_bytes()


def test_dropout_is_off_in_a_loaded_model(tmp_path):
    model = gpt2()
    model.config.attn_pdrop = model.config.resid_pdrop = model.config.embd_pdrop = 0.5
    save_checkpoint(tmp_path, model, tokenizer())
    loaded = load_model(tmp_path).train()
    ids = torch.tensor([[5, 6, 7]])
    assert torch.equal(loaded(ids).logits, loaded(ids).logits)


def test_every_end_token_counts(tmp_path):
    model = llama()
    model.generation_config.eos_token_id = [1, 7]
    assert end_token_ids(model, tokenizer()) == {1, 7}
    model.generation_config.eos_token_id = 9
    assert end_token_ids(model, tokenizer()) == {1, 9}
    model.generation_config.eos_token_id = 0  # an id of 0 is an id
    assert end_token_ids(model, tokenizer()) == {0, 1}


def test_a_checkpoint_without_any_end_token_is_refused():
    model, words = llama(), tokenizer()
    model.generation_config.eos_token_id = None
    words.eos_token = None
    with pytest.raises(ArtifactError, match="no end token"):
        end_token_ids(model, words)


def test_a_folder_without_a_model_is_named(tmp_path):
    with pytest.raises(ArtifactError, match=str(tmp_path)):
        load_model(tmp_path)


def test_a_question_is_answered_on_the_command_line(tmp_path, capsys):
    save_checkpoint(tmp_path, llama(positions=200), tokenizer())
    assert main([str(tmp_path), "17+25"]) == 0
    assert main([str(tmp_path)]) == 2
    assert main([str(tmp_path / "nothing"), "17+25"]) == 3
    error = capsys.readouterr().err.splitlines()
    assert error[0].startswith("lm.ask: 1 arguments; accepted: python -m lm.ask")
    assert error[1].startswith("lm.ask: no config.json")
