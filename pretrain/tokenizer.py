"""The tokenizer: a byte-level BPE of our own, digits one by one, or any Hugging Face one."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from commons.errors import ArtifactError, ConfigError
from commons.prompts import FORMS, LANGUAGES, output_block, prompt
from lm.checkpoints import load_tokenizer

END, PAD = "<|end|>", "<|pad|>"
# the chat form stands in every later prompt, so its words should be tokens; measured: with 10% of the bytes they are,
# and code costs 1% more tokens than without
CHAT_FORM_SHARE = 0.1
LONGEST_TOKEN_BYTES = 16


def train_tokenizer(texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerFast:
    """A BPE tokenizer of `vocabulary` tokens, learnt from `texts` and the chat form's own words.

    Every string has an encoding (the 256 bytes are tokens) and decodes to itself. No token spans two digits, so that
    a number is the sequence of its digits. Equal texts give equal merges.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[END, PAD],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        max_token_length=LONGEST_TOKEN_BYTES,
        show_progress=False,
    )
    tokenizer.train_from_iterator(_with_chat_form(texts), trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=END, pad_token=PAD, clean_up_tokenization_spaces=False
    )


def open_tokenizer(path: Path) -> PreTrainedTokenizerFast:
    """A Hugging Face tokenizer from a folder; it needs an end token, which separates documents."""
    try:
        tokenizer = load_tokenizer(path)
    except (OSError, ValueError, ArtifactError) as error:
        reason = str(error).splitlines()[0]
        raise ConfigError(f"`tokenizer.path`: no Hugging Face tokenizer can be read from {path} ({reason})") from None
    if tokenizer.eos_token_id is None:
        raise ConfigError(f"`tokenizer.path`: the tokenizer at {path} has no end token (eos_token), which is needed")
    return tokenizer


def _with_chat_form(texts: Iterable[str]) -> Iterator[str]:
    frames = [prompt("", form, language) for form in FORMS for language in LANGUAGES]
    chat = "\n".join(f"{frame} ```python\nprint()\n```\n{output_block('')} \\boxed{{}}" for frame in frames)
    written = 0
    for text in texts:
        yield text
        written += len(text)
    yield from [chat] * round(CHAT_FORM_SHARE * written / len(chat))
