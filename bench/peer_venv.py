"""Virtual environments of the peers that benchmarks compare with: `.venv-bench/PEER`, made when it is missing."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(".venv-bench")


def python_of(peer: str, pins: Sequence[str]) -> Path:
    """The interpreter of `.venv-bench/PEER` with exactly these pins; made on the first call."""
    root = FOLDER / peer
    done = root / "pins.txt"
    wanted = "\n".join(pins) + "\n"
    if not done.is_file() or done.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(root)], check=True)
        pip = [str(root / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins]
        subprocess.run(pip, check=True)
        done.write_text(wanted)
    return root / "bin" / "python"
