"""Training on a mixture of sources (section 2.3): what `pretrain.base` and `pretrain` share."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from commons.errors import ConfigError
from commons.progress import bar
from commons.seeds import seed_of
from commons.stage import Inputs, Outcome, Work
from lm.checkpoints import save_checkpoint
from lm.engine import Engine
from lm.model_card import write_model_card
from lm.optimiser import start_with
from lm.packing import Rows, rows_of_parts
from lm.schedules import multi_step
from lm.training import Rules, train
from pretrain.config import Heldout, MixtureConfig, Training
from pretrain.heldout import bits_per_byte_of_sources
from pretrain.mixture import draw, drawn_before, one_period
from pretrain.sources import Source, library_version, mixture_sources
from pretrain.tokens import TokenStream, open_heldout, open_tokens, read_about, write_tokens

OWN_SOURCES = ("algebra", "papers", "code")


def train_on_mixture(
    work: Work,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    config: MixtureConfig,
    shares: Mapping[str, int],
    inputs: Inputs,
    *,
    described: tuple[str, str],
    shown: str,
) -> Outcome:
    """Trains `model` in exact `shares` of the sources and writes it as a checkpoint with its card.

    `described` is the command and what it is about, for the card; `shown` is the source of the summary.
    Goes on from the last checkpoint in `work.scratch`; tokenised sources lie there too.
    """
    training, shares = config.training, {name: share for name, share in shares.items() if share}
    _check_length(training.sequence_tokens, model)
    engine = start_with(model, training)
    folders = {name: work.scratch / "sources" / name for name in shares}
    _tokenise(engine, folders, _sources(shares, config, inputs), tokenizer, config.heldout, training.tokenise_workers)
    about = {name: read_about(folder) for name, folder in folders.items()}
    streams = {name: open_tokens(folder, seed_of(config.seed, "source", name)) for name, folder in folders.items()}
    heldout_texts = {name: open_heldout(folder) for name, folder in folders.items()}
    order = one_period(shares)

    def measure(current: PreTrainedModel) -> dict[str, float]:
        return bits_per_byte_of_sources(current, tokenizer, heldout_texts, training.sequence_tokens)

    before = measure(engine.plain_model())
    trained = train(
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
        rules=Rules(
            keep=training.keep,
            bad_steps=config.bad_steps,
            made_from={f"source {name}": facts["sha256"] for name, facts in about.items()},
            report=lambda done: epochs_by_source(done, about, order, training),
        ),
    )
    weights = engine.plain_model()
    after = measure(weights)
    counts = {
        "parameters": sum(parameter.numel() for parameter in weights.parameters()),
        "steps": training.steps,
        "skipped_steps": trained.skipped,
        "tokens": training.steps * training.batch_sequences * training.sequence_tokens,
        "vocabulary": len(tokenizer),
        "sources": counts_by_source(folders, order, shares, training),
        "bits_per_byte": {name: {"before": before[name], "after": after[name]} for name in after},
    }
    if "code" in shares:
        counts["library"] = library_version()
    if work.rank == 0:
        save_checkpoint(work.folder, weights, tokenizer)
        write_model_card(work.folder, weights, *described, config, inputs, counts)
    engine.barrier()
    return Outcome(counts, summary_of(counts, shown))


def _sources(shares: Mapping[str, int], config: MixtureConfig, inputs: Inputs) -> dict[str, Source]:
    own = {name: inputs[name].path for name in OWN_SOURCES if name in inputs}
    return mixture_sources(
        shares, corpus=inputs["corpus"].path, own=own, limit_bytes=config.source_bytes, seed=config.seed
    )


def _check_length(sequence_tokens: int, model: PreTrainedModel) -> None:
    positions = model.config.max_position_embeddings
    if sequence_tokens > positions:
        raise ConfigError(
            f"`training.sequence_tokens` is {sequence_tokens}, but the model has {positions} positions: lower it, or "
            "make the base model with more"
        )


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


def epochs_by_source(
    steps: int, about: Mapping[str, Mapping[str, Any]], order: tuple[str, ...], training: Training
) -> dict[str, float]:
    """How often each source was gone through after `steps` steps, as metrics `epochs/NAME`."""
    sequences = drawn_before(order, steps * training.batch_sequences)
    return {
        f"epochs/{name}": round(sequences[name] * training.sequence_tokens / facts["tokens"], 4)
        for name, facts in about.items()
        if facts["tokens"]
    }


def summary_of(counts: Mapping[str, Any], source: str) -> str:
    """One line: size, tokens, and bits per byte before and after on `source`, or on the first one without it."""
    measured = counts["bits_per_byte"]
    name = source if source in measured else next(iter(measured))
    return (
        f"{counts['parameters'] / 1e6:.1f}M parameters, {counts['tokens'] / 1e6:.2f}M tokens, "
        f"bits per byte {measured[name]['before']:.2f} -> {measured[name]['after']:.2f} on held-out {name}"
    )
