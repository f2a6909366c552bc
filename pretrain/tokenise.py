"""`python -m pretrain.tokenise`: the tokens of a source, written once per tokenizer and read by every later run.

The artifact is what `pretrain` takes instead of a folder of texts (`--code runs/tokens/code`). Texts from the hub are
streamed: only their tokens reach the disk (section 2.3: sources larger than a machine).
"""

from collections.abc import Iterator

from pydantic import Field

from commons.config import Config
from commons.errors import ConfigError, DataError
from commons.stage import Inputs, Outcome, Stage, Work, main
from lm.checkpoints import load_tokenizer
from pretrain.config import Heldout
from pretrain.sources import document, first_bytes
from pretrain.texts import hub_texts, texts_of
from pretrain.tokens import read_about, write_tokens


class TokeniseConfig(Config):
    """Config of `pretrain.tokenise`."""

    hub: str | None = None
    """Data set of the Hugging Face hub to stream, instead of --source. [-; ours]"""
    subset: str | None = None
    """Its subset, where it has several. [-; ours]"""
    split: str = "train"
    """Split of a data set. [-; ours]"""
    field: str = "text"
    """Field that holds the text. [-; ours]"""
    source_bytes: int = Field(default=1_000_000_000_000, gt=0)
    """Text read at most. [bytes; ours]"""
    heldout: Heldout = Heldout()
    """Text to measure on. [-; -]"""
    workers: int = Field(default=2, ge=1, json_schema_extra={"identity": False})
    """Processes that tokenise. [processes; ours]"""


def run(work: Work, config: TokeniseConfig, inputs: Inputs) -> Outcome:
    """Writes the tokens of the source and the texts that are held out."""
    write_tokens(
        work.folder,
        first_bytes(map(document, texts(config, inputs)), config.source_bytes),
        load_tokenizer(inputs["tokenizer"].path),
        heldout_per_mille=config.heldout.per_mille,
        heldout_bytes=config.heldout.source_bytes,
        workers=config.workers,
    )
    counts = read_about(work.folder)
    if not counts["tokens"]:
        raise DataError("the source holds no text to train on")
    return Outcome(counts, f"{counts['documents']:,} documents, {counts['tokens']:,} tokens")


def texts(config: TokeniseConfig, inputs: Inputs) -> Iterator[str]:
    """The texts of the source; ConfigError unless it is named in one of the two ways."""
    if (config.hub is None) == ("source" not in inputs):
        raise ConfigError("give the source as --source PATH or as hub=OWNER/DATASET, one of them")
    if config.hub is not None:
        return hub_texts(config.hub, subset=config.subset, split=config.split, field=config.field)
    return texts_of(inputs["source"].path, field=config.field, split=config.split)


STAGE = Stage(
    name="pretrain.tokenise",
    about="Writes the tokens of a source once for a tokenizer: files, a corpus, a data set of the hub.",
    config=TokeniseConfig,
    run=run,
    makes="tokens",
    needs={"tokenizer": "checkpoint|folder"},
    takes={"source": "corpus|folder|file"},
)

if __name__ == "__main__":
    raise SystemExit(main(STAGE))
