"""`python -m eval.report` on a whole made-up run."""

import json
import re
from html.parser import HTMLParser

import pytest

from commons.artifacts import open_artifact
from commons.stage import main
from eval.report import STAGE
from tests.eval.made import HOSTILE, whole_run

VOID = {"meta", "br", "line", "rect", "circle", "path", "polyline"}


def report(inputs, out, *settings):
    flags = [word for name, path in inputs.items() for word in (f"--{name}", str(path))]
    return main(STAGE, [*flags, "--out", str(out), *settings])


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return whole_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def made(inputs, tmp_path_factory):
    out = tmp_path_factory.mktemp("report") / "report"
    assert report(inputs, out) == 0
    return open_artifact(out, "report")


def test_there_is_exactly_one_greedy_row_for_each_model_benchmark_setting_and_seed(made):
    rows = json.loads((made.path / "report.json").read_text(encoding="utf-8"))["results"]
    keys = [(row["model"], row["benchmark"], row["setting"], row["seed"]) for row in rows]
    assert len(keys) == len(set(keys)) == 4 * 6
    assert {row["split"] for row in rows} == {"in_distribution", "out_of_distribution"}
    assert all(0 <= row["ci95"][0] <= row["accuracy"] <= row["ci95"][1] <= 1 for row in rows)


def test_the_paired_gain_of_rl_is_reported_in_and_out_of_distribution(made):
    paired = json.loads((made.path / "report.json").read_text(encoding="utf-8"))["paired"]
    found = {(row["comparison"], row["split"]): row for row in paired}
    gain = found["instruct to rl", "in_distribution"]
    assert gain["n"] == 400
    assert gain["ci95"][0] < gain["gain"] < gain["ci95"][1]
    assert ("control to rl", "out_of_distribution") in found


class Tags(HTMLParser):
    """Collects tags and checks that each is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


def test_the_page_is_one_file_with_figures_and_nothing_from_outside(made):
    text = (made.path / "index.html").read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert sum(tag == "svg" for tag, _ in tags.seen) > 12
    assert not {"link", "img", "iframe"} & {tag for tag, _ in tags.seen}
    scripts = [given for tag, given in tags.seen if tag == "script"]
    assert scripts == [{"type": "text/plain", "id": "browser-data"}, {}]  # the samples, and the code that shows them
    [policy] = [given["content"] for tag, given in tags.seen if given.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")
    assert not re.search(r"https?://", text)


def test_hostile_model_text_is_shown_and_not_obeyed(made):
    text = (made.path / "index.html").read_text(encoding="utf-8")
    assert HOSTILE not in text
    assert "&lt;script&gt;" in text


def test_the_same_inputs_make_the_same_report_without_times(made, inputs, tmp_path):
    assert report(inputs, tmp_path / "again") == 0
    assert open_artifact(tmp_path / "again", "report").digest == made.digest
    last = json.loads((made.path / "report.json").read_text(encoding="utf-8"))["last_metrics"]
    assert last["policy"].keys() >= {"reward", "kl"}
    assert not any("time" in name or "second" in name for metrics in last.values() for name in metrics)


def test_the_tables_stand_in_markdown_too(made):
    text = (made.path / "report.md").read_text(encoding="utf-8")
    assert "| quotes a benchmark |" in text
    assert "instruct to rl" in text


def test_three_evaluations_are_enough(inputs, tmp_path):
    few = {name: inputs[name] for name in ("base", "instruct", "rl")}
    assert report(few, tmp_path / "few") == 0
    assert "Corpus" not in (tmp_path / "few" / "index.html").read_text(encoding="utf-8")
