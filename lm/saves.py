"""Folders of saved steps, and the states of random number generators that lie in them.

steps/00000100/    step 100: `engine/` of DeepSpeed, `rank_N.pt` of ours, `universal/` once lm/reshard.py was there
steps/.unfinished-00000100/    a save that was cut short; it does not count
"""

import os
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch

UNFINISHED, OLD = ".unfinished-", ".old-"
ENGINE, UNIVERSAL = "engine", "universal"


def unfinished_and_finished(folder: Path, step: int) -> tuple[Path, Path]:
    """Where step number `step` is written, and the name it gets when it is whole."""
    return folder / f"{UNFINISHED}{step:08d}", folder / f"{step:08d}"


def saved_steps(folder: Path) -> list[Path]:
    """The whole steps under `folder`, oldest first."""
    return sorted(path for path in folder.glob("*") if path.name.isdigit()) if folder.exists() else []


def replace_step(unfinished: Path, finished: Path) -> None:
    """Gives a whole step its name; its bytes are on disk before that."""
    sync_tree(unfinished)
    if finished.exists():
        remove_step(finished)
    unfinished.rename(finished)


def remove_step(saved: Path) -> None:
    """Deletes a saved step; renamed first, so that a kill meanwhile leaves no half folder under a good name."""
    old = saved.with_name(f"{OLD}{saved.name}")
    shutil.rmtree(old, ignore_errors=True)
    saved.rename(old)
    shutil.rmtree(old)


def remove_leftovers(folder: Path) -> None:
    """Deletes what killed saves and removals left under `folder`; nobody may be saving there."""
    for prefix in (UNFINISHED, OLD):
        for path in folder.glob(f"{prefix}*"):
            shutil.rmtree(path, ignore_errors=True)


def sync_tree(folder: Path) -> None:
    """Makes the files below `folder` durable: a machine that loses power keeps a save that has its name."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())


def random_state() -> dict[str, Any]:
    """The states of the generators of Python, numpy and torch."""
    states = {"python": random.getstate(), "numpy": np.random.get_state(), "torch": torch.get_rng_state()}
    return states | ({"cuda": torch.cuda.get_rng_state()} if torch.cuda.is_available() else {})


def set_random_state(states: dict[str, Any]) -> None:
    """Sets them back."""
    random.setstate(states["python"])
    np.random.set_state(states["numpy"])
    torch.set_rng_state(states["torch"])
    if "cuda" in states:
        torch.cuda.set_rng_state(states["cuda"])
