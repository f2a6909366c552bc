"""The declarations of all stages, by the name of their command."""

from collections.abc import Mapping
from importlib import import_module

from commons.stage import Stage

# Where each command declares its stage. Modules are imported on demand: most of them need torch.
DECLARED_IN: Mapping[str, str] = {
    "corpus.sample": "corpus.sample",
    "corpus": "corpus.stage",
    "corpus.index": "corpus.index",
    "pretrain.base": "pretrain.base",
    "pretrain": "pretrain.stage",
    "pretrain.tokenise": "pretrain.tokenise",
    "lm.import_model": "lm.import_model",
    "sft.questions": "sft.questions",
    "sft": "sft.stage",
    "rl.reward": "rl.reward",
    "rl": "rl.stage",
    "eval": "eval.stage",
    "eval.report": "eval.report",
}


def stage_of(module: str) -> Stage:
    """The stage behind `python -m MODULE`."""
    stage = import_module(DECLARED_IN[module]).STAGE
    assert isinstance(stage, Stage)
    return stage
