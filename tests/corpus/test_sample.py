import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from commons.quotations import benchmark_grams, quotations
from commons.seeds import rng
from commons.shards import read_jsonl
from commons.stage import main
from corpus.crawlgen.formula import MARKED, m
from corpus.crawlgen.formula_html import FORMS, render_text
from corpus.crawlgen.maths_pages import FAMILIES
from corpus.crawlgen.sites import load_sites
from corpus.crawlgen.writer import Writer
from corpus.sample import STAGE

CONFIG = Path(__file__).resolve().parents[2] / "configs" / "tiny" / "crawl.toml"
SIGN_OF_FORM = {
    "dollar": rb"\$\\frac\{",
    "paren": rb"\\\(\\frac\{",
    "script": rb'<script type="math/tex; mode=display">',
    "mjx": rb'<mjx-container class="MathJax" jax="CHTML"',
    "katex": rb'<span class="katex-mathml"><math',
    "mathml": rb"<math [^>]*><mfrac>",
    "plain": rb"x<sup>2</sup>",
    "image": rb'<img class="latex inline"[^>]* alt="[^"]+"',
    "image-url": rb"https://latex\.codecogs\.com/png\.image\?",
    "wiki": rb'class="mwe-math-fallback-image-inline"',
}


def made(folder: Path, *settings: str) -> Path:
    assert main(STAGE, ["--config", str(CONFIG), "--out", str(folder), *settings]) == 0
    return folder


@pytest.fixture(scope="module")
def crawl(tmp_path_factory) -> Path:
    return made(tmp_path_factory.mktemp("sample") / "crawl")


