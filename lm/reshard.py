"""`python -m lm.reshard STEP_FOLDER`: makes a saved step fit any number of processes.

DeepSpeed's universal checkpoint is written into the step's folder as `universal/`; the next resume with another number
of processes takes it (lm/engine.py). Without ZeRO every process holds everything, so there it is the save itself.
"""

import argparse
import io
import shutil
import sys
import warnings
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import torch

from commons.errors import ArtifactError, ConfigError, ProjectError
from lm.processes import deepspeed_module
from lm.saves import ENGINE, UNIVERSAL, sync_tree


def reshard(saved: Path) -> int:
    """Writes `saved/universal` whole or not at all; returns how many processes had saved.

    Raises ArtifactError when `saved` is no step that `Engine.save` wrote."""
    if not (saved / "rank_0.pt").is_file():
        raise ArtifactError(f"{saved} is no saved step: give one of the numbered folders in .work/steps of a run")
    ours = torch.load(saved / "rank_0.pt", weights_only=False)
    unfinished = saved / f".unfinished-{UNIVERSAL}" / UNIVERSAL
    shutil.rmtree(unfinished.parent, ignore_errors=True)
    shutil.rmtree(saved / UNIVERSAL, ignore_errors=True)
    if ours["zero_stage"]:
        _convert(saved / ENGINE, unfinished)
    else:
        shutil.copytree(saved / ENGINE, unfinished)
    sync_tree(unfinished)
    unfinished.rename(saved / UNIVERSAL)
    shutil.rmtree(unfinished.parent)
    return int(ours["world_size"])


def _convert(source: Path, target: Path) -> None:
    deepspeed_module()  # before the import below: it is told to be silent there, and which accelerator there is
    from deepspeed.checkpoint.ds_to_universal import main as to_universal

    target.mkdir(parents=True)
    # one worker each: its pools would start processes that import torch again
    told = argparse.Namespace(
        input_folder=str(source),
        output_folder=str(target),
        num_extract_workers=1,
        num_merge_workers=1,
        keep_temp_folder=False,
        strict=True,
        inject_missing_state=True,
    )
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        to_universal(told)


def main(arguments: Sequence[str]) -> int:
    """Runs the command and returns its exit code."""
    try:
        if len(arguments) != 1:
            raise ConfigError(f"{len(arguments)} arguments; accepted: python -m lm.reshard STEP_FOLDER")
        processes = reshard(Path(arguments[0]))
    except ProjectError as error:
        print(f"lm.reshard: {error}", file=sys.stderr)
        return error.exit_code
    print(f"lm.reshard      saved by {processes} processes, now fits any number   {arguments[0]}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
