"""A stage that writes numbered files, run as a process by the tests of kills and locks."""

import time

from pydantic import Field

from commons.config import Config
from commons.files import write_atomic
from commons.stage import Inputs, Outcome, Stage, Work, main


class Limits(Config):
    """A nested table."""

    budget_tokens: int = Field(5, gt=0)
    """A number in a table. [tokens; ours]"""


class ToyConfig(Config):
    """Config of the toy stage."""

    seed: int = Field(0, ge=0)
    """Seed of the run. [-; ours]"""
    pages: int = Field(12, gt=0)
    """Files to write. [files; ours]"""
    pause_ms: int = Field(0, ge=0, json_schema_extra={"identity": False})
    """Pause after each file. [ms; ours]"""
    limits: Limits = Limits()


def write_pages(work: Work, config: ToyConfig, inputs: Inputs) -> Outcome:
    """Writes the pages that an earlier run has not written, and counts them."""
    for number in range(config.pages):
        path = work.folder / "pages" / f"{number:04d}.txt"
        if not path.exists():
            write_atomic(path, f"page {number} of seed {config.seed}\n" * 50)
        write_atomic(work.scratch / "last", str(number))
        time.sleep(config.pause_ms / 1000)
    return Outcome({"pages": config.pages}, f"{config.pages} pages")


STAGE = Stage(
    name="toy",
    about="writes numbered files",
    config=ToyConfig,
    run=write_pages,
    makes="toy",
    takes={"before": "toy", "notes": "file", "crawl": "toy|folder"},
)

if __name__ == "__main__":
    raise SystemExit(main(STAGE))
