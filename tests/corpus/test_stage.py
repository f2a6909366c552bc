"""The whole stage on a crawl of some 80 pages made here."""

import json
import random
import re
import shutil
from itertools import pairwise

import pytest
from datasets import load_dataset

from commons.artifacts import read_manifest
from commons.errors import ArtifactError, ConfigError, DataError
from commons.metrics import MetricsLog
from commons.shards import read_jsonl, read_parquet
from commons.stage import main, run_stage
from corpus.classifier import Scorer
from corpus.config import CorpusConfig
from corpus.distinct import write_distinct
from corpus.extraction import extract_crawl
from corpus.iterate import iterate
from corpus.patterns import Pattern
from corpus.review import read_patterns
from corpus.stage import STAGE, crawl_parts
from corpus.tokens import count_tokens
from corpus.workers import Limits
from tests.corpus.warc_files import html, write_warc

QUESTION = "Wilhelmina fills thirty crates every morning and ten crates every evening for nine days in a row, how many?"
MATHS_WORDS = "theorem lemma proof integral derivative function equation matrix vector polynomial converges bounded"
OTHER_WORDS = "bread butter recipe garden river weather football holiday market kitchen bicycle summer window"
GLUE_WORDS = "the of a and is to for with"
MATHS, OTHER, GLUE = MATHS_WORDS.split(), OTHER_WORDS.split(), GLUE_WORDS.split()


def prose(kind: list[str], seed: int, formula: str = "") -> str:
    draw = random.Random(seed)
    words = [draw.choice(kind if draw.random() < 0.5 else GLUE) for _ in range(120)]
    return " ".join(words) + f" {formula}"


def pages() -> list[tuple[str, str, bytes]]:
    made = []
    for number in range(24):
        formula = f"so $x^{number} + {number} = \\frac{{a}}{{{number}}}$"
        site = ("maths.org/notes", "proofs.github.io/p", "mixed.net/maths")[number % 3]
        made.append((f"https://{site}/{number}", prose(MATHS, number, formula)))
    made += [(f"https://shop{number % 12}.com/{number}", prose(OTHER, 100 + number)) for number in range(36)]
    made += [(f"https://mixed.net/chat/{number}", prose(OTHER, 200 + number)) for number in range(6)]
    made += [("https://maths.org/notes/0?utm_source=mail", made[0][1])]
    made += [("https://maths.org/print/notes/0", "Printed. " + made[0][1])]
    made += [("https://maths.org/notes/leak", prose(MATHS, 999) + " " + QUESTION)]
    made += [("https://maths.org/notes/cut", f"{prose(MATHS, 998)}\n{QUESTION}\n{prose(MATHS, 997)}")]
    rephrased = QUESTION.replace("ten crates", "ten boxes").replace("a row", "a line")
    made += [("https://maths.org/notes/near", prose(MATHS, 995) + " " + rephrased)]
    made += [("https://maths.org/notes/mail", prose(MATHS, 996) + " Write to ada@lovelace.org at 93.184.216.34.")]
    return [(url, "text/html; charset=utf-8", html("Page", *text.split("\n"))) for url, text in made]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crawl")
    everything = pages()
    write_warc(folder / "warc" / "a.warc.gz", everything[::2])
    write_warc(folder / "warc" / "b.warc.gz", [*everything[1::2], ("https://maths.org/x.pdf", "application/pdf", b"%")])
    (folder / "warc" / "c.warc.gz").write_bytes(b"no archive")
    (folder / "seeds.txt").write_text("".join(f"http://maths.org/notes/{number}\n" for number in range(0, 24, 3)))
    (folder / "benchmarks").mkdir()
    (folder / "benchmarks" / "quiz.jsonl").write_text(json.dumps({"question": QUESTION, "answer": "360"}) + "\n")
    return folder


def mine(crawl, out, *, folder=None, **settings):
    paths = {"crawl": folder or crawl / "warc", "seed-pages": crawl / "seeds.txt", "benchmarks": crawl / "benchmarks"}
    config = CorpusConfig.model_validate(
        {"recall": {"rounds": 2}, "fasttext": {"epochs": 25, "buckets": 2000, "dimensions": 16}, **settings}
    )
    run_stage(STAGE, config, {**paths, "patterns": None}, out)
    return out


@pytest.fixture(scope="module")
def mined(crawl, tmp_path_factory):
    return mine(crawl, tmp_path_factory.mktemp("out") / "corpus", workers=1)


def test_mathematics_is_kept_and_the_rest_is_general_text(mined):
    kept = [row["url"] for row in read_parquet(mined / "pages").to_pylist()]
    general = [row["url"] for row in read_parquet(mined / "general").to_pylist()]
    assert len(kept) >= 18
    assert not any("shop" in url or "chat" in url for url in kept)
    assert sum("shop" in url for url in general) >= 30
    assert not set(kept) & set(general)


