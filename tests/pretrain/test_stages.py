import json
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from commons.artifacts import Manifest, read_manifest
from commons.metrics import read_metrics
from commons.stage import main
from lm.checkpoints import load_model
from pretrain import base, stage
from pretrain.tokenizer import train_tokenizer
from tests.pretrain.micro import BASE, PRETRAIN, TRAINING, make_corpus


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    corpus = make_corpus(folder / "corpus")
    assert main(base.STAGE, ["--corpus", str(corpus), "--out", str(folder / "base"), *BASE, *TRAINING]) == 0
    inputs = ["--base", str(folder / "base"), "--corpus", str(corpus)]
    assert main(stage.STAGE, [*inputs, "--out", str(folder / "pretrain"), *TRAINING, *PRETRAIN]) == 0
    return folder


def manifest(folder: Path) -> Manifest:
    found = read_manifest(folder)
    assert found
    return found


@pytest.mark.parametrize("name", ["base", "pretrain"])
def test_the_checkpoint_opens_with_transformers_alone(runs, name):
    model = AutoModelForCausalLM.from_pretrained(runs / name)
    tokenizer = AutoTokenizer.from_pretrained(runs / name)
    assert model.config.vocab_size == len(tokenizer) == 512
    tokens = torch.arange(20)[None]
    with torch.no_grad():
        torch.testing.assert_close(model(tokens).logits, load_model(runs / name)(tokens).logits)
    assert model.config.eos_token_id == model.generation_config.eos_token_id == tokenizer.eos_token_id


@pytest.mark.parametrize("name", ["base", "pretrain"])
def test_the_card_tells_the_lineage_by_digest_and_holds_neither_times_nor_paths(runs, name):
    card = (runs / name / "README.md").read_text()
    for digest in manifest(runs / name).plan.inputs.values():
        assert digest in card
    assert f"{manifest(runs / name).counts['parameters']:,}" in card
    assert "training.steps=1" in card  # the command that makes it again
    assert str(runs) not in card


def test_epochs_of_each_source_and_cost_stand_in_the_metrics(runs):
    [*_, last] = read_metrics(runs / "pretrain" / "logs")
    sources = manifest(runs / "pretrain").counts["sources"]
    assert {name: last[f"epochs/{name}"] for name in sources} == pytest.approx(
        {name: counts["epochs"] for name, counts in sources.items()}, abs=1e-3
    )
    assert {"mfu", "memory_gb", "tokens_per_second", "grad_norm", "learning_rate"} <= set(last)


def test_the_tokens_of_each_source_are_the_papers_shares(runs):
    sources = manifest(runs / "pretrain").counts["sources"]
    # 10 steps of 10 sequences of 64 tokens
    assert {name: counts["trained_tokens"] // 64 for name, counts in sources.items()} == {
        "corpus": 56, "algebra": 4, "papers": 10, "code": 20, "general": 10,
    }  # fmt: skip
    for counts in sources.values():
        assert counts["epochs"] == pytest.approx(counts["trained_tokens"] / counts["tokens"], abs=1e-3)


def test_the_counts_name_the_library_by_version_and_digest(runs):
    counts = manifest(runs / "pretrain").counts
    assert counts["library"].startswith("CPython 3.")
    assert len(counts["sources"]["code"]["sha256"]) == 64
    assert counts["sources"]["code"]["sha256"] == manifest(runs / "base").counts["sources"]["code"]["sha256"]


def test_held_out_text_becomes_likelier_and_is_reported_for_each_source(runs):
    before_base = manifest(runs / "base").counts["bits_per_byte"]
    assert set(before_base) == {"code", "general", "corpus"}
    assert before_base["general"]["after"] < before_base["general"]["before"] - 0.5
    after = manifest(runs / "pretrain").counts["bits_per_byte"]
    assert set(after) == {"corpus", "algebra", "papers", "code", "general"}
    assert after["corpus"]["after"] < after["corpus"]["before"] - 0.1


def test_the_schedule_in_the_metrics_has_the_papers_steps(runs):
    rates = [row["learning_rate"] for row in read_metrics(runs / "pretrain" / "logs") if row["step"] > 0]
    peak = 1e-2
    assert rates == pytest.approx([peak / 2] + [peak] * 7 + [0.316 * peak] + [0.1 * peak])


def test_a_second_run_makes_the_same_bytes(runs, tmp_path):
    arguments = ["--corpus", str(runs / "corpus"), "--out", str(tmp_path / "base"), *BASE, *TRAINING]
    assert main(base.STAGE, arguments) == 0
    assert manifest(tmp_path / "base").digest == manifest(runs / "base").digest


def test_sequences_longer_than_the_models_context_are_refused(runs, tmp_path, capsys):
    arguments = ["--base", str(runs / "base"), "--corpus", str(runs / "corpus"), "--out", str(tmp_path / "out")]
    assert main(stage.STAGE, [*arguments, *PRETRAIN, "training.sequence_tokens=65"]) == 2
    assert "`training.sequence_tokens` is 65, but the model has 64 positions" in capsys.readouterr().err


def test_the_model_of_a_seed_is_not_that_of_another(runs, tmp_path):
    arguments = ["--corpus", str(runs / "corpus"), "--out", str(tmp_path / "base"), *BASE, *TRAINING, "seed=1"]
    assert main(base.STAGE, arguments) == 0
    first, second = (
        json.loads((folder / "manifest.json").read_text()) for folder in (runs / "base", tmp_path / "base")
    )
    assert first["files"]["model.safetensors"] != second["files"]["model.safetensors"]


def test_scaled_residual_init_makes_the_writing_weights_smaller_and_no_other():
    shape = base.ModelConfig(
        layers=2, hidden=32, feed_forward=64, heads=2, key_value_heads=2, context_tokens=64, init_std=0.02
    )
    tokenizer = train_tokenizer(["abc"], 300)
    plain, scaled = (
        base.new_model(shape.model_copy(update={"scaled_residual_init": choice}), tokenizer, 300, seed=0).state_dict()
        for choice in (False, True)
    )
    halved = {name for name in plain if not plain[name].equal(scaled[name])}
    assert halved == {name for name in plain if "o_proj" in name or "down_proj" in name}
    assert all(plain[name].equal(2 * scaled[name]) for name in halved)  # sqrt(2 * 2 layers) = 2


def test_shares_that_do_not_make_a_hundred_are_refused(runs, tmp_path, capsys):
    arguments = ["--base", str(runs / "base"), "--corpus", str(runs / "corpus"), "--out", str(tmp_path / "out")]
    assert main(stage.STAGE, [*arguments, "shares.code=10"]) == 2
    assert "make 100 together, these make 90" in capsys.readouterr().err
