import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OURS = {"commons", "lm", "corpus", "pretrain", "sft", "rl", "eval", "pipelines"}


def test_imports_only_point_down():
    linter = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-2000:]


def test_no_other_distribution_provides_our_package_names():
    provided = packages_distributions()
    assert {
        name: provided[name] for name in OURS & provided.keys() if set(provided[name]) != {"deepseekmath-recipe"}
    } == {}


def test_exactly_one_distribution_provides_fasttext():
    assert packages_distributions()["fasttext"] == ["fasttext-community"]


def test_packages_re_export_nothing():
    assert [str(path) for name in OURS for path in (ROOT / name).rglob("__init__.py") if path.stat().st_size] == []
