"""How an artifact comes to be: a lock, a `.partial` folder that survives kills, and a swap by rename.

out.partial/   the work, with its plan; a manifest in it means that it is whole
out/           the finished artifact
out.old/       the artifact before it, only between the two renames of the swap
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from commons.artifacts import (
    MANIFEST,
    PLAN,
    SCRATCH,
    Manifest,
    Plan,
    digest_of,
    is_intact,
    list_files,
    read_manifest,
    read_plan,
)
from commons.errors import ArtifactError, ConfigError
from commons.files import remove_unfinished_files, sync_folder, write_atomic


@contextmanager
def output_lock(out: Path) -> Iterator[None]:
    """Holds the output for this process; the kernel frees it whatever way the process ends.

    Raises ArtifactError when another process holds it.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    # A POSIX record lock: unlike flock it is not inherited by forked workers that outlive a killed parent.
    with (out.parent / f".{out.name}.lock").open("w") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ArtifactError(f"another process is making {out}: wait for it, or choose another --out") from None
        yield


def partial_of(out: Path) -> Path:
    """Where the unfinished artifact lies."""
    return out.with_name(out.name + ".partial")


def finished_manifest(out: Path) -> Manifest | None:
    """The manifest of a finished and intact artifact at `out`, else None, also where it cannot be read."""
    manifest = _readable_manifest(out)
    return manifest if manifest is not None and is_intact(out, manifest) else None


def standing_manifest(out: Path) -> Manifest | None:
    """What `finished_manifest` says once `recover` is done, without doing it: the same at any time while it works.

    For ranks that only look on: each step of the swap is one rename, and places are read in the order of the renames.
    """
    for place in (partial_of(out), out, out.with_name(out.name + ".old"), out):
        manifest = finished_manifest(place)
        if manifest is not None:
            return manifest
    return None


def begin(out: Path, plan: Plan, *, replace: bool, restart: bool) -> tuple[Path, bool]:
    """The `.partial` folder to work in, and whether an earlier run of the same plan left work in it.

    Raises ConfigError when a finished artifact or the unfinished run of another plan stands in the way.
    """
    _require_replaceable(out, plan, replace=replace)
    partial = partial_of(out)
    saved = read_plan(partial)
    if saved is not None and saved != plan and not restart:
        what = "; ".join(saved.differences(plan))
        raise ConfigError(f"{partial} is an unfinished run with {what}; RESTART=1 (--restart) begins again, or undo it")
    found = saved == plan and not restart
    if found:
        remove_unfinished_files(partial)
    else:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        write_atomic(partial / PLAN, plan.model_dump_json())
    return partial, found


def publish(out: Path, plan: Plan, counts: dict[str, Any], run: dict[str, Any]) -> Manifest:
    """Turns the `.partial` folder into the artifact at `out`, manifest last; the old artifact stays until then."""
    partial = partial_of(out)
    files = list_files(partial)
    for name in files:
        _sync_file(partial / name)
    manifest = Manifest(plan=plan, files=files, counts=counts, digest=digest_of(plan, files, counts), run=run)
    write_atomic(partial / MANIFEST, manifest.model_dump_json(indent=1) + "\n")
    _swap(out)
    return manifest


def recover(out: Path) -> None:
    """Finishes a swap that a kill interrupted."""
    old = out.with_name(out.name + ".old")
    if _readable_manifest(partial_of(out)) is not None:
        _swap(out)
    elif (old / MANIFEST).exists() and not out.exists():
        old.rename(out)
    elif (old / MANIFEST).exists() and finished_manifest(out) is not None:
        shutil.rmtree(old)


def touch(out: Path) -> None:
    """Makes the manifest newer than its inputs, which is what Make compares."""
    os.utime(out / MANIFEST)


def _readable_manifest(out: Path) -> Manifest | None:
    try:
        return read_manifest(out)
    except ArtifactError:
        return None


def _require_replaceable(out: Path, plan: Plan, *, replace: bool) -> None:
    """Raises ConfigError when what stands at `out` may not go: somebody's folder, or an artifact without `replace`."""
    if not (out / MANIFEST).exists():
        if out.exists() and (out.is_file() or any(out.iterdir())):
            raise ConfigError(f"{out} is there and is no artifact: choose another --out, or move it away")
        return
    if replace:
        return
    finished = finished_manifest(out)
    what = "damaged" if finished is None else f"finished: {'; '.join(finished.plan.differences(plan))}"
    raise ConfigError(f"{out} holds an artifact ({what}); REPLACE=1 (--replace) makes it again")


def _swap(out: Path) -> None:
    # Only now that the artifact is whole may go what an interrupted run would have gone on from.
    (partial_of(out) / PLAN).unlink(missing_ok=True)
    shutil.rmtree(partial_of(out) / SCRATCH, ignore_errors=True)
    old = out.with_name(out.name + ".old")
    if out.exists():
        shutil.rmtree(old, ignore_errors=True)
        out.rename(old)
    partial_of(out).rename(out)
    sync_folder(out.parent)
    shutil.rmtree(old, ignore_errors=True)


def _sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
