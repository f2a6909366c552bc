"""Two Ray nodes on this machine give the digest of one process, also when nodes and drivers are killed with -9."""

import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from commons.artifacts import read_manifest

ROOT = Path(__file__).resolve().parents[2]
PAGES = 600
WARC_FILES = 24
STORE_BYTES = 200 << 20
SETTINGS = ("recall.rounds=1", "shards=2", "workers=1")
SAMPLE = ("near_duplicates=20", "quotations=5", "seed_pages=60", "english_questions=20", "chinese_questions=10")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.filterwarnings("ignore"),  # Ray's own
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    if importlib.util.find_spec("ray") is None:
        stop = pytest.fail if os.environ.get("DSM_REQUIRE_RAY") else pytest.skip
        stop("needs Ray: pip install -c constraints.txt -e '.[cluster]'")
    out = tmp_path_factory.mktemp("sample") / "crawl"
    finish(
        [
            sys.executable,
            "-m",
            "corpus.sample",
            "--out",
            str(out),
            f"pages={PAGES}",
            f"warc_files={WARC_FILES}",
            *SAMPLE,
        ]
    )
    return out


@pytest.fixture(scope="module")
def alone(crawl, tmp_path_factory):
    """The manifest of a run without a cluster."""
    out = tmp_path_factory.mktemp("alone") / "corpus"
    finish(command(crawl, out))
    return read_manifest(out)


def command(crawl, out, *settings):
    inputs = {"crawl": "warc", "seed-pages": "seeds.txt", "benchmarks": "benchmarks"}
    named = [word for name, path in inputs.items() for word in (f"--{name}", str(crawl / path))]
    config = ("--config", "configs/tiny/corpus.toml")
    return [sys.executable, "-m", "corpus", *config, *named, "--out", str(out), *SETTINGS, *settings]


def start(arguments):
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    return subprocess.Popen(
        arguments, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def finish(arguments):
    process = start(arguments)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    return output


class Two:
    """Two nodes of one CPU each; the driver uses the first, the second can die."""

    def __init__(self):
        from ray.cluster_utils import Cluster

        self.cluster = Cluster()
        for _ in range(2):
            self.second = self.added()

    def added(self):
        for attempt in range(5):
            try:
                return self.cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES, include_dashboard=False)
            except Exception:  # a machine with other work starts a node in more than Ray's 30 s
                if attempt == 4:
                    raise
        raise AssertionError

    def kill_the_second(self):
        """kill -9 of its raylet and all workers; another node takes its place."""
        raylet = self.second.all_processes["raylet"][0].process.pid
        for process in (raylet, *children_of(raylet)):
            os.kill(process, signal.SIGKILL)
        self.cluster.remove_node(self.second, allow_graceful=False)
        self.second = self.added()


def children_of(parent):
    found = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False).stdout.split()
    return [int(child) for child in found]


@contextmanager
def two_nodes():
    nodes = Two()
    try:
        yield nodes
    finally:
        nodes.cluster.shutdown()


def wait_until(there, process):
    """Whether it came about before the process ended."""
    while process.poll() is None:
        if there():
            return True
        time.sleep(0.02)
    return False


def ages(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("*.parquet")}


def same(manifest, other):
    assert manifest.counts == other.counts
    assert manifest.files == other.files
    assert manifest.digest == other.digest


def test_two_nodes_give_the_digest_of_one_process_and_need_one_flag(crawl, alone, tmp_path):
    out = tmp_path / "corpus"
    with two_nodes() as nodes:
        finish(command(crawl, out, f"cluster={nodes.cluster.address}"))
    same(read_manifest(out), alone)
    assert json.loads((out / "logs" / "cluster.json").read_text())["losses"] == []


def test_killed_nodes_and_drivers_cost_what_was_in_flight_and_change_nothing(crawl, alone, tmp_path):
    out, draw = tmp_path / "corpus", random.Random(0)
    scratch = tmp_path / "corpus.partial" / ".work"
    captures = scratch / "captures"
    with two_nodes() as nodes:
        arguments = command(crawl, out, f"cluster={nodes.cluster.address}")
        driver = start(arguments)
        assert wait_until(lambda: len(ages(captures)) >= 3, driver)  # the driver in mid-extraction
        driver.kill()
        driver.communicate()
        done = ages(captures)
        assert len(done) < WARC_FILES
        driver = start(arguments)
        assert wait_until(lambda: len(ages(captures)) >= min(len(done) + 3, WARC_FILES), driver)
        nodes.kill_the_second()  # in mid-extraction
        assert wait_until(lambda: len(ages(captures)) == WARC_FILES, driver)
        assert {name: ages(captures)[name] for name in done} == done, "a finished shard was made again"
        assert wait_until(lambda: (scratch / "by-key").exists(), driver)
        time.sleep(draw.uniform(0.0, 5.0))
        nodes.kill_the_second()  # in a step of frames
        output, _ = driver.communicate()
        assert driver.returncode == 0, output
    same(read_manifest(out), alone)
