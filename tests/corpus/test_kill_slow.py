"""kill -9 of `python -m corpus` in each step and at random times: the same command ends with the same digest."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commons.artifacts import read_manifest

ROOT = Path(__file__).resolve().parents[2]
# What each step leaves in the unfinished artifact, in order: the run is killed as soon as it is there.
STEPS = (
    "index/*",
    "captures/*.parquet",
    "pages/*.parquet",
    "quoted/*.parquet",
    "round-1/training.txt",
    "round-1/model.bin",
    "round-1/collected/*.parquet",
    "round-1/state.json",
    "round-2/state.json",
)
PUBLISHED = ("pages/*.parquet", "dropped/*", "decontamination.json", "README.md")
RANDOM_KILLS = 8


def start(*arguments: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)


def finish(process: subprocess.Popen[bytes]) -> str:
    output, _ = process.communicate()
    assert process.returncode == 0, output.decode()
    return output.decode()


def kill(process: subprocess.Popen[bytes]) -> bool:
    """Kills the run with all its processes; False when it had ended."""
    if process.poll() is not None:
        finish(process)
        return False
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return True


def killed_when(process: subprocess.Popen[bytes], folder: Path, pattern: str) -> bool:
    """Kills the run once `folder` holds a file like `pattern`; False when it ended without."""
    while process.poll() is None and not any(folder.glob(pattern)):
        time.sleep(0.002)
    return kill(process)


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    """A function from an output folder to a started run, on an embedded crawl of 600 pages."""
    crawl = tmp_path_factory.mktemp("sample") / "crawl"
    finish(start("corpus.sample", "--config", "configs/tiny/crawl.toml", "--out", crawl, "pages=600"))
    inputs = ["--crawl", crawl, "--seed-pages", crawl / "seeds.txt", "--benchmarks", crawl / "benchmarks"]
    settings = ["recall.rounds=2", "recall.stop_share=1.0"]
    return lambda out: start("corpus", "--config", "configs/tiny/corpus.toml", *inputs, "--out", out, *settings)


@pytest.fixture(scope="module")
def whole(mine, tmp_path_factory):
    """(digest, seconds) of an uninterrupted run."""
    out, begun = tmp_path_factory.mktemp("whole") / "corpus", time.monotonic()
    finish(mine(out))
    return read_manifest(out).digest, time.monotonic() - begun


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_killed_in_each_step_the_run_ends_with_the_same_digest(mine, whole, tmp_path):
    out = tmp_path / "corpus"
    partial = tmp_path / "corpus.partial"
    for pattern in STEPS:
        assert killed_when(mine(out), partial / ".work", pattern), pattern
        assert not out.exists()
    for pattern in PUBLISHED:
        assert killed_when(mine(out), partial, pattern), pattern
    finish(mine(out))
    assert read_manifest(out).digest == whole[0]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_killed_at_random_times_the_run_ends_with_the_same_digest(mine, whole, tmp_path):
    out, draw = tmp_path / "corpus", random.Random(0)
    for _ in range(RANDOM_KILLS):
        process = mine(out)
        time.sleep(draw.uniform(0.5, whole[1]))
        kill(process)
    finish(mine(out))
    assert read_manifest(out).digest == whole[0]
