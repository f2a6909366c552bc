"""Fixtures that the tests of all floors use."""

import os
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("DS_ACCELERATOR", "cpu")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported: tiny models only lose time to a second thread

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of third-party test data (DSM_SHARED, default ../shared).

    The test is skipped where it is absent; with DSM_REQUIRE_SHARED=1, as in .ci/run, it fails.
    """
    folder = Path(os.environ.get("DSM_SHARED", ROOT.parent / "shared")) / "data"
    if not folder.is_dir():
        stop = pytest.fail if os.environ.get("DSM_REQUIRE_SHARED") else pytest.skip
        stop(f"needs the third-party test data: {folder} is not there (set DSM_SHARED)")
    return folder
