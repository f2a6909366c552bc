"""`python -m pretrain`: continues the base model on the paper's mixture (section 2.3)."""

from pydantic import Field

from commons.config import Config
from commons.stage import Inputs, Outcome, Stage, Work
from lm.checkpoints import load_model, load_tokenizer, save_checkpoint
from pretrain.config import Heldout, Shares, Training
from pretrain.sources import mixture_sources
from pretrain.train import summary_of, train_on_mixture

OWN_SOURCES = ("algebra", "papers", "code")


class PretrainConfig(Config):
    """Config of `pretrain`."""

    seed: int = Field(default=0, ge=0)
    """Seed of all random streams. [-; ours]"""
    source_bytes: int = Field(default=1_000_000_000_000, gt=0)
    """Text read of each source at most; a generated source is written until it has as much. [bytes; ours]"""
    shares: Shares = Shares()
    """The mixture. [% of tokens; section 2.3]"""
    heldout: Heldout = Heldout()
    """Text to measure on. [-; -]"""
    training: Training = Training()
    """Training. [-; section 2.3]"""


def run(work: Work, config: PretrainConfig, inputs: Inputs) -> Outcome:
    """Section 2.3: trains the base model on the mixture and writes it as a checkpoint."""
    tokenizer = load_tokenizer(inputs["base"].path)
    shares = {name: share for name, share in config.shares.model_dump().items() if share}
    own = {name: inputs[name].path for name in OWN_SOURCES if name in inputs}
    engine, counts = train_on_mixture(
        work,
        load_model(inputs["base"].path),
        tokenizer,
        mixture_sources(
            shares, corpus=inputs["corpus"].path, own=own, limit_bytes=config.source_bytes, seed=config.seed
        ),
        shares=shares,
        heldout=config.heldout,
        training=config.training,
        seed=config.seed,
    )
    trained = engine.plain_model()
    if work.rank == 0:
        save_checkpoint(work.folder, trained, tokenizer)
    engine.barrier()
    return Outcome(counts, summary_of(counts, "corpus"))


STAGE = Stage(
    name="pretrain",
    about="Continues the base model on corpus, algebra programs, papers, code and general text (section 2.3).",
    config=PretrainConfig,
    run=run,
    makes="checkpoint",
    ranks=True,
    needs={"base": "checkpoint|folder", "corpus": "corpus"},
    takes=dict.fromkeys(OWN_SOURCES, "tokens|folder|file"),
)
