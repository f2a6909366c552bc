"""Benchmarks from the Hugging Face hub, or from a folder that `datasets` reads as if it were one."""

from collections.abc import Iterator
from typing import Any

import datasets
from datasets.exceptions import DatasetNotFoundError
from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled

from commons.errors import ArtifactError


def hub_rows(source: str) -> Iterator[dict[str, Any]]:
    """The rows of `REPOSITORY[@REVISION][:CONFIG[:SPLIT]]`, as in `openai/gsm8k:main:test`; the split is `test` unless
    named. Several configs, as the subjects of MMLU, are joined by `+` and read one after another; a row keeps the name
    of its config as `subject` where it has no such field.

    Raises ArtifactError for what is not there or cannot be reached."""
    repository, _, rest = source.partition(":")
    repository, _, revision = repository.partition("@")
    config, _, split = rest.partition(":")
    for name in config.split("+"):
        found = _loaded(repository, name or None, split or "test", revision or None)
        for row in found:
            yield {"subject": name, **row} if name and "+" in config else dict(row)


def _loaded(repository: str, config: str | None, split: str, revision: str | None) -> datasets.Dataset:
    try:
        with _quiet():
            return datasets.load_dataset(repository, config, split=split, revision=revision)
    except (DatasetNotFoundError, HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled) as error:
        raise ArtifactError(f"{repository} is not on the hub, or the hub cannot be reached: {error}") from None
    except (ValueError, FileNotFoundError, ConnectionError) as error:
        raise ArtifactError(f"{repository} cannot be read (config {config}, split {split}): {error}") from None


class _quiet:
    """No bars of the library: those belong to commands."""

    def __enter__(self) -> None:
        self._shown = datasets.utils.logging.is_progress_bar_enabled()
        datasets.disable_progress_bars()

    def __exit__(self, *_: object) -> None:
        if self._shown:
            datasets.enable_progress_bars()
