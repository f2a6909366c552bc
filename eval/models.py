"""The model that is asked: a folder, a name on the hub, or a server."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from huggingface_hub import snapshot_download
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, RepositoryNotFoundError

from commons.artifacts import Artifact
from commons.errors import ArtifactError, ConfigError
from eval.config import EvalConfig
from eval.endpoint import EndpointWriter
from eval.local import LocalWriter, chat_template, digests_of, on_device
from eval.writing import Writer
from lm.checkpoints import end_token_ids, load_model, load_tokenizer

UNBOUNDED = 1 << 30  # positions of a served model: it says itself when a prompt is too long
HUB_FILES = ["*.safetensors", "*.json", "tokenizer*", "*.txt", "*.jinja"]


@dataclass(frozen=True)
class Served:
    """A model ready to be asked."""

    writer: Writer
    positions: int
    length: Callable[[str], int]  # tokens of a text
    template: Callable[[str], str] | None  # a user's message in the model's chat form
    close: Callable[[], None]


def opened(config: EvalConfig, model: Artifact | None) -> Served:
    """The one model that is named. Raises ConfigError where none or several are."""
    named = [bool(model), bool(config.model.hub), bool(config.model.url)]
    if sum(named) != 1:
        raise ConfigError(f"{sum(named)} models are named; name one: --model FOLDER, model.hub=NAME or model.url=URL")
    if config.model.url:
        return _served(config)
    return _loaded(config, model.path if model else hub_folder(config.model.hub), ours=bool(model and model.manifest))


def hub_folder(name: str) -> Path:
    """The files of NAME[@REVISION] on this machine, fetched where they are not there yet.

    Raises ArtifactError where the hub has no such model or cannot be reached."""
    repository, _, revision = name.partition("@")
    try:
        return Path(snapshot_download(repository, revision=revision or None, allow_patterns=HUB_FILES))
    except RepositoryNotFoundError:
        raise ArtifactError(f"the hub has no model {repository}") from None
    except (LocalEntryNotFoundError, HfHubHTTPError) as error:
        raise ArtifactError(f"{name} cannot be fetched and is not on this machine: {error}") from None


def _served(config: EvalConfig) -> Served:
    if not config.model.served:
        raise ConfigError("model.served is missing: the name under which the server has the model")
    if config.model.chat_template and config.model.api != "chat":
        raise ConfigError("model.chat_template asks the server to write its chat form: that is model.api=chat")
    writer = EndpointWriter(config.model)
    template = _as_it_is if config.model.api == "chat" else None
    return Served(writer, UNBOUNDED, len, template, writer.close)


def _as_it_is(message: str) -> str:
    return message


def _loaded(config: EvalConfig, folder: Path, *, ours: bool) -> Served:
    model = on_device(load_model(folder, getattr(torch, config.model.dtype)))
    tokenizer = load_tokenizer(folder)
    template = chat_template(tokenizer) if config.model.chat_template else None
    if config.model.chat_template and template is None:
        raise ConfigError(f"the tokenizer in {folder} has no chat template: set model.chat_template=false")
    writer = LocalWriter(
        model,
        tokenizer,
        end_ids=end_token_ids(model, tokenizer),
        rows_at_once=config.rows_at_once,
        digests=digests_of(folder),
        special=not ours and template is None,
    )
    positions = int(model.config.max_position_embeddings)
    return Served(writer, positions, lambda text: len(writer.encode(text)), template, lambda: None)
