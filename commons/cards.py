"""What the cards (README.md) of finished artifacts have in common. They lie inside the digest: no times, no paths."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from commons.config import Config, identity


def inputs_by_digest(inputs: Mapping[str, str]) -> str:
    """The inputs of a stage as a list."""
    return "\n".join(["Inputs by digest:\n", *(f"- `{name}`: `{digest}`" for name, digest in sorted(inputs.items()))])


def how_it_was_made(command: str, config: Config, inputs: Mapping[str, str]) -> str:
    """The section with the command that makes the artifact again and the whole config."""
    flags = " ".join(f"--{name} {name.upper().replace('-', '_')}" for name in inputs)
    line = f"python -m {command} {flags} --out FOLDER {' '.join(changed_settings(config))}".rstrip()
    return "\n".join(
        [
            "## How it was made\n",
            f"```\n{line}\n```\n",
            "The whole config:\n",
            f"```json\n{json.dumps(identity(config), indent=1, sort_keys=True, ensure_ascii=False)}\n```\n",
        ]
    )


def changed_settings(config: Config) -> list[str]:
    """The settings of a config that differ from the defaults, as `key=value` words of a command."""
    defaults = dict(_flat(identity(type(config)())))
    return [f"{key}={_literal(value)}" for key, value in _flat(identity(config)) if defaults.get(key) != value]


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _literal(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}'" if " " in text else text
