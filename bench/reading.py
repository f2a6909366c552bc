"""Records a second of the splitter beside warcio and FastWARC, on the same files, in turns, in CPU seconds.

`make bench NAME=reading` reads the WARC files of ../shared/data/web (CRAWL=folder another one). `records_split` finds,
decompresses and checks the length of every record; `records_parsed` lets warcio parse it and checks its digests, as
the corpus stage does. The peers read every record to its end in environments of their own (.venv-bench/PEER).
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from bench.rl_gain import line
from corpus.reading.records import record_of
from corpus.reading.split import split

ROUNDS = 5
CHUNK = 1 << 18
MOST_BYTES = 9 << 20
PEERS = {
    "warcio": ("warcio==1.8.1", "from warcio.archiveiterator import ArchiveIterator", "record.raw_stream.read()"),
    "fastwarc": ("FastWARC==2.0.1", "from fastwarc.warc import ArchiveIterator", "record.reader.read()"),
}
SCRIPT = """
import json, sys, time
{imports}
started, count = time.process_time(), 0
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for record in ArchiveIterator(file):
            {read}
            count += 1
print(json.dumps([count, time.process_time() - started]))
"""


def chunks(path: Path) -> Iterator[bytes]:
    """The bytes of a file."""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def ours(files: list[Path], *, parsed: bool) -> tuple[int, float]:
    """(records, CPU seconds) of one pass."""
    started, count = time.process_time(), 0
    for path in files:
        for span in split(chunks(path), most_bytes=MOST_BYTES):
            if parsed:
                record_of(span)
            count += 1
    return count, time.process_time() - started


def peer(name: str, files: list[Path]) -> tuple[int, float]:
    """(records, CPU seconds) of one pass of a peer."""
    _, imports, read = PEERS[name]
    script = SCRIPT.format(imports=imports, read=read)
    done = subprocess.run([python_of(name), "-c", script, *map(str, files)], check=True, capture_output=True, text=True)
    count, seconds = json.loads(done.stdout)
    return count, seconds


def python_of(name: str) -> Path:
    """The interpreter of a peer's environment, made when it is missing."""
    folder = Path(".venv-bench") / name
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([folder / "bin" / "pip", "install", "-q", PEERS[name][0]], check=True)
        (folder / "ready").touch()
    return folder / "bin" / "python"


def main() -> None:
    """Prints one JSON line per figure and peer; each figure is that of the best of ROUNDS rounds."""
    files = sorted(Path(os.environ.get("CRAWL", "../shared/data/web")).glob("*.warc.gz"))
    runs: dict[str, Callable[[], tuple[int, float]]] = {
        "records_split": lambda: ours(files, parsed=False),
        "records_parsed": lambda: ours(files, parsed=True),
        **{name: partial(peer, name, files) for name in PEERS},
    }
    best: dict[str, float] = {}
    counts = set()
    for _ in range(ROUNDS):
        for name, run in runs.items():
            count, seconds = run()
            counts.add(count)
            best[name] = max(best.get(name, 0.0), count / seconds)
    assert len(counts) == 1, f"the readers disagree about the number of records: {counts}"
    for figure in ("records_split", "records_parsed"):
        for name in PEERS:
            print(line(figure, best[figure], "records/s", counts.copy().pop(), name, best[name]))


if __name__ == "__main__":
    main()
