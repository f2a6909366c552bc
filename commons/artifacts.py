"""Artifacts: what one stage makes and others read. A folder whose `manifest.json` was written last.

The digest names the bytes: two artifacts with equal digests hold the same files, made from the same inputs by the
same config. Times, memory, host and paths (`run`) and the folder `logs/` are outside it (docs/artifacts.md).
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from commons.errors import ArtifactError
from commons.files import canonical_json, sha256_of_file

MANIFEST = "manifest.json"
LOGS = "logs"
SCRATCH = ".work"
PLAN = ".plan.json"
EXTERNAL_KINDS = frozenset({"file", "folder"})


class Plan(BaseModel):
    """What decides whether there is work: equal plans make equal artifacts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    format: int
    stage: str
    config: dict[str, Any]
    inputs: dict[str, str]

    def differences(self, other: "Plan") -> list[str]:
        """What `other` has that this plan has not, one clause per config key or input, for messages."""
        found = [
            f"{name} {getattr(self, name)} -> {getattr(other, name)}"
            for name in ("kind", "format", "stage")
            if getattr(self, name) != getattr(other, name)
        ]
        found += _changed("", self.config, other.config)
        found += [
            f"input {name} is another one"
            for name in sorted(self.inputs.keys() | other.inputs.keys())
            if self.inputs.get(name) != other.inputs.get(name)
        ]
        return found


class FileEntry(BaseModel):
    """One file of an artifact."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sha256: str
    bytes: int


class Manifest(BaseModel):
    """The contents of `manifest.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    plan: Plan
    files: dict[str, FileEntry]
    counts: dict[str, Any]
    digest: str
    run: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Artifact:
    """An input that is whole: a finished artifact, or an external file or folder (`manifest` is None)."""

    path: Path
    digest: str
    manifest: Manifest | None

    @property
    def counts(self) -> dict[str, Any]:
        """Counts of the stage that made it; empty for an external input."""
        return self.manifest.counts if self.manifest else {}

    @property
    def logs(self) -> Path:
        """Folder of metrics, outside the digest."""
        return self.path / LOGS


def digest_of(plan: Plan, files: dict[str, FileEntry], counts: dict[str, Any]) -> str:
    """sha256 of the canonical JSON of the plan, the file digests and the counts."""
    body = {**plan.model_dump(), "files": {name: entry.sha256 for name, entry in files.items()}, "counts": counts}
    return hashlib.sha256(canonical_json(body)).hexdigest()


def list_files(folder: Path) -> dict[str, FileEntry]:
    """Every file of an artifact by its relative path, but the manifest, the plan, logs and scratch."""
    outside = {LOGS, SCRATCH, PLAN, MANIFEST}
    found = {}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and relative.parts[0] not in outside:
            found[relative.as_posix()] = FileEntry(sha256=sha256_of_file(path), bytes=path.stat().st_size)
    return found


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a finished artifact, or None where there is none.

    Raises ArtifactError when there is one that cannot be read.
    """
    try:
        raw = (folder / MANIFEST).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return Manifest.model_validate_json(raw)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise ArtifactError(f"{folder / MANIFEST} cannot be read ({reason}): make the artifact again") from None


def is_intact(folder: Path, manifest: Manifest) -> bool:
    """Whether each file that the manifest names is there with its size."""
    paths = ((folder / name, entry.bytes) for name, entry in manifest.files.items())
    return all(path.is_file() and path.stat().st_size == size for path, size in paths)


def open_artifact(folder: Path, kind: str) -> Artifact:
    """The finished artifact of `kind` (or of one of them, as in `crawl|corpus`) at `folder`.

    Raises ArtifactError when it is missing, unfinished, damaged or of another kind.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        state = "is unfinished" if folder.with_name(folder.name + ".partial").exists() else "does not exist"
        raise ArtifactError(f"a {kind} is needed at {folder}, which {state}: run the stage that makes it first")
    if manifest.plan.kind not in kind.split("|"):
        raise ArtifactError(f"{folder} holds a {manifest.plan.kind}, but a {kind} is needed here")
    if not is_intact(folder, manifest):
        raise ArtifactError(f"files of {folder} are missing or cut short: make it again with REPLACE=1 (--replace)")
    return Artifact(folder, manifest.digest, manifest)


def open_external(path: Path, kind: str) -> Artifact:
    """An input that no stage made: a `file` or a `folder`, digested by the names and bytes in it.

    Raises ArtifactError when it is missing, or a file where a folder is needed, or the other way round.
    """
    if not path.exists():
        raise ArtifactError(f"no {kind} at {path}")
    if path.is_dir() != (kind == "folder"):
        raise ArtifactError(f"{path} is a {'folder' if path.is_dir() else 'file'}, but a {kind} is needed here")
    if kind == "file":
        return Artifact(path, sha256_of_file(path), None)
    names = {name: entry.sha256 for name, entry in list_files(path).items()}
    if not names:
        raise ArtifactError(f"{path} is an empty folder, but one with files is needed here")
    return Artifact(path, hashlib.sha256(canonical_json(names)).hexdigest(), None)


def open_input(path: Path, kinds: str) -> Artifact:
    """The input at `path` of one of `kinds` (as in `crawl|folder|file`): artifacts first, then external ones."""
    wanted = kinds.split("|")
    made = [kind for kind in wanted if kind not in EXTERNAL_KINDS]
    external = [kind for kind in wanted if kind in EXTERNAL_KINDS]
    manifest = read_manifest(path)
    if made and (manifest is not None or not external):
        return open_artifact(path, "|".join(made))
    fits = "folder" if path.is_dir() else "file"
    return open_external(path, fits if fits in external else external[0])


def read_plan(folder: Path) -> Plan | None:
    """The plan of an unfinished run in `folder`, or None."""
    try:
        return Plan(**json.loads((folder / PLAN).read_bytes()))
    except FileNotFoundError:
        return None


def _changed(prefix: str, before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    found = []
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key), after.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            found += _changed(f"{prefix}{key}.", old, new)
        elif old != new:
            found.append(f"{prefix}{key} {json.dumps(old)} -> {json.dumps(new)}")
    return found
