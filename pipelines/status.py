"""What of a run is made, stale or missing, and where an artifact comes from, by digests."""

import shutil
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from commons.artifacts import Manifest, open_external, read_manifest
from commons.errors import ArtifactError
from commons.publish import finished_manifest, output_lock, partial_of, recover
from pipelines.recipe import RECIPE, Step


@dataclass(frozen=True, slots=True)
class State:
    """One step of a run: `made`, `stale`, `unfinished` or `missing`, with the reason for stale."""

    step: Step
    state: str
    why: str
    manifest: Manifest | None


def states(run: Path, configs: Path) -> Iterator[State]:
    """The state of each step of the recipe in the folder `run`, against the inputs and configs of today."""
    stale: set[str] = set()
    for step in RECIPE:
        state = _state(run, configs / f"{step.target}.toml", step, stale)
        if state.state == "stale":
            stale.add(step.out)
        yield state


def lineage(run: Path, out: str) -> Iterator[tuple[int, str, str]]:
    """From an artifact back to the crawl: (depth, name, digest), found by the digests in the manifests.

    Raises ArtifactError when `out` is not made or an input is none of the run's artifacts any more.
    """
    by_digest = {manifest.digest: step.out for step, manifest in _manifests(run)}
    made = {step.out: manifest for step, manifest in _manifests(run)}
    if out not in made:
        raise ArtifactError(f"{run / out} is not made; there are: {', '.join(made) or 'none'}")
    yield from _ancestors(made, by_digest, out, 0, set())


def clean(runs: Path) -> int:
    """Deletes unfinished work below `runs` that no process is at, and returns how many folders; never an artifact."""
    deleted = 0
    for partial in sorted(runs.rglob("*.partial")):
        out = partial.with_name(partial.name.removesuffix(".partial"))
        try:
            with output_lock(out):
                recover(out)  # whole but not yet in its place: that is an artifact
                if partial.exists():
                    shutil.rmtree(partial)
                    deleted += 1
        except ArtifactError:
            continue  # being made
    return deleted


def _ancestors(
    made: Mapping[str, Manifest], by_digest: Mapping[str, str], out: str, depth: int, shown: set[str]
) -> Iterator[tuple[int, str, str]]:
    yield depth, out, made[out].digest
    if out in shown:
        return  # its own inputs stand further up
    shown.add(out)
    for name, digest in made[out].plan.inputs.items():
        parent = by_digest.get(digest)
        if parent is None:
            yield depth + 1, f"{name} (file or folder)", digest
        else:
            yield from _ancestors(made, by_digest, parent, depth + 1, shown)


def _manifests(run: Path) -> Iterator[tuple[Step, Manifest]]:
    for step in RECIPE:
        manifest = read_manifest(run / step.out)
        if manifest is not None:
            yield step, manifest


def _state(run: Path, config: Path, step: Step, stale: set[str]) -> State:
    manifest = finished_manifest(run / step.out)
    if manifest is None:
        return State(step, "unfinished" if partial_of(run / step.out).exists() else "missing", "", None)
    older = [name for name, path in step.inputs.items() if path in stale or not _same(run / path, name, manifest)]
    if older:
        return State(step, "stale", f"made from another {', '.join(older)}", manifest)
    edited = _edited(config, manifest)
    if edited:
        return State(step, "stale", f"{config} says {', '.join(edited)}", manifest)
    return State(step, "made", "", manifest)


def _same(path: Path, name: str, manifest: Manifest) -> bool:
    recorded = manifest.plan.inputs.get(name)
    if recorded is None:
        return True  # an optional input that this run did not take
    path = Path(manifest.run["inputs"].get(name, path))  # a crawl of the user's own lies elsewhere
    made = read_manifest(path)
    if made is not None:
        return made.digest == recorded
    return path.exists() and open_external(path, "folder" if path.is_dir() else "file").digest == recorded


def _edited(config: Path, manifest: Manifest) -> list[str]:
    """Settings of the TOML file that the artifact was not made with."""
    if not config.exists():
        return []
    return list(_differences("", tomllib.loads(config.read_text(encoding="utf-8")), manifest.plan.config))


def _differences(prefix: str, wanted: Mapping[str, object], used: Mapping[str, object]) -> Iterator[str]:
    for key, value in wanted.items():
        old = used.get(key, value)  # fields outside the identity are not in the manifest
        if isinstance(value, Mapping) and isinstance(old, Mapping):
            yield from _differences(f"{prefix}{key}.", value, old)
        elif value != old:
            yield f"{prefix}{key} = {value} (made with {old})"
