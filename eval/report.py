"""`python -m eval.report`: the evaluations of a run side by side, with its curves, corpus and sample outputs."""

from pydantic import Field

from commons.config import Config
from commons.files import write_atomic, write_json
from commons.stage import Inputs, Outcome, Stage, Work, main
from eval.figures import REINFORCEMENT, TRAINING
from eval.findings import Findings, by_split, findings, report_json
from eval.page import page
from eval.tables import (
    curve_table,
    drop_table,
    funnel_table,
    health_table,
    input_table,
    markdown,
    paired_table,
    protocol_table,
    result_table,
    sentence,
    split_table,
)


class ReportConfig(Config):
    """What the report shows."""

    seed: int = Field(0, ge=0)
    """Seed of the paired bootstrap. [-; ours]"""
    samples_per_kind: int = Field(2, ge=0)
    """Questions shown of each setting and change from instruct to rl. [questions; ours]"""


def run(work: Work, config: ReportConfig, inputs: Inputs) -> Outcome:
    """Three files that say the same: for programs, for a terminal, for people."""
    if work.rank > 0:
        return Outcome({}, "")
    found = findings(inputs, seed=config.seed)
    report = report_json(found)
    write_json(work.folder / "report.json", report)
    write_atomic(work.folder / "report.md", report_markdown(found))
    write_atomic(work.folder / "index.html", page(found, samples_per_kind=config.samples_per_kind))
    gain = found.gains["instruct to rl"].get("in_distribution")
    summary = "no in-distribution questions"
    if gain is not None:
        low, high = (100 * bound for bound in gain.ci95)
        summary = f"rl over instruct {100 * gain.gain:+.1f} points [{low:+.1f}, {high:+.1f}] in distribution"
    return Outcome({"results": len(report["results"])}, f"{summary}, {len(report['results'])} rows, index.html")


def report_markdown(found: Findings) -> str:
    """The tables of the report in Markdown."""
    rows = [row for one in found.evaluations.values() for row in by_split(one)]
    curves = curve_table(found, (*REINFORCEMENT, *TRAINING))
    sections = [
        ("Accuracy", split_table(rows)),
        ("Paired gains", paired_table(found)),
        ("By benchmark and setting", result_table(found)),
        ("Curves", curves),
        ("Corpus", funnel_table(found)),
        ("Dropped pages", drop_table(found)),
        ("Health", health_table(found)),
        ("Protocol", protocol_table(found)),
        ("Inputs", input_table(found)),
    ]
    body = "".join(f"\n## {title}\n\n{markdown(table)}" for title, table in sections if table.rows)
    return f"# What each stage bought\n\n{sentence(found)}\n{body}"


STAGE = Stage(
    name="eval.report",
    about="Report of a run: report.json, report.md and one self-contained index.html.",
    config=ReportConfig,
    run=run,
    makes="report",
    needs={"base": "evaluation", "instruct": "evaluation", "rl": "evaluation"},
    takes={
        "control": "evaluation",
        "corpus": "corpus",
        "pretrain": "checkpoint",
        "sft": "checkpoint",
        "reward-model": "reward_model",
        "policy": "checkpoint",
    },
)

if __name__ == "__main__":
    raise SystemExit(main(STAGE))
