"""What the cluster front promises without a cluster: what counts as a loss, what is sent where, what stays the same."""

import pickle
import socket
import sys
from pathlib import Path

import pytest

from commons.config import identity
from commons.errors import ConfigError, DataError
from corpus import frames
from corpus.cluster import MOST_LOSSES, MOST_PER_TASK, Nodes, batches_for, connected, loss_of, require_answer, step
from corpus.config import CorpusConfig
from corpus.reading.remote import Pace
from corpus.reading.sources import LocalFile, RemoteFile
from corpus.reading.transports import fetcher
from tests.corpus.servers import site
from tests.corpus.warc_files import html, record


class WorkerCrashedError(Exception):
    """Named as Ray names it."""


class NoRay:
    """As much of Ray as a step needs."""

    @staticmethod
    def cluster_resources():
        return {"CPU": 4.0}


def losing(times, error):
    """A step that fails so often before it answers."""
    left = [error] * times

    def work():
        if left:
            raise left.pop()
        return "done"

    return work


def test_a_lost_node_is_told_from_an_error_of_the_work():
    assert loss_of(WorkerCrashedError("gone")) == "WorkerCrashedError"
    assert loss_of(RuntimeError("DaftError: ray.exceptions.ObjectLostError: the object was lost")) == "ObjectLostError"
    assert loss_of(DataError("the server stays busy")) == ""
    wrapped = RuntimeError("the plan failed")
    wrapped.__cause__ = WorkerCrashedError("gone")
    assert loss_of(wrapped) == "WorkerCrashedError"


def test_a_step_that_loses_a_node_starts_again_and_says_so(capsys):
    nodes = Nodes(NoRay())
    assert step(nodes, "rounds", losing(2, WorkerCrashedError("gone"))) == "done"
    assert "a node was lost in rounds (WorkerCrashedError, 2 of 5)" in capsys.readouterr().err
    assert nodes.facts() == {"cpus": 4, "losses": [{"in": "rounds", "reason": "WorkerCrashedError", "times": 2}]}


def test_a_step_that_is_lost_again_and_again_ends_the_run():
    with pytest.raises(DataError, match=f"rounds: lost {MOST_LOSSES} times"):
        step(Nodes(NoRay()), "rounds", losing(MOST_LOSSES + 1, WorkerCrashedError("gone")))


def test_an_error_of_the_work_is_not_tried_again():
    work = losing(1, DataError("no page has any text"))
    with pytest.raises(DataError, match="no page has any text"):
        step(Nodes(NoRay()), "rounds", work)
    assert work() == "done"


@pytest.mark.parametrize(("parts", "cpus"), [(0, 2), (1, 8), (7, 2), (100, 2), (90_000, 1000)])
def test_every_part_is_in_one_task_and_no_task_is_long(parts, cpus):
    batches = batches_for(range(parts), cpus)
    assert [part for batch in batches for part in batch] == list(range(parts))
    assert all(0 < len(batch) <= MOST_PER_TASK for batch in batches)
    assert len(batches) >= min(parts, cpus)


def test_without_an_address_there_are_no_nodes_and_without_ray_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with connected("", workers=2) as nodes:
        assert nodes is None
    with pytest.raises(ConfigError, match=r"cluster=local needs Ray: pip install"), connected("local", workers=2):
        pass


def test_an_address_at_which_nothing_listens_is_a_config_error():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        require_answer(address)
    with pytest.raises(ConfigError, match="nothing answers there"):
        require_answer(address)
    require_answer("auto")


def test_the_cluster_is_no_part_of_what_an_artifact_is():
    assert identity(CorpusConfig(cluster="local")) == identity(CorpusConfig())


def test_a_remote_part_reads_on_another_node_and_all_nodes_together_keep_the_pace():
    data = record("http://a.org/", "text/html", html("T", "Words."), status="200 OK")
    with site({"/a.warc": data}) as served:
        part = RemoteFile(f"{served.address}/a.warc", fetcher(Pace(requests_per_second=8.0), timeout_seconds=5.0))
        part.fetcher._next = 1e18  # by the clock of this machine
        sent = pickle.loads(pickle.dumps(part.shared_by(4)))
        assert sent.fetcher.pace.requests_per_second == 2.0
        assert len(list(sent.spans(most_bytes=1 << 20))) == 1


def test_a_local_part_is_named_alike_and_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.warc").write_bytes(b"")
    part = LocalFile("a.warc", Path("a.warc"))
    sent = part.shared_by(2)
    monkeypatch.chdir("/")
    assert sent.name == part.name
    assert sent.path.exists()


def test_on_one_machine_a_stored_frame_leaves_no_file(tmp_path):
    kept = frames.stored(frames.from_rows({"id": ["a", "b"]}), tmp_path / "kept")
    assert kept.to_pydict() == {"id": ["a", "b"]}
    assert not (tmp_path / "kept").exists()
