"""Typed configuration: defaults < TOML files < `key=value` on the command line.

Each field carries a docstring that ends in `[unit; source]`. Unknown keys are errors that name the nearest field.
"""

import difflib
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from commons.errors import ConfigError


class Config(BaseModel):
    """Base of every stage's config: frozen, no unknown keys, values checked against the bounds at the field."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, validate_default=True)


C = TypeVar("C", bound=Config)


def load_config(kind: type[C], files: Sequence[Path], overrides: Sequence[str]) -> C:
    """The config of class `kind` from TOML `files` in order, then `key=value` overrides.

    Raises ConfigError with one line per key or value that is not accepted.
    """
    values: dict[str, Any] = {}
    for path in files:
        _merge(values, _read_toml(path))
    for override in overrides:
        _merge(values, _parse_override(override))
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise ConfigError(_explain(kind, error)) from None


def identity(config: Config) -> dict[str, Any]:
    """The part of a config that can change the bytes of the result, as JSON values."""
    values: dict[str, Any] = {}
    for name, field in type(config).model_fields.items():
        if is_identity(field):
            value = getattr(config, name)
            values[name] = identity(value) if isinstance(value, Config) else config.model_dump(mode="json")[name]
    return values


def is_identity(field: FieldInfo) -> bool:
    """Whether the field belongs to the identity of the artifact (workers and log intervals do not)."""
    extra = field.json_schema_extra
    return not (isinstance(extra, dict) and extra.get("identity") is False)


def fields_of(kind: type[Config], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Every leaf field of `kind` with its dotted key, nested tables included."""
    for name, field in kind.model_fields.items():
        table = table_of(field)
        if table is None:
            yield prefix + name, field
        else:
            yield from fields_of(table, f"{prefix}{name}.")


def table_of(field: FieldInfo) -> type[Config] | None:
    """The nested Config class of a field, also of an optional one; None for a plain value."""
    for candidate in (field.annotation, *get_args(field.annotation)):
        if isinstance(candidate, type) and issubclass(candidate, Config):
            return candidate
    return None


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"no config file {path}: shipped ones are configs/{{tiny,small,paper}}/STAGE.toml") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None


def _parse_override(text: str) -> dict[str, Any]:
    """`a.b=3` as {"a": {"b": 3}}; a value that is no TOML literal is taken as a string."""
    key, equals, raw = text.partition("=")
    if not equals or not key:
        raise ConfigError(f"got `{text}`, but an override reads `key=value`, as in `seed=3` or `table.key=0.5`")
    try:
        value = tomllib.loads(f"value = {raw}")["value"]
    except tomllib.TOMLDecodeError:
        value = raw
    *tables, last = key.split(".")
    nested: dict[str, Any] = {last: value}
    for table in reversed(tables):
        nested = {table: nested}
    return nested


def _merge(into: dict[str, Any], new: dict[str, Any]) -> None:
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


def _explain(kind: type[Config], error: ValidationError) -> str:
    keys = [key for key, _ in fields_of(kind)]
    lines = [_explain_one(kind.__name__, keys, dict(problem)) for problem in error.errors()]
    return lines[0] if len(lines) == 1 else f"{kind.__name__} does not accept: " + "; ".join(lines)


def _explain_one(name: str, keys: Iterable[str], problem: dict[str, Any]) -> str:
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        near = difflib.get_close_matches(key, list(keys), n=1, cutoff=0.5)
        hint = f"; did you mean `{near[0]}`?" if near else f"; `--help` lists its fields ({', '.join(keys)})"
        return f"{name} has no field `{key}`{hint}"
    return f"`{key}`: {problem['msg'][:1].lower()}{problem['msg'][1:]} (got {problem['input']!r})"
