"""A corpus artifact of a few pages, and the smallest configs that train on it."""

from pathlib import Path

import pyarrow as pa

from commons import publish
from commons.artifacts import Plan
from commons.seeds import rng
from commons.shards import write_parquet
from pretrain.papers import latex_paper

WORDS = ("bread", "train", "cake", "the", "sells", "every", "morning", "open", "今天", "商店", "水果")

BASE = (
    "source_bytes=60000",
    "tokenizer.vocabulary=512",
    "tokenizer.source_bytes=30000",
    "model.layers=2",
    "model.hidden=32",
    "model.feed_forward=64",
    "model.heads=2",
    "model.key_value_heads=2",
    "model.context_tokens=64",
    "model.init_std=0.02",
    "model.tied_embeddings=true",
    "heldout.source_bytes=1000",
    "heldout.per_mille=100",
)
TRAINING = (
    "training.steps=12",
    "training.batch_sequences=8",
    "training.micro_batch_sequences=4",
    "training.sequence_tokens=64",
    "training.peak_learning_rate=1e-2",
    "training.warmup_steps=2",
    "training.save_every=3",
    "training.evaluate_every=6",
)
PRETRAIN = (
    "source_bytes=60000",
    "heldout.source_bytes=1000",
    "heldout.per_mille=100",
    "training.steps=10",
    "training.batch_sequences=10",
)


def make_corpus(out: Path) -> Path:
    """Publishes a corpus artifact of 60 mathematical and 60 other pages."""
    plan = Plan(kind="corpus", format=1, stage="corpus", config={}, inputs={})
    partial, _ = publish.begin(out, plan, replace=True, restart=True)
    maths = [latex_paper(rng(1, "page", number)) for number in range(60)]
    other = [" ".join(rng(1, "other", number).choices(WORDS, k=80)) for number in range(60)]
    write_parquet(partial / "pages" / "0.parquet", pa.table({"text": maths}))
    write_parquet(partial / "general" / "0.parquet", pa.table({"text": other}))
    publish.publish(out, plan, {}, {})
    return out
