"""`python -m pretrain`: continues the base model on the paper's mixture (section 2.3)."""

from commons.stage import Inputs, Outcome, Stage, Work
from lm.checkpoints import load_model, load_tokenizer
from pretrain.config import MixtureConfig, Shares
from pretrain.train import OWN_SOURCES, train_on_mixture

ABOUT = "Continues the base model on corpus, algebra programs, papers, code and general text (section 2.3)."


class PretrainConfig(MixtureConfig):
    """Config of `pretrain`."""

    shares: Shares = Shares()
    """The mixture. [% of tokens; section 2.3]"""


def run(work: Work, config: PretrainConfig, inputs: Inputs) -> Outcome:
    """Section 2.3: trains the base model on the mixture and writes it as a checkpoint."""
    folder = inputs["base"].path
    return train_on_mixture(
        work,
        load_model(folder),
        load_tokenizer(folder),
        config,
        config.shares.model_dump(),
        inputs,
        described=("pretrain", ABOUT),
        shown="corpus",
    )


STAGE = Stage(
    name="pretrain",
    about=ABOUT,
    config=PretrainConfig,
    run=run,
    makes="checkpoint",
    ranks=True,
    needs={"base": "checkpoint|folder", "corpus": "corpus"},
    takes=dict.fromkeys(OWN_SOURCES, "tokens|folder|file"),
)
