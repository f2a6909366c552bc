"""A stage is a value; its command comes from the declaration: inputs, config, output, help, errors, exit code."""

import argparse
import difflib
import os
import platform
import resource
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from commons import publish
from commons.artifacts import LOGS, SCRATCH, Artifact, Plan, open_input
from commons.config import Config, fields_of, identity, load_config
from commons.errors import ArtifactError, ConfigError, ProjectError
from commons.stage_help import help_text

Inputs = Mapping[str, Artifact]


# of stages that run what models wrote; a flag of its own, since it guards the machine
MIN_ISOLATION, MIN_ISOLATION_KEY = "min-isolation", "sandbox.min_isolation"


@dataclass(frozen=True, slots=True)
class Work:
    """Where a stage works: `folder` becomes the artifact, `scratch` survives kills and is deleted before that.

    Under torchrun each rank gets one; a rank above 0 joins the process group before it touches the folder.
    """

    folder: Path
    rank: int
    world_size: int
    resumed: bool

    @property
    def scratch(self) -> Path:
        """Folder for what a resumed run goes on from; made on first use."""
        return _made(self.folder / SCRATCH)

    @property
    def logs(self) -> Path:
        """Folder for metrics and other things with times in them, outside the digest; made on first use."""
        return _made(self.folder / LOGS)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a stage reports: `counts` go into the digest, `summary` is the one line on stdout."""

    counts: dict[str, Any]
    summary: str


@dataclass(frozen=True)
class Stage:
    """A command that reads finished artifacts and makes one.

    `needs` and `takes` map the name of an input to its kind (`crawl|folder` admits either); `takes` are optional.
    `format` is raised when the layout of the artifact changes, so that old ones are made again. Only stages with
    `ranks` may be started as several processes.
    """

    name: str
    about: str
    config: type[Config]
    run: Callable[[Work, Any, Inputs], Outcome]
    makes: str
    needs: Mapping[str, str] = field(default_factory=dict)
    takes: Mapping[str, str] = field(default_factory=dict)
    format: int = 1
    ranks: bool = False


def main(stage: Stage, argv: Sequence[str] | None = None) -> int:
    """Runs the command of `stage` and returns its exit code (0, or 2, 3, 4 with one line on stderr)."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if "--help" in arguments or "-h" in arguments:
        print(_help(stage))
        return 0
    try:
        flags = _parser(stage).parse_args(arguments)
        asked = getattr(flags, _attribute(MIN_ISOLATION), None)
        overrides = [*flags.overrides, *([f"{MIN_ISOLATION_KEY}={asked}"] if asked else [])]
        config = load_config(stage.config, flags.config, overrides)
        paths = {name: getattr(flags, _attribute(name)) for name in (*stage.needs, *stage.takes)}
        run_stage(stage, config, paths, flags.out, replace=flags.replace, restart=flags.restart)
    except ProjectError as error:
        if _rank() == 0:
            print(f"{stage.name}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"{stage.name}: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


def run_stage(
    stage: Stage,
    config: Config,
    paths: Mapping[str, Path | None],
    out: Path,
    *,
    replace: bool = False,
    restart: bool = False,
) -> None:
    """Makes the artifact at `out` unless it is there already, and prints one line.

    Raises ArtifactError for inputs, ConfigError for an output in the way; whatever the stage raises goes through.
    """
    if _world_size() > 1 and not stage.ranks:
        raise ConfigError(
            f"started as {_world_size()} processes, but `{stage.name}` runs as one: start it without a launcher"
        )
    inputs = _open_inputs(stage, paths)
    plan = plan_of(stage, config, inputs)
    if _rank() > 0:
        _follow(stage, config, inputs, out, plan)
        return
    with publish.output_lock(out):
        publish.recover(out)
        finished = publish.finished_manifest(out)
        if finished is not None and finished.plan == plan:
            publish.touch(out)
            print(f"{stage.name:<16}up to date   {out}")
            return
        _make(stage, config, inputs, out, plan, replace=replace, restart=restart)


def _help(stage: Stage) -> str:
    return help_text(
        stage.name, stage.about, config=stage.config, makes=stage.makes, needs=stage.needs, takes=stage.takes
    )


def plan_of(stage: Stage, config: Config, inputs: Inputs) -> Plan:
    """The identity of what `stage` would make of `inputs` with `config`."""
    digests = {name: artifact.digest for name, artifact in inputs.items()}
    return Plan(kind=stage.makes, format=stage.format, stage=stage.name, config=identity(config), inputs=digests)


def _make(stage: Stage, config: Config, inputs: Inputs, out: Path, plan: Plan, *, replace: bool, restart: bool) -> None:
    partial, found = publish.begin(out, plan, replace=replace, restart=restart)
    if found:
        print(f"{stage.name}: found an unfinished run of the same config and inputs, going on", file=sys.stderr)
    started = time.time()
    outcome = stage.run(Work(partial, 0, _world_size(), found), config, inputs)
    facts = _run_facts(config, {name: str(artifact.path) for name, artifact in inputs.items()}, started)
    facts["resumed"] = found  # `seconds` are then those of the last process alone
    publish.publish(out, plan, outcome.counts, facts)
    print(f"{stage.name:<16}{outcome.summary}   {_clock(time.time() - started)}   {out}", flush=True)


def _follow(stage: Stage, config: Config, inputs: Inputs, out: Path, plan: Plan) -> None:
    """A rank above 0: decides by itself that nothing is to do, else works along; rank 0 owns the output."""
    standing = publish.standing_manifest(out)
    if standing is None or standing.plan != plan:
        stage.run(Work(publish.partial_of(out), _rank(), _world_size(), resumed=False), config, inputs)


def _open_inputs(stage: Stage, paths: Mapping[str, Path | None]) -> dict[str, Artifact]:
    opened = {}
    for name, kind in {**stage.needs, **stage.takes}.items():
        path = paths.get(name)
        if path is not None:
            opened[name] = _open_input(name, path, kind)
        elif name in stage.needs:
            raise ArtifactError(f"--{name} is missing: it names the {kind} that this stage reads")
    return opened


def _open_input(name: str, path: Path, kind: str) -> Artifact:
    try:
        return open_input(path, kind)
    except ArtifactError as error:
        raise ArtifactError(f"--{name}: {error}") from None


def _run_facts(config: Config, paths: dict[str, str], started: float) -> dict[str, Any]:
    """What the manifest keeps outside the digest."""
    return {
        "started": round(started, 3),
        "seconds": round(time.time() - started, 3),
        "peak_memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "host": socket.gethostname(),
        "python": platform.python_version(),
        "ranks": _world_size(),
        "inputs": paths,
        "config": config.model_dump(mode="json"),
    }


class _Parser(argparse.ArgumentParser):
    """Argument parser that reports a mistake as one ConfigError, with the nearest flag."""

    def error(self, message: str) -> NoReturn:
        unknown = next((word for word in message.split() if word.startswith("--")), "")
        near = difflib.get_close_matches(unknown, list(self._option_string_actions), n=1)
        hint = f"did you mean `{near[0]}`?" if near and near[0] != unknown else "`--help` lists what is accepted"
        raise ConfigError(f"{message}; {hint}")


def _parser(stage: Stage) -> argparse.ArgumentParser:
    parser = _Parser(prog=f"python -m {stage.name}", add_help=False, allow_abbrev=False)
    for name in (*stage.needs, *stage.takes):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--config", type=Path, action="append", default=[])
    parser.add_argument("--replace", action="store_true")
    parser.add_argument("--restart", action="store_true")
    if any(key == MIN_ISOLATION_KEY for key, _ in fields_of(stage.config)):
        parser.add_argument(f"--{MIN_ISOLATION}")
    parser.add_argument("overrides", nargs="*")
    return parser


def _attribute(name: str) -> str:
    return name.replace("-", "_")


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _rank() -> int:
    return int(os.environ.get("RANK", "0"))


def _world_size() -> int:
    return int(os.environ.get("WORLD_SIZE", "1"))


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} m {rest:02d} s" if minutes else f"{rest} s"
