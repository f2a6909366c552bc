"""docs/corpus_cases.md is true: each test that it names is there, and it has a row for every fault of our notes."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (?P<item>[^|]+) \|.*`(?P<file>tests/[\w/]+\.py)::(?P<name>test_\w+)` \|$")
ROWS = [
    (match["item"], match["file"], match["name"])
    for match in map(ROW.match, (ROOT / "docs" / "corpus_cases.md").read_text(encoding="utf-8").splitlines())
    if match
]
ITEM = re.compile(r"^- \*\*([A-Z]\d+)\*\*", re.M)


def names_in(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("file", sorted({file for _, file, _ in ROWS}))
def test_each_test_that_is_named_exists(file):
    assert {name for _, other, name in ROWS if other == file} <= names_in(ROOT / file)


def test_no_fault_of_the_notes_is_left_out(shared):
    notes = (shared.parent / "notes" / "corpus.md").read_text(encoding="utf-8")
    faults = set(ITEM.findall(notes.partition("## 3.")[2].partition("\n## ")[0]))
    assert len(faults) > 50
    assert faults - {item for item, _, _ in ROWS} == set()


def test_no_extractor_of_others_is_needed():  # B3: one of them lacks a package that it imports
    others = {"trafilatura", "justext", "readability", "magic_html"}
    imported = set()
    for path in (ROOT / "corpus").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(str(node.module).partition(".")[0])
    assert "resiliparse" in imported
    assert not imported & others