@pytest.fixture(scope="module")
def responses(crawl) -> dict[str, tuple[str, str, bytes]]:
    """Record id -> address, file, body as stored."""
    found = {}
    for path in sorted((crawl / "warc").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "response":
                    headers = record.rec_headers
                    address = headers.get_header("WARC-Target-URI")
                    found[headers.get_header("WARC-Record-ID")] = address, path.name, record.raw_stream.read()
    return found


def table(path: Path) -> list[dict[str, str]]:
    names, *rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [dict(zip(names, row, strict=True)) for row in rows]


def counts(crawl: Path) -> dict:
    return json.loads((crawl / "manifest.json").read_text(encoding="utf-8"))["counts"]


def test_the_tiny_crawl_has_the_promised_size_in_both_languages(crawl, responses):
    found = counts(crawl)
    assert found["pages"] >= 3000
    assert found["domains"] >= 60
    assert found["languages"]["en"] > 2000
    assert found["languages"]["zh"] > 500
    assert found["records"] == len(responses)
    assert 150 <= len((crawl / "seeds.txt").read_text().split()) <= 200


def test_labels_count_each_page_once(crawl):
    rows = table(crawl / "truth" / "pages.tsv")
    assert len(rows) == counts(crawl)["pages"]
    assert sum(row["is_math"] == "1" for row in rows) == counts(crawl)["maths_pages"]


def test_seeds_are_unplanted_maths_pages_of_a_few_sites(crawl):
    label = {row["url"]: row for row in table(crawl / "truth" / "pages.tsv")}
    seeds = [label[url] for url in (crawl / "seeds.txt").read_text().split()]
    assert all(row["is_math"] == "1" for row in seeds)
    assert len({row["site"] for row in seeds}) == 4
    assert {row["language"] for row in seeds} == {"en", "zh"}


def test_every_planted_row_lies_in_the_file_it_names(crawl, responses):
    rows = table(crawl / "truth" / "planted.tsv")
    assert len({row["kind"] for row in rows}) == 11
    for row in rows:
        address, file, _ = responses[row["record_id"]]
        assert (address, file) == (row["url"], row["file"])


def test_planted_copies_repeat_what_they_name(crawl, responses):
    body = {address: body for address, _, body in responses.values()}
    for row in table(crawl / "truth" / "planted.tsv"):
        if row["kind"] in ("repeat_tracking", "repeat_same_url"):
            assert body[row["url"]] == body[row["of"]]
        elif row["kind"] == "truncated":
            assert body[row["of"]].startswith(body[row["url"]])
            assert len(body[row["url"]]) < len(body[row["of"]])


def test_each_quoting_page_holds_its_question_and_no_other_page_quotes(crawl, responses):
    items = list(read_jsonl(crawl / "benchmarks"))
    by_id = {item["id"]: item for item in items}
    grams = benchmark_grams([item["question"] for item in items])
    planted = {
        row["url"]: row["of"] for row in table(crawl / "truth" / "planted.tsv") if row["kind"] == "quote_benchmark"
    }
    assert len(planted) == 30
    for position, (address, _, body) in enumerate(responses.values()):
        if address not in planted and position % 4:
            continue  # every fourth of the others will do
        if b"gb2312" in body or b"gbk" in body:
            text = body.decode("gb18030", errors="replace")
        else:
            text = body.decode("utf-8", errors="replace")
        found = quotations([re.sub(r"<[^>]+>", " ", text)], grams)[0]
        base = re.split(r"[?&](?:utm_|fbclid|gclid)", address)[0]
        if address in planted:
            assert by_id[planted[address]]["question"] in text
        elif found:  # a copy of a quoting page
            assert base in planted or "/copies/" in base or "/wire/" in base or "/cut/" in base or "/charset/" in base


def test_every_form_of_formula_is_there(responses):
    forms = {site.form for site in load_sites()}
    assert forms == set(FORMS) == set(SIGN_OF_FORM)
    for form, sign in SIGN_OF_FORM.items():
        assert sum(bool(re.search(sign, body)) for _, _, body in responses.values()) >= 20, form


def test_the_same_seed_gives_the_same_digest_and_another_seed_another(tmp_path):
    settings = ("pages=600", "near_duplicates=10")
    digests = [
        json.loads((made(tmp_path / name, *settings, seed) / "manifest.json").read_text())["digest"]
        for name, seed in (("a", "seed=0"), ("b", "seed=0"), ("c", "seed=1"))
    ]
    assert digests[0] == digests[1] != digests[2]


def value(latex: str) -> Fraction | None:
    """The value of plain arithmetic in LaTeX, or None when it is something else."""
    text = re.sub(r"\\frac\{(-?\d+)\}\{(\d+)\}", r"((\1)/(\2))", latex).strip()
    for name, sign in ((r"\times", "*"), (r"\cdot", "*"), (r"\div", "/"), ("^", "**")):
        text = text.replace(name, sign)
    if not re.fullmatch(r"[-+*/() \d]+", text):
        return None
    return eval(re.sub(r"\d+", r"Fraction(\g<0>)", text), {"Fraction": Fraction})


@pytest.mark.parametrize("topic", sorted(FAMILIES))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_equation_of_plain_numbers_in_a_solution_holds(topic, language):
    checked = 0
    for k in range(150):
        w = Writer(rng(k, topic, language), language)
        one = w.rng.choice(FAMILIES[topic])(w)
        for found in MARKED.finditer(" ".join(one.steps)):
            sides = [value(side) for side in (found[1] or found[2]).split("=")]
            known = [side for side in sides if side is not None]
            assert len(set(known)) <= 1, (one.title, found[0])
            checked += len(known) > 1
    assert checked > 20


@pytest.mark.parametrize(
    ("form", "html"),
    [
        ("dollar", "a $x &lt; 2$."),
        ("paren", r"a \(x &lt; 2\)."),
        ("plain", "a x &lt; 2."),
        (
            "mathml",
            '<math xmlns="http://www.w3.org/1998/Math/MathML"><mrow><mi>x</mi><mo>&lt;</mo><mn>2</mn></mrow></math>',
        ),
        ("image-url", "png.image?x%20%3C%202"),
    ],
)
def test_a_formula_is_written_in_each_form(form, html):
    assert html in render_text(f"a {m('x < 2')}.", form)