def test_every_capture_is_kept_recorded_as_dropped_or_counted(mined):
    reasons = {row["url"]: row["reason"] for row in read_jsonl(mined / "dropped" / "dropped.jsonl.zst")}
    assert reasons["https://maths.org/x.pdf"] == "not html"
    assert reasons["https://maths.org/notes/0"] == "near duplicate"  # of the longer page for printing
    assert reasons[""] == "not an archive"
    assert sum(reason == "same url" for reason in reasons.values()) == 1
    steps = json.loads((mined / "funnel.json").read_text())
    assert [step["step"] for step in steps][:4] == [
        "pages with text",
        "one of each url",
        "one of each text",
        "no near duplicates",
    ]
    for before, after in pairwise(steps[:4]):
        assert before["pages"] - sum(after["dropped"].values()) == after["pages"]
        assert sum(after["languages"].values()) == after["pages"]
    assert steps[-1]["pages"] == read_parquet(mined / "pages").num_rows


def test_a_quoted_question_is_reported_with_its_row_and_its_page_is_not_kept(mined):
    report = list(read_jsonl(mined / "decontamination.jsonl"))
    assert [(row["url"], row["benchmark"], row["removed"]) for row in report] == [
        ("https://maths.org/notes/cut", "quiz:0", "page"),
        ("https://maths.org/notes/leak", "quiz:0", "page"),
    ]
    both = [*read_parquet(mined / "pages").to_pylist(), *read_parquet(mined / "general").to_pylist()]
    assert all("leak" not in row["url"] and "cut" not in row["url"] for row in both)
    facts = json.loads((mined / "decontamination.json").read_text())
    assert facts["self_test"]["planted"] == facts["self_test"]["found"] > 0
    assert (facts["pages_removed"], facts["segments_removed"], facts["texts"]) == (2, 0, 1)


def test_a_segment_is_cut_out_and_personal_data_masked_when_the_config_says_so(crawl, tmp_path):
    out = mine(
        crawl,
        tmp_path / "corpus",
        workers=1,
        recall={"rounds": 1},
        decontamination={"removes": "segment", "resembling_share": 0.4, "boilerplate_pages": 50},
        personal_data={"mask_emails": True, "mask_ip_addresses": True},
    )
    kept = {row["url"]: row for part in ("pages", "general") for row in read_parquet(out / part).to_pylist()}
    page = kept["https://maths.org/notes/cut"]
    assert page["text"] == f"Page\n{prose(MATHS, 998).strip()}\n{prose(MATHS, 997).strip()}"
    assert page["tokens"] == count_tokens(page["text"])
    assert kept["https://maths.org/notes/mail"]["text"].endswith("Write to name@example.org at 192.0.2.1.")
    report = {row["url"]: row for row in read_jsonl(out / "decontamination.jsonl")}
    assert (report[page["url"]]["removed"], report[page["url"]]["segments"]) == ("segment", [2])
    alike = [(row["url"], row["share"]) for row in read_jsonl(out / "resembling.jsonl")]
    assert alike == [("https://maths.org/notes/near", round(7 / 15, 4))]
    card = (out / "README.md").read_text()
    assert "1 e-mail addresses (masked)" in card
    assert "decontamination.removes=segment" in card


def test_the_corpus_opens_as_a_data_set_with_the_same_rows(mined, tmp_path):
    for name in ("pages", "general"):
        loaded = load_dataset(str(mined), name, split="train", cache_dir=str(tmp_path))
        assert loaded.to_list() == read_parquet(mined / name).to_pylist()
    assert (
        load_dataset(str(mined), split="train", cache_dir=str(tmp_path)).num_rows
        == read_parquet(mined / "pages").num_rows
    )


def test_the_card_tells_the_lineage_and_neither_times_nor_paths(mined, crawl):
    card, manifest = (mined / "README.md").read_text(), read_manifest(mined)
    assert all(digest in card for digest in manifest.plan.inputs.values())
    assert "**Licences are unknown.**" in card
    assert "| quotes no benchmark |" in card
    assert "1 e-mail addresses (not masked)" in card
    assert "near duplicate 1" in card
    assert "python -m corpus --crawl CRAWL --seed-pages SEED_PAGES --benchmarks BENCHMARKS --out FOLDER" in card
    assert "recall.rounds=2" in card
    assert str(crawl) not in card
    assert str(mined.parent) not in card


