from itertools import islice
from pathlib import Path

import pytest

from commons.errors import ConfigError
from commons.prompts import prompt
from pretrain.sources import library_source
from pretrain.tokenizer import END, open_tokenizer, train_tokenizer


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [document.text for document in islice(library_source(0), 15)]


@pytest.fixture(scope="module")
def tokenizer(texts):
    return train_tokenizer(texts, 1024)


@pytest.mark.parametrize(
    "text", ["x = 1234", "  two  spaces\n\n\ttab", "数学问题：𝔽₇", "\\frac{1}{2}", "", "a\r\nb", "\x00"]
)
def test_decoding_gives_back_any_text(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_every_digit_is_a_token_of_its_own(tokenizer):
    assert [token for token in tokenizer.tokenize("in 1234 x56") if token.isdigit()] == list("123456")
    assert not [token for token in tokenizer.get_vocab() if sum(letter.isdigit() for letter in token) > 1]


def test_the_vocabulary_has_the_wanted_size_and_an_end_token(tokenizer):
    assert len(tokenizer) == 1024
    assert tokenizer.encode(END) == [tokenizer.eos_token_id]


def test_the_words_of_the_chat_form_are_tokens(tokenizer):
    tokens = tokenizer.tokenize(prompt("?", "cot", "en"))
    assert {"User", "Assistant", "boxed"} <= set(tokens)


def test_equal_texts_give_equal_tokenizers(tokenizer, texts):
    again = train_tokenizer(texts, 1024)
    assert again.backend_tokenizer.to_str() == tokenizer.backend_tokenizer.to_str()


def test_a_saved_tokenizer_can_be_taken_by_its_path(tokenizer, tmp_path: Path):
    tokenizer.save_pretrained(tmp_path)
    assert open_tokenizer(tmp_path).encode("def f(x):") == tokenizer.encode("def f(x):")


def test_a_path_without_a_tokenizer_is_a_mistake_in_the_config(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"`tokenizer\.path`"):
        open_tokenizer(tmp_path)
