"""Models of others in this process: the same greedy outputs as the library's own, stop words, one start token."""

import pytest
import torch
import transformers

from commons.errors import ArtifactError
from eval.foreign import GenerateWriter, is_checked
from eval.local import STEP_TOKENS, LocalWriter, digests_of
from eval.writing import Asked, Sampling
from tests.eval.served import byte_tokenizer, random_model

SIZES = {
    "vocab_size": 258, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "max_position_embeddings": 400, "bos_token_id": 0, "eos_token_id": 1, "initializer_range": 0.3,
}  # fmt: skip
GPT2 = {
    "vocab_size": 258,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 400,
    "bos_token_id": 0,
    "eos_token_id": 1,
}
GROUPED = {**SIZES, "num_key_value_heads": 2}
CHECKED = {
    "llama": GROUPED, "qwen2": GROUPED, "qwen3": {**GROUPED, "head_dim": 8}, "phi": SIZES, "gpt_neox": SIZES,
    "gpt2": GPT2, "mistral": {**GROUPED, "sliding_window": None},
}  # fmt: skip
OTHERS = {
    "mistral": {**GROUPED, "sliding_window": 8},
    "bloom": {"vocab_size": 258, "hidden_size": 32, "n_layer": 2, "n_head": 4, "bos_token_id": 0, "eos_token_id": 1},
}
ASKED = [Asked("a", "two and two are", (0,)), Asked("b", "So", (0,))]


def model_of(kind, sizes):
    torch.manual_seed(1)
    config = transformers.AutoConfig.for_model(kind, **sizes)
    return transformers.AutoModelForCausalLM.from_config(config).eval()


def writer_of(model, kind=LocalWriter, special=False, tokenizer=None):
    tokenizer = tokenizer or byte_tokenizer()
    return kind(model, tokenizer, end_ids=frozenset({1}), rows_at_once=8, digests={"weights": "w"}, special=special)


def outputs(writer, asked, sampling):
    found = {}
    writer.write(asked, sampling, lambda made: found.update({(place, index): one for place, index, one in made}))
    return [found[place, index] for place, one in enumerate(asked) for index in one.samples]


@pytest.mark.parametrize("kind", CHECKED)
def test_our_sampler_writes_what_the_library_writes(kind):
    model = model_of(kind, CHECKED[kind])
    assert is_checked(model.config)
    ours, theirs = (
        outputs(writer_of(model, one), ASKED, Sampling(0.0, 24, 0)) for one in (LocalWriter, GenerateWriter)
    )
    assert ours == theirs
    assert len({one.text for one in ours}) == 2


@pytest.mark.parametrize("kind", OTHERS)
def test_other_architectures_are_asked_through_the_library(kind):
    model = model_of(kind, OTHERS[kind])
    assert not is_checked(model.config)
    sampling = Sampling(0.7, 12, 0)
    several = [Asked("a", "two", (0, 1, 2))]
    writer = writer_of(model, GenerateWriter)
    drawn = outputs(writer, several, sampling)
    assert len({one.text for one in drawn}) == 3
    assert outputs(writer, [Asked("a", "two", (2,))], sampling) == drawn[2:]


def test_outputs_in_steps_are_those_in_one_and_end_at_a_stop_word(tmp_path):
    model = model_of("llama", GROUPED)
    writer = writer_of(model)
    length = STEP_TOKENS + 40
    whole = outputs(writer, ASKED, Sampling(0.0, length, 0))
    stepwise = outputs(writer, ASKED, Sampling(0.0, length, 0, stops=("\nnever so",)))
    assert stepwise == whole
    assert "length" in {one.finish for one in whole}
    found = outputs(writer, ASKED, Sampling(0.0, length, 0, stops=(whole[0].text.lstrip()[:3],)))
    assert (found[0].text.strip(), found[0].finish) == ("", "stop")
    assert found[1] == whole[1]


def test_a_prompt_that_leaves_no_room_is_ended_by_the_length_limit():
    long = [Asked("a", "x" * 500, (0, 1)), *ASKED]
    for kind in (LocalWriter, GenerateWriter):
        found = outputs(writer_of(model_of("llama", GROUPED), kind), long, Sampling(0.0, 5, 0))
        assert [(one.text == "", one.finish) for one in found[:2]] == [(True, "length")] * 2
        assert found[2].text


def test_a_prompt_begins_with_one_start_token(tmp_path):
    tokenizer = transformers.AutoTokenizer.from_pretrained(random_model(tmp_path / "model"))
    tokenizer._tokenizer.post_processor = transformers.convert_slow_tokenizer.processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 0)]
    )
    writer = writer_of(model_of("llama", GROUPED), special=True, tokenizer=tokenizer)
    assert writer.encode("ab").count(0) == 1
    assert writer.encode("<s>ab") == writer.encode("ab")
    with pytest.raises(ArtifactError, match="two start tokens"):
        writer.encode("<s><s>ab")
    assert writer.encode("<s>a<s>b").count(0) == 2  # a chat template whose turns begin with it


def test_digests_name_weights_and_tokenizer(tmp_path):
    folder = random_model(tmp_path / "model")
    before = digests_of(folder)
    (folder / "README.md").write_text("nothing of the model")
    assert digests_of(folder) == before
    (folder / "tokenizer_config.json").write_text("{}")
    assert digests_of(folder)["weights"] == before["weights"]
    assert digests_of(folder)["tokenizer"] != before["tokenizer"]