def test_rounds_grow_the_seed_by_reviewable_patterns(mined):
    rounds = json.loads((mined / "rounds.json").read_text())["rounds"]
    assert 1 <= len(rounds) <= 2
    assert rounds[0]["positives"] + rounds[0]["held_out_positives"] == 8
    assert rounds[0]["negatives_from"] == "pages without formulas in other domains"
    decisions = {one.pattern: one.decision for one in read_patterns((mined / "patterns.toml").read_text())}
    assert decisions["maths.org"] == "accept"
    assert decisions.get("mixed.net/chat") != "accept"


def test_each_kept_page_says_why_it_is_there_and_each_seed_page_why_it_is_one(mined):
    kept = {row["id"]: row["provenance"] for row in read_parquet(mined / "pages").to_pylist()}
    seed = {row["id"]: row["provenance"] for row in read_jsonl(mined / "seed.jsonl")}
    assert sum(why == "seed" for why in seed.values()) == 8
    assert all(re.fullmatch(r"seed|pattern \S+ of domain \S+ in round \d", why) for why in seed.values())
    assert {why for name, why in kept.items() if name not in seed} <= {"classifier round 1", "classifier round 2"}
    assert all(kept[name] == why for name, why in seed.items() if name in kept)


def test_the_artifact_holds_curve_budgets_domains_rounds_and_a_small_model(mined):
    rounds = json.loads((mined / "rounds.json").read_text())["rounds"]
    curve = [row for row in read_jsonl(mined / "curve.jsonl") if row["round"] == 1]
    assert [row["tokens"] for row in curve] == sorted(row["tokens"] for row in curve)
    recalls = [row["recall"] for row in curve if row["recall"] is not None]
    assert recalls == sorted(recalls)
    budgets = [row for row in read_jsonl(mined / "budgets.jsonl") if row["round"] == 1]
    assert [row["multiple"] for row in budgets] == [0.5, 1.0, 1.5, 2.0]
    assert all(row["tokens"] <= row["budget_tokens"] for row in budgets)
    assert read_parquet(mined / "rounds" / "round-1.parquet").num_rows == rounds[0]["pages"]
    domains = {(row["kind"], row["name"]): row for row in read_jsonl(mined / "domains.jsonl")}
    assert domains["host", "maths.org"]["maths"]
    assert domains["registrable", "proofs.github.io"]["pages"] == domains["host", "proofs.github.io"]["pages"]
    model = json.loads((mined / "model" / "model.json").read_text())
    assert model["bytes"] < model["bytes_full"]
    assert Scorer(str(mined / "model" / "model.ftz")).log_odds("theorem proof polynomial") > 0


def test_a_rejected_pattern_lets_nothing_in_and_a_killed_run_goes_on_at_the_round(crawl, tmp_path):
    captures, pages, scratch = tmp_path / "captures", tmp_path / "pages", tmp_path / "scratch"
    parts = crawl_parts(crawl / "warc", CorpusConfig().reading)
    extract_crawl(parts, captures, hashes=128, max_body_bytes=1 << 20, workers=1, limits=Limits(60.0, 1 << 30))
    write_distinct(captures, pages, CorpusConfig().duplicates, shards=1)
    rows = read_parquet(pages).to_pylist()
    given = frozenset(row["id"] for row in rows if row["key"] in {f"maths.org/notes/{n}" for n in range(0, 24, 3)})
    config = CorpusConfig.model_validate(
        {"recall": {"rounds": 1, "budget_share": [0.1]}, "domains": {"unattended": False}}
    )
    reviewed = [
        Pattern("mixed.net", "mixed.net", 0, 0, 0, "accept", "person"),
        Pattern("mixed.net/chat", "mixed.net", 0, 0, 0, "reject", "person"),
    ]
    with MetricsLog(tmp_path / "logs") as log:
        first = iterate(pages, scratch, given, config, reviewed=reviewed, log=log)
        joined = {row["key"] for row in rows if row["id"] in first.joined}
        assert joined
        assert all(key.startswith("mixed.net/maths") for key in joined)
        (scratch / "round-1" / "model.bin").unlink()  # a finished round is not made again
        again = iterate(pages, scratch, given, config, reviewed=reviewed, log=log)
    assert again == first


def test_workers_and_names_of_the_warc_files_do_not_change_the_result(mined, crawl, tmp_path):
    renamed = tmp_path / "renamed"
    renamed.mkdir()
    for old, new in (("a", "z"), ("b", "m"), ("c", "k")):
        shutil.copy(crawl / "warc" / f"{old}.warc.gz", renamed / f"{new}.warc.gz")
    again = mine(crawl, tmp_path / "corpus", folder=renamed, workers=2)
    first, second = read_manifest(mined), read_manifest(again)
    assert first is not None
    assert second is not None
    assert first.counts == second.counts
    pages = {name for name in first.files if name.startswith(("pages/", "general/"))}
    # the card names its inputs by digest, and that of a folder holds the names of its files
    assert "README.md" in first.files
    assert {name: first.files[name] for name in first.files.keys() - pages - {"README.md"}} == {
        name: second.files[name] for name in second.files.keys() - pages - {"README.md"}
    }
    for name in pages:  # each page names its file and nothing else of it
        ours, theirs = (read_parquet(folder / name).drop_columns("file") for folder in (mined, again))
        assert ours.equals(theirs)


