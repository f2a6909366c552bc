"""Fixtures that the tests of all floors use."""

import os
from pathlib import Path
from typing import NoReturn

import pytest

from commons.sandbox import isolation

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("DS_ACCELERATOR", "cpu")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported: tiny models only lose time to a second thread

ROOT = Path(__file__).resolve().parent.parent
SLOW_SECONDS = 900  # a slow test that hangs; the fast ones have `timeout` of pyproject.toml


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests start several processes: on a busy machine they may take long without being stuck."""
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_SECONDS))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of third-party test data (DSM_SHARED, default ../shared).

    The test is skipped where it is absent; with DSM_REQUIRE_SHARED=1, as in .ci/run, it fails.
    """
    folder = Path(os.environ.get("DSM_SHARED", ROOT.parent / "shared")) / "data"
    if not folder.is_dir():
        stop("DSM_REQUIRE_SHARED", f"needs the third-party test data: {folder} is not there (set DSM_SHARED)")
    return folder


@pytest.fixture(scope="session")
def isolated() -> None:
    """For tests of what the sandbox's best level holds.

    The test is skipped where the kernel refuses that level; with DSM_REQUIRE_SANDBOX=1, as in .ci/run, it fails.
    """
    found = isolation()
    if found.level != "L3":
        stop("DSM_REQUIRE_SANDBOX", f"needs a machine that isolates programs at L3, this one: {found.line()}")


def stop(required: str, reason: str) -> NoReturn:
    """Fail where the environment variable `required` is set, else skip."""
    (pytest.fail if os.environ.get(required) else pytest.skip)(reason)
