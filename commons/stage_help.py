"""The text of `python -m STAGE --help`, made from the declaration: inputs, output, every config field."""

from collections.abc import Mapping
from typing import Any

from pydantic.fields import FieldInfo

from commons.config import Config, fields_of


def help_text(
    name: str, about: str, *, config: type[Config], makes: str, needs: Mapping[str, str], takes: Mapping[str, str]
) -> str:
    """Inputs, output and config of the stage `name`, one line each; a config line ends in `[unit; source]`."""
    guarded = any(key == "sandbox.min_isolation" for key, _ in fields_of(config))
    lines = [about, ""]
    lines += [_input_line("reads", needed, kind, "") for needed, kind in needs.items()]
    lines += [_input_line("takes", taken, kind, " (optional)") for taken, kind in takes.items()]
    lines += [f"makes    {makes:<24} --out FOLDER", ""]
    lines += _config_lines(config)
    lines += [
        "",
        f"usage    python -m {name} [--config FILE.toml ...] --INPUT PATH ... --out FOLDER [key=value ...]",
        *(["         --min-isolation L0|L1|L2|L3   refuse to run programs below it"] if guarded else []),
        "         --replace   make a finished artifact again (Make: REPLACE=1)",
        "         --restart   throw away an unfinished run of another config (Make: RESTART=1)",
        "exit     0 made or up to date, 2 config, 3 missing input or wrong kind, 4 nothing readable,",
        "         5 training stopped at a bad step, 143 saved and stopped by SIGTERM",
    ]
    return "\n".join(lines)


def _input_line(verb: str, name: str, kind: str, note: str) -> str:
    return f"{verb:<8} {name:<15} {kind:<24} --{name} PATH{note}"


def _config_lines(config: type[Config]) -> list[str]:
    rows = [(f"{key} = {_default(field)}", _description(field)) for key, field in fields_of(config)]
    width = max((len(left) for left, _ in rows), default=0)
    return [f"{'config' if n == 0 else '':<8} {left:<{width}}  {right}" for n, (left, right) in enumerate(rows)]


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "(required)"
    value: Any = field.get_default(call_default_factory=True)
    return f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def _description(field: FieldInfo) -> str:
    return " ".join((field.description or "").split())
