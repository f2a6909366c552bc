"""Run by the python of `.venv-bench/trafilatura`: JSON lines {id, html} on stdin -> {id, text}, then {seconds}.

The time is processor time of one pass over all pages, taken after a first pass that warms caches up.
"""

import json
import sys
import time

import trafilatura


def main() -> None:
    """Writes the text of every page, then the time of a second pass."""
    rows = [json.loads(line) for line in sys.stdin]
    for row in rows:
        print(json.dumps({"id": row["id"], "text": trafilatura.extract(row["html"]) or ""}))
    start = time.process_time()
    for row in rows:
        trafilatura.extract(row["html"])
    print(json.dumps({"seconds": time.process_time() - start}))


if __name__ == "__main__":
    main()
