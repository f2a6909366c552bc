"""The report in a real browser: filters, search, one sample opened, runs switched, hostile text that stays text."""

import os
import shutil

import pytest

from commons.artifacts import open_artifact
from eval.browser import chosen, visible
from eval.findings import read_evaluation
from eval.formulas import mathml, mathml_of_texts
from tests.conftest import stop
from tests.eval.made import HOSTILE, SKILL, evaluation
from tests.eval.test_report import report

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 60_000  # milliseconds that a busy machine may take for one step


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return {name: evaluation(folder / name, name, in_distribution=200) for name in ("instruct", "rl")}


@pytest.fixture(scope="module")
def page(runs, tmp_path_factory):
    """A report of two runs, open in headless Chromium, with the errors of its console."""
    binary = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if binary is None:
        stop("DSM_REQUIRE_CHROMIUM", f"needs a browser: none of {', '.join(CHROMIUM)} is on the PATH")
    from playwright.sync_api import sync_playwright

    out = tmp_path_factory.mktemp("report") / "report"
    assert report(runs, out) == 0
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=binary, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"], timeout=SECONDS
        )
        opened = started.new_page(viewport={"width": 1280, "height": 900})
        opened.set_default_timeout(SECONDS)
        opened.errors = []
        opened.on("pageerror", lambda error: opened.errors.append(str(error)))
        opened.on("console", lambda said: opened.errors.append(said.text) if said.type == "error" else None)
        opened.on("dialog", lambda dialog: (opened.errors.append(f"dialog {dialog.message}"), dialog.dismiss()))
        opened.goto(f"file://{out / 'index.html'}")
        opened.wait_for_selector("#browser[data-ready=yes]")
        yield opened
        started.close()


@pytest.fixture
def fresh(page):
    for name in ("other", "flips", "verdict", "benchmark", "setting", "level", "graders"):
        if page.is_enabled(f"#browser-{name}"):
            page.select_option(f"#browser-{name}", "")
    page.select_option("#browser-run", "rl")
    page.fill("#browser-search", "")
    return page


def shown(page):
    return int(page.inner_text("#browser-count").split(" of ")[0].replace(",", ""))


def correct_of(run, samples):
    return {row["id"] for row in samples if row["mode"] == "greedy" and row["verdict"] == "correct"}


def test_filters_leave_the_questions_that_they_name(fresh, runs):
    everything = shown(fresh)
    assert everything == 200 + 3 * 60 + 2 * 60
    fresh.select_option("#browser-benchmark", "ages")
    assert shown(fresh) == 60
    fresh.select_option("#browser-verdict", "wrong")
    samples = read_evaluation("rl", open_artifact(runs["rl"], "evaluation")).samples
    assert shown(fresh) == sum(row["benchmark"] == "ages" and row["verdict"] == "wrong" for row in samples)
    assert set(fresh.locator("#browser-list .verdict").all_inner_texts()) == {"wrong"}


def test_search_looks_into_questions_and_outputs(fresh):
    fresh.fill("#browser-search", "what is 17+17")
    assert shown(fresh) == 1
    fresh.fill("#browser-search", "i add and add")
    assert 0 < shown(fresh) < 200
    fresh.fill("#browser-search", "nothing says this")
    assert shown(fresh) == 0


def test_an_opened_question_shows_prompt_gold_output_and_its_formula_drawn(fresh):
    fresh.fill("#browser-search", "what is 17+17")
    fresh.click("#browser-list summary")
    fresh.wait_for_selector("#browser-list .output")
    assert "gold: 34" in fresh.inner_text("#browser-list")
    assert fresh.locator("#browser-list .output math").count() >= 1
    assert fresh.locator("#browser-list .output math menclose").first.text_content().isdigit()


