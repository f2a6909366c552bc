"""Training on a mixture of sources (section 2.3): what `pretrain.base` and `pretrain` share."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from commons.errors import ConfigError
from commons.progress import bar
from commons.seeds import seed_of
from commons.stage import Work
from lm.engine import Engine
from lm.optimiser import start_with
from lm.packing import Rows, rows_of_parts
from lm.schedules import multi_step
from lm.training import train
from pretrain.config import Heldout, Training
from pretrain.heldout import bits_per_byte_of_sources
from pretrain.mixture import draw, drawn_before, one_period
from pretrain.sources import Source, library_version
from pretrain.tokens import TokenStream, open_heldout, open_tokens, read_about, write_tokens


def train_on_mixture(
    work: Work,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    sources: Mapping[str, Source],
    *,
    shares: Mapping[str, int],
    heldout: Heldout,
    training: Training,
    seed: int,
) -> tuple[Engine, dict[str, Any]]:
    """Trains `model` on `sources` in exact `shares` and returns the engine that holds it, and the counts.

    Goes on from the last checkpoint in `work.scratch`; tokenised sources lie there too.
    """
    if training.sequence_tokens > model.config.max_position_embeddings:
        raise ConfigError(
            f"`training.sequence_tokens` is {training.sequence_tokens}, but the model has "
            f"{model.config.max_position_embeddings} positions: lower it, or make the base model with more"
        )
    engine = start_with(model, training)
    folders = {name: work.scratch / "sources" / name for name in shares}
    _tokenise(engine, folders, sources, tokenizer, heldout, training.tokenise_workers)
    streams = {name: open_tokens(folder, seed_of(seed, "source", name)) for name, folder in folders.items()}
    heldout_texts = {name: open_heldout(folder) for name, folder in folders.items()}
    order = one_period(shares)

    def measure(current: PreTrainedModel) -> dict[str, float]:
        return bits_per_byte_of_sources(current, tokenizer, heldout_texts, training.sequence_tokens)

    before = measure(engine.plain_model())
    train(
        engine,
        lambda step: rows_of_step(step, streams, order, training),
        lambda step: multi_step(
            step, peak=training.peak_learning_rate, total_steps=training.steps, warmup_steps=training.warmup_steps
        ),
        steps=training.steps,
        rows_per_micro_batch=training.micro_batch_sequences,
        checkpoints=work.scratch / "steps",
        save_every=training.save_every,
        logs=work.logs,
        evaluate=lambda current: {f"bits_per_byte/{name}": value for name, value in measure(current).items()},
        evaluate_every=training.evaluate_every,
        progress=lambda steps: bar(steps, total=training.steps, label="pretrain", start=steps.start),
    )
    after = measure(engine.plain_model())
    counts = {
        "parameters": sum(parameter.numel() for parameter in engine.plain_model().parameters()),
        "steps": training.steps,
        "tokens": training.steps * training.batch_sequences * training.sequence_tokens,
        "sources": counts_by_source(folders, order, shares, training),
        "bits_per_byte": {name: {"before": before[name], "after": after[name]} for name in after},
    }
    if "code" in shares:
        counts["library"] = library_version()
    return engine, counts


def _tokenise(
    engine: Engine,
    folders: Mapping[str, Path],
    sources: Mapping[str, Source],
    tokenizer: PreTrainedTokenizerFast,
    heldout: Heldout,
    workers: int,
) -> None:
    """Writes the tokens of all sources; the ranks share them out by source."""
    for name in list(folders)[engine.rank :: engine.world_size]:
        write_tokens(
            folders[name],
            sources[name],
            tokenizer,
            heldout_per_mille=heldout.per_mille,
            heldout_bytes=heldout.source_bytes,
            workers=workers,
        )
    engine.barrier()


def rows_of_step(step: int, streams: Mapping[str, TokenStream], order: tuple[str, ...], training: Training) -> Rows:
    """Section 2.3: the sequences of one step, a pure function of the step (steps count from 0)."""
    first = step * training.batch_sequences
    drawn = (draw(order, position) for position in range(first, first + training.batch_sequences))
    rows = [streams[name].parts(index, training.sequence_tokens) for name, index in drawn]
    return rows_of_parts(rows, attend_across=training.attend_across)


def counts_by_source(
    folders: Mapping[str, Path], order: tuple[str, ...], shares: Mapping[str, int], training: Training
) -> dict[str, Any]:
    """What each source holds, and how much of it was trained on: tokens and epochs."""
    sequences = drawn_before(order, training.steps * training.batch_sequences)
    counts = {}
    for name, folder in folders.items():
        about = read_about(folder)
        trained = sequences[name] * training.sequence_tokens
        counts[name] = about | {
            "share": shares[name],
            "trained_tokens": trained,
            "epochs": round(trained / about["tokens"], 3),
        }
    return counts


def summary_of(counts: Mapping[str, Any], source: str) -> str:
    """One line: size, tokens, and bits per byte before and after on `source`, or on the first one without it."""
    measured = counts["bits_per_byte"]
    name = source if source in measured else next(iter(measured))
    return (
        f"{counts['parameters'] / 1e6:.1f}M parameters, {counts['tokens'] / 1e6:.2f}M tokens, "
        f"bits per byte {measured[name]['before']:.2f} -> {measured[name]['after']:.2f} on held-out {name}"
    )