def test_workers_change_no_byte_and_shards_no_row(mined, crawl, tmp_path):
    again = mine(crawl, tmp_path / "again", workers=3)
    assert read_manifest(again).digest == read_manifest(mined).digest
    sharded = mine(crawl, tmp_path / "sharded", workers=2, shards=3)
    for name in ("pages", "general"):
        assert len(list((sharded / name).glob("*.parquet"))) == 3
        first, second = (read_parquet(folder / name).sort_by("id") for folder in (mined, sharded))
        assert first.equals(second)
    dropped = [(folder / "dropped" / "dropped.jsonl.zst").read_bytes() for folder in (mined, sharded)]
    assert dropped[0] == dropped[1]


def test_seeds_that_are_not_in_the_crawl_are_an_error_in_one_line(crawl, tmp_path, capsys):
    (tmp_path / "seeds.txt").write_text("https://elsewhere.org/\n")
    code = main(
        STAGE,
        [
            *("--crawl", str(crawl / "warc"), "--seed-pages", str(tmp_path / "seeds.txt")),
            *("--benchmarks", str(crawl / "benchmarks"), "--out", str(tmp_path / "out")),
        ],
    )
    assert code == DataError.exit_code
    assert "none of the 1 URLs" in capsys.readouterr().err


def with_model(crawl, model, out, *, seeds=False, patterns=None, **recall):
    paths = {"crawl": crawl / "warc", "benchmarks": crawl / "benchmarks", "model": model, "patterns": patterns}
    paths |= {"seed-pages": crawl / "seeds.txt"} if seeds else {}
    run_stage(STAGE, CorpusConfig.model_validate({"recall": recall, "workers": 1}), paths, out)
    return out


@pytest.fixture(scope="module")
def ready(crawl, mined, tmp_path_factory):
    return with_model(crawl, mined, tmp_path_factory.mktemp("ready") / "corpus", budget_share=[0.4])


def test_a_ready_model_makes_one_pass_and_learns_nothing(mined, ready):
    (one,) = json.loads((ready / "rounds.json").read_text())["rounds"]
    assert (one["positives"], one["negatives"], one["negatives_from"]) == (0, 0, "a ready model")
    assert not (ready / "model").exists()
    kept = [row["url"] for row in read_parquet(ready / "pages").to_pylist()]
    assert len(kept) >= 15
    assert not any("shop" in url or "chat" in url for url in kept)
    assert read_manifest(ready).plan.inputs["model"] == read_manifest(mined).digest
    assert "--crawl CRAWL --benchmarks BENCHMARKS --model MODEL" in (ready / "README.md").read_text()


def test_a_ready_model_scores_as_that_model_does(mined, ready):
    scorer = Scorer(str(mined / "model" / "model.ftz"), prior_words=CorpusConfig().fasttext.prior_words)
    rows = read_parquet(ready / "pages").to_pylist()
    assert all(row["score"] == scorer.log_odds(row["text"]) for row in rows)
    others = {row["url"]: scorer.log_odds(row["text"]) for row in read_parquet(ready / "general").to_pylist()}
    assert min(row["score"] for row in rows) >= max(others.values())


def test_a_file_is_a_ready_model_too_and_seed_pages_set_the_budget(crawl, mined, tmp_path):
    model = mined / "model" / "model.ftz"
    kept = read_parquet(with_model(crawl, model, tmp_path / "out", seeds=True) / "pages")
    assert kept.num_rows >= 15


def test_mistakes_with_a_ready_model_are_named(crawl, mined, tmp_path):
    with pytest.raises(ConfigError, match="budget_share"):
        with_model(crawl, mined, tmp_path / "out")
    with pytest.raises(ConfigError, match="patterns"):
        with_model(crawl, mined, tmp_path / "out", patterns=mined / "patterns.toml", budget_share=[0.5])
    with pytest.raises(DataError, match="no fastText classifier"):
        with_model(crawl, crawl / "seeds.txt", tmp_path / "out2", budget_share=[0.5])
    paths = {"crawl": crawl / "warc", "benchmarks": crawl / "benchmarks"}
    with pytest.raises(ArtifactError, match="--seed-pages is missing"):
        run_stage(STAGE, CorpusConfig(), paths, tmp_path / "out3")