def test_two_runs_stand_side_by_side_and_their_changes_can_be_chosen(fresh, runs):
    fresh.select_option("#browser-other", "instruct")
    fresh.select_option("#browser-flips", "gained")
    before, after = (
        correct_of(name, read_evaluation(name, open_artifact(runs[name], "evaluation")).samples)
        for name in ("instruct", "rl")
    )
    assert shown(fresh) == len(after - before)
    fresh.click("#browser-list summary")
    fresh.wait_for_selector("#browser-list .output")
    assert {"rl", "instruct"} <= set(fresh.locator("#browser-list .outputs > div > b").all_inner_texts())
    fresh.select_option("#browser-flips", "")
    fresh.select_option("#browser-run", "instruct")
    fresh.select_option("#browser-other", "rl")
    fresh.select_option("#browser-flips", "lost")
    assert shown(fresh) == len(after - before)


def test_more_questions_come_on_demand(fresh):
    assert fresh.locator("#browser-list > details").count() == 50
    fresh.click("#browser-more")
    assert fresh.locator("#browser-list > details").count() == 100


def test_hostile_text_is_shown_as_text_and_nothing_runs(fresh):
    fresh.fill("#browser-search", "what is 17+17")
    fresh.click("#browser-list summary")
    fresh.wait_for_selector("#browser-list .output")
    assert HOSTILE in fresh.inner_text("#browser-list")
    assert fresh.locator("#browser script:not([type])").count() == 0
    assert fresh.errors == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_no_wider_than_the_window(fresh, width):
    fresh.set_viewport_size({"width": width, "height": 900})
    fresh.select_option("#browser-other", "instruct")
    fresh.click("#browser-list summary")
    fresh.wait_for_selector("#browser-list .output")
    assert fresh.evaluate("document.documentElement.scrollWidth") <= width
    if folder := os.environ.get("DSM_SCREENSHOTS"):
        fresh.locator("#browse").scroll_into_view_if_needed()
        fresh.screenshot(path=f"{folder}/report-{width}.png")
        fresh.screenshot(path=f"{folder}/report-{width}-whole.png", full_page=True)
    fresh.set_viewport_size({"width": 1280, "height": 900})


def test_what_is_left_out_is_said(runs):
    evaluations = {name: read_evaluation(name, open_artifact(path, "evaluation")) for name, path in runs.items()}
    questions, left_out = chosen(evaluations, questions=10, outputs=2)
    assert len(questions) == 10
    assert "10 of 500 questions" in left_out
    assert "more are in samples.jsonl.zst" in left_out
    assert SKILL.keys() >= evaluations.keys()


def test_signs_that_hide_or_turn_text_are_written_out():
    assert visible("a\u202eb\u200bc\x00") == "a<U+202E>b<U+200B>c<U+0000>"
    assert visible("数学 π\n\t") == "数学 π\n\t"


def test_formulas_are_drawn_prices_and_broken_ones_keep_their_source():
    drawn = mathml_of_texts(
        ["$x^2$ and \\boxed{\\frac{1}{2}} from $5 to $9, \\(a\\), $$b$$ \\[c\\] $\\frac{1$"], most=9
    )
    assert {"$x^2$", "\\boxed{\\frac{1}{2}}", "\\(a\\)", "$$b$$", "\\[c\\]"} <= drawn.keys()
    assert not any("5 to" in piece for piece in drawn)
    assert "<msup>" in drawn["$x^2$"]
    assert 'display="block"' in drawn["$$b$$"]
    assert len(mathml_of_texts(["$a$ $b$ $c$"], most=2)) == 2


def test_a_formula_that_would_turn_the_text_or_is_endless_keeps_its_source():
    assert mathml("$\\text{a&#x202e;b}$") == ""
    assert mathml("$" + "x+" * 2000 + "x$") == ""
    assert "99999" not in mathml("$\\hspace{99999em}x$")


@pytest.mark.parametrize(
    "piece",
    ["$\\href{javascript:alert(1)}{x}$", "$\\text{<script>alert(1)</script>}$", "$\\color{red;background:url(x)}x$"],
)
def test_no_formula_brings_more_than_mathml(piece):
    markup = mathml(piece)
    assert "<script" not in markup
    assert "javascript" not in markup
    assert "url(" not in markup
