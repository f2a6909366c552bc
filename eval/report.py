"""`python -m eval.report`: the evaluations of a run side by side, with its curves, corpus and sample outputs."""

from pydantic import Field

from commons.config import Config
from commons.errors import ArtifactError
from commons.files import write_atomic, write_json
from commons.stage import Inputs, Outcome, Stage, Work, main
from eval.evidence import (
    average_table,
    comparison_table,
    differs,
    grader_table,
    group_health_table,
    language_table,
    published_table,
)
from eval.figures import REINFORCEMENT, TRAINING
from eval.findings import MODELS, Findings, by_split, findings, report_json
from eval.page import Shown, page
from eval.tables import (
    curve_table,
    drop_table,
    funnel_table,
    heading,
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
    browser_questions: int = Field(10_000, ge=0)
    """Questions in the sample browser at most; the page says how many there are. [questions; ours]"""
    browser_outputs: int = Field(4, ge=1)
    """Outputs of a question by one run in the sample browser. [outputs; ours]"""
    browser_formulas: int = Field(20_000, ge=0)
    """Different formulas that are drawn; the others show their source. [formulas; ours]"""


def run(work: Work, config: ReportConfig, inputs: Inputs) -> Outcome:
    """Three files that say the same: for programs, for a terminal, for people."""
    if work.rank > 0:
        return Outcome({}, "")
    if not any(name in inputs for name in MODELS):
        raise ArtifactError(f"no evaluation is given: one of {', '.join(f'--{name}' for name in MODELS)} is needed")
    found = findings(inputs, seed=config.seed)
    report = report_json(found)
    shown = Shown(config.browser_questions, config.browser_outputs, config.browser_formulas)
    write_json(work.folder / "report.json", report)
    write_atomic(work.folder / "report.md", report_markdown(found))
    write_atomic(work.folder / "index.html", page(found, samples_per_kind=config.samples_per_kind, shown=shown))
    gain = found.gains.get("instruct to rl", {}).get("in_distribution")
    summary = sentence(found).rstrip(".")
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
        ("Beside the paper", published_table(found)),
        ("Samples", average_table(found)),
        ("By language", language_table(found)),
        ("Two runs, benchmark by benchmark", comparison_table(found)),
        ("Curves", curves),
        ("Corpus", funnel_table(found)),
        ("Dropped pages", drop_table(found)),
        ("Where the graders part", grader_table(found)),
        ("Health", health_table(found)),
        ("Beside each accuracy", group_health_table(found)),
        ("Protocol", protocol_table(found)),
        ("Inputs", input_table(found)),
    ]
    body = "".join(f"\n## {title}\n\n{markdown(table)}" for title, table in sections if table.rows)
    lines = "".join(f"\n{line}\n" for line in differs(found)) if published_table(found).rows else ""
    return f"# {heading(found)}\n\n{sentence(found)}\n{lines}{body}"


STAGE = Stage(
    name="eval.report",
    about="Report of a run: report.json, report.md and one self-contained index.html.",
    config=ReportConfig,
    run=run,
    makes="report",
    needs={},
    takes={
        **dict.fromkeys(MODELS, "evaluation"),
        "corpus": "corpus",
        "pretrain": "checkpoint",
        "sft": "checkpoint",
        "reward-model": "reward_model",
        "policy": "checkpoint",
    },
)

if __name__ == "__main__":
    raise SystemExit(main(STAGE))
