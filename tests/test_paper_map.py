"""docs/paper.md is true: each row's object exists, and its docstring names the place in the paper."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROW = re.compile(r"^\|\s*(?P<reference>[^|]+?)\s*\|[^|]*\|\s*`(?P<file>[\w/]+\.py)::(?P<name>\w+)`\s*\|")
ROWS = [
    (match["reference"], match["file"], match["name"])
    for match in map(ROW.match, (ROOT / "docs" / "paper.md").read_text(encoding="utf-8").splitlines())
    if match
]


def docstring_of(path, name):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return ast.get_docstring(node) or ""
    raise AssertionError(f"{path} has no {name}")


@pytest.mark.parametrize(("reference", "file", "name"), ROWS)
def test_the_code_a_paper_row_points_to_names_that_place(reference, file, name):
    assert reference.lower() in " ".join(docstring_of(ROOT / file, name).lower().split())


def test_the_map_has_rows_for_each_part_of_the_recipe():
    folders = {file.split("/")[0] for _, file, _ in ROWS}
    assert {"corpus", "pretrain", "sft", "rl", "eval", "lm", "commons"} <= folders
    assert len(ROWS) >= 20


def test_a_row_that_is_wrong_is_caught():
    with pytest.raises(AssertionError, match="has no nothing_of_that_name"):
        docstring_of(ROOT / "commons" / "seeds.py", "nothing_of_that_name")
