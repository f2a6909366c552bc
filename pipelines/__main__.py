"""`python -m pipelines status|lineage|clean RUN`: what is made or stale, where it comes from, what may go."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from commons.errors import ArtifactError, ProjectError
from pipelines.status import clean, lineage, states

CONFIGS = Path("configs")


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the state of a run, or the lineage of one of its artifacts; exit code 0, 2 or 3."""
    parser = argparse.ArgumentParser(prog="python -m pipelines", description=__doc__)
    parser.add_argument("what", choices=["status", "lineage", "clean"])
    parser.add_argument("run", type=Path, help="folder of a run, as runs/tiny; for lineage also runs/tiny/rl")
    parser.add_argument("--size", help="configs to compare with (default: the name of the run if it is a size)")
    flags = parser.parse_args(argv)
    try:
        if flags.what == "clean":
            print(f"{clean(flags.run)} unfinished folders deleted below {flags.run}")
        else:
            print(_lineage(flags.run) if flags.what == "lineage" else _status(flags.run, flags.size))
    except ProjectError as error:
        print(f"pipelines: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _status(run: Path, size: str | None) -> str:
    if not run.is_dir():
        raise ArtifactError(f"no run at {run}: `make all` makes runs/tiny")
    lines = []
    for state in states(run, CONFIGS / (size or run.name)):
        manifest = state.manifest
        made = f"{manifest.digest[:12]}  {manifest.run['seconds']:7.1f} s" if manifest else ""
        lines.append(f"{state.step.out:<15} {state.state:<10} {made:<24} {state.why}".rstrip())
    return "\n".join(lines)


def _lineage(path: Path) -> str:
    for run in (path, *path.parents):
        if (run / "crawl").is_dir() or (run / "corpus").is_dir():
            out = path.relative_to(run).as_posix()
            rows = lineage(run, "rl" if out == "." else out)
            return "\n".join(f"{'  ' * depth}{name:<{40 - 2 * depth}} {digest[:16]}" for depth, name, digest in rows)
    raise ArtifactError(f"{path} is neither a run nor an artifact in one: `make all` makes runs/tiny")


if __name__ == "__main__":
    raise SystemExit(main())
