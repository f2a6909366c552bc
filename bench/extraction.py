"""Text that keeps mathematics: our extractor beside trafilatura 2.3.1 on the third-party pages of ../shared.

`make bench NAME=extraction` prints
    snippets_passed           of 11 pages, each with every formula once, whole, in its delimiters, text around it kept
    tex_mathml_converted      share of TeX-MathML pairs whose MathML becomes LaTeX of the same formula: equal trees by
                              latex2mathml (bench/peer_mathml_trees.py) of our LaTeX and of the pair's TeX, or of the
                              pair's MathML where latex2mathml does not understand the TeX; 20 random failures on stderr
    tex_mathml_equal_to_tex   the share that is equal to the TeX alone
    token_f1                  mean over the 20 pages of magic_html, tokens of corpus/tokens.py
    strings_failed            of the with/without strings of trafilatura's own 106 pages, white space squeezed
    extract_pages_per_second  processor time on those 126 pages, one core, best of three passes that alternate
"""

import json
import os
import random
import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lxml import etree

from bench.peer_venv import python_of
from bench.rl_gain import line
from corpus.charset import decode
from corpus.extract import extract
from corpus.text.mathml import latex_of_math
from corpus.tokens import tokens_of

DATA = Path(os.environ.get("DSM_SHARED", "../shared")) / "data" / "extraction"
PEER = "trafilatura 2.3.1"
PEER_PINS = ("trafilatura==2.3.1", "lxml_html_clean==0.4.6")
TREES_PINS = ("latex2mathml==3.81.1",)
PASSES = 3
SHOWN_FAILURES = 20
DELIMITERS = {"inline": (("$", "$"), ("\\(", "\\)")), "display": (("$$", "$$"), ("\\[", "\\]"))}


def rows(name: str) -> list[dict[str, Any]]:
    """The JSON lines of a file of DATA."""
    return [json.loads(text) for text in (DATA / name).read_text(encoding="utf-8").splitlines()]


def pages(folder: str) -> dict[str, str]:
    """File name -> decoded page. Most files are UTF-8, whatever their meta tags say."""
    found = {}
    with zipfile.ZipFile(DATA / folder / "pages.zip") as archive:
        for name in archive.namelist():
            body = archive.read(name)
            try:
                found[name] = body.decode("utf-8")
            except UnicodeDecodeError:
                found[name] = decode(body, "")
    return found


def peer_texts(inputs: Mapping[str, str]) -> tuple[dict[str, str], float]:
    """What trafilatura makes of the same pages, and the seconds of its second pass over them."""
    lines = "\n".join(json.dumps({"id": name, "html": page}) for name, page in inputs.items())
    command = [str(python_of("trafilatura", PEER_PINS)), "bench/peer_trafilatura.py"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    *answers, last = (json.loads(text) for text in done.stdout.splitlines())
    return {answer["id"]: answer["text"] for answer in answers}, last["seconds"]


def our_seconds(inputs: Mapping[str, str]) -> float:
    """Processor time of one pass."""
    start = time.process_time()
    for page in inputs.values():
        extract(page)
    return time.process_time() - start


def passes(row: Mapping[str, Any], text: str) -> bool:
    """Whether a snippet came out whole: each formula once in its delimiters, the words around it kept."""
    squeezed = "".join(text.split())
    good = all(words in text for words in row["must_keep"])
    for formula in row["formulas"]:
        latex = "".join(formula["latex"].split())
        good &= any(opening + latex + closing in squeezed for opening, closing in DELIMITERS[formula["mode"]])
        good &= len(latex) < 3 or squeezed.count(latex) == 1
    return good


def token_f1(text: str, expected: str) -> float:
    """F1 of the bags of tokens."""
    found, wanted = Counter(tokens_of(text)), Counter(tokens_of(expected))
    return 2 * sum((found & wanted).values()) / max(found.total() + wanted.total(), 1)


def failed_strings(row: Mapping[str, Any], text: str) -> int:
    """Strings that are missing, and strings that should be."""
    text = squeeze(text)
    missing = sum(squeeze(words) not in text for words in row["with"])
    return missing + sum(squeeze(words) in text for words in row["without"])


def squeeze(text: str) -> str:
    """White space as single blanks."""
    return " ".join(text.split())


def converted_pairs() -> list[dict[str, Any]]:
    """The TeX-MathML pairs with our LaTeX and the trees of all three."""
    pairs = rows("tex_mathml.dev.jsonl")
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    for pair in pairs:
        math = next(etree.fromstring(pair["mathml"].encode(), parser).iter("math"))
        pair["ours"] = latex_of_math(math)
    command = [str(python_of("latex2mathml", TREES_PINS)), "bench/peer_mathml_trees.py"]
    lines = "\n".join(json.dumps(pair) for pair in pairs)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    return [pair | {"trees": json.loads(text)} for pair, text in zip(pairs, done.stdout.splitlines(), strict=True)]


def pair_figures(pairs: list[dict[str, Any]]) -> Iterable[str]:
    """The two figures of the pairs; random failures go to stderr."""
    by_tex = [pair["trees"]["ours"] is not None and pair["trees"]["ours"] == pair["trees"]["tex"] for pair in pairs]
    same = [equal or pair["trees"]["ours"] == pair["trees"]["given"] for equal, pair in zip(by_tex, pairs, strict=True)]
    yield line("tex_mathml_converted", sum(same) / len(pairs), "fraction", len(pairs))
    yield line("tex_mathml_equal_to_tex", sum(by_tex) / len(pairs), "fraction", len(pairs))
    failures = [pair for pair, good in zip(pairs, same, strict=True) if not good]
    for pair in random.Random(0).sample(failures, min(SHOWN_FAILURES, len(failures))):
        print(f"not the same: {pair['id']}\n  TeX  {pair['tex']}\n  ours {pair['ours']}", file=sys.stderr)


def main() -> None:
    """Prints one JSON line per figure."""
    snippets = rows("snippets.jsonl")
    inputs = pages("magic_html") | pages("trafilatura")
    ours = {name: extract(page).text for name, page in inputs.items()}
    snippet_pages = {row["name"]: row["html"] for row in snippets}
    snippet_texts, _ = peer_texts(snippet_pages)
    mine = sum(passes(row, extract(row["html"]).text) for row in snippets)
    theirs = sum(passes(row, snippet_texts[row["name"]]) for row in snippets)
    print(line("snippets_passed", float(mine), "pages", len(snippets), PEER, theirs), flush=True)
    print(*pair_figures(converted_pairs()), sep="\n", flush=True)
    seconds, peer_seconds = [], []
    for _ in range(PASSES):
        seconds.append(our_seconds(inputs))
        their_texts, second = peer_texts(inputs)
        peer_seconds.append(second)
    full = rows("magic_html/expected.jsonl")
    f1, peer_f1 = (
        sum(token_f1(texts[row["file"]], row["content"]) for row in full) / len(full) for texts in (ours, their_texts)
    )
    print(line("token_f1", f1, "fraction", len(full), PEER, peer_f1))
    marked = rows("trafilatura/expected.jsonl")
    failed, peer_failed = (
        sum(failed_strings(row, texts[row["file"]]) for row in marked) for texts in (ours, their_texts)
    )
    strings = sum(len(row["with"]) + len(row["without"]) for row in marked)
    print(line("strings_failed", float(failed), "strings", strings, PEER, peer_failed))
    speed, peer_speed = len(inputs) / min(seconds), len(inputs) / min(peer_seconds)
    print(line("extract_pages_per_second", speed, "pages/s/core", len(inputs), PEER, peer_speed))


if __name__ == "__main__":
    main()
