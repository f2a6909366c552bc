"""The report as one HTML file: figures first, tables under them, then every sample. Model text is hostile: all of it
is escaped, nothing is loaded from outside, and no script runs but that of the sample browser (`browser.policy`)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from eval.browser import browser, policy, visible
from eval.browser import style as browser_style
from eval.evidence import (
    average_table,
    comparison_table,
    differs,
    grader_table,
    group_health_table,
    language_table,
    parted_table,
    published_table,
)
from eval.figures import (
    REINFORCEMENT,
    TRAINING,
    accuracy_figure,
    curve_figures,
    funnel_figure,
    k_figures,
    line_legend,
    model_legend,
    split_figure,
)
from eval.findings import Findings, Row, by_split, change, shown_samples
from eval.looks import PAPER, SPLIT_NAMES
from eval.tables import (
    Table,
    curve_table,
    drop_table,
    funnel_table,
    heading,
    health_table,
    input_table,
    paired_table,
    protocol_table,
    result_table,
    sentence,
    split_table,
)

OUTPUT_SHOWN, PRINTED_SHOWN = 1500, 300  # characters of an output, of what a program printed
PARTED_SHOWN = 20  # outputs of each run on which the graders part


@dataclass(frozen=True, slots=True)
class Shown:
    """What the sample browser holds at most: questions, outputs of a question by one run, formulas that are drawn."""

    questions: int
    outputs: int
    formulas: int


STYLE = """
:root{color-scheme:light}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI","Noto Sans","Noto Sans CJK SC",sans-serif;color:#24292f;
margin:0 auto;max-width:1100px;padding:32px 24px 80px;background:#fff}
h1{font-size:26px;margin:0 0 4px}h2{font-size:19px;margin:44px 0 6px;padding-top:14px;border-top:2px solid #24292f}
h3{font-size:15px;margin:22px 0 4px}p,summary{overflow-wrap:anywhere}
p{margin:6px 0 12px;max-width:80ch}.lead{font-size:17px}
.grid{display:flex;flex-wrap:wrap;gap:14px}.grid figure{margin:0;width:340px}figure{margin:8px 0}
svg{max-width:100%;height:auto;display:block}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:13px;margin:10px 0 18px;font-variant-numeric:tabular-nums}
th{font-weight:600;text-align:left;border-bottom:1.5px solid #24292f}th,td{padding:3px 14px 3px 0;vertical-align:top}
td{border-bottom:1px solid #e3e6ea}td.n,th.n{text-align:right}td.n{white-space:nowrap}
details{margin:6px 0;border:1px solid #d9dde2;border-radius:6px;padding:6px 12px}summary{cursor:pointer}
.outputs{display:grid;grid-template-columns:repeat(auto-fit,minmax(225px,1fr));gap:12px;margin:8px 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:12.5px/1.45 ui-monospace,Menlo,Consolas,monospace;
background:#f6f7f9;padding:8px 10px;border-radius:4px;margin:4px 0}
.verdict{display:inline-block;font-size:12px;padding:0 8px;border-radius:9px;border:1.5px solid #24292f}
.correct{background:#24292f;color:#fff}.small{color:#57606a;font-size:13px}
nav a{margin-right:16px;display:inline-block}
@media(max-width:600px){body{padding:16px 12px 60px}figure{overflow-x:auto}
figure>svg{min-width:600px}.grid figure{width:100%}.grid svg{min-width:0}}
@media print{details{break-inside:avoid}}
"""


def page(found: Findings, *, samples_per_kind: int, shown: Shown) -> str:
    """The whole file."""
    sections = [
        ("accuracy", "Accuracy", _accuracy(found)),
        ("paper", "Beside the paper", _beside_the_paper(found)),
        ("votes", "Majority vote and pass rate", _votes(found)),
        ("rl", "Reinforcement learning", _curves(found, REINFORCEMENT)),
        ("training", "Training", _curves(found, TRAINING)),
        ("corpus", "Corpus", _corpus(found)),
        ("samples", "Outputs and their verdicts", _samples(found, samples_per_kind)),
        ("browse", "All outputs", _browse(found, shown)),
        ("graders", "Where the graders part", _graders(found)),
        ("health", "What else went wrong", _health(found)),
        ("inputs", "How and from what this was measured", render(protocol_table(found)) + render(input_table(found))),
    ]
    present = [(name, title, body) for name, title, body in sections if body]
    links = "".join(f'<a href="#{name}">{escape(title)}</a>' for name, title, _ in present)
    bodies = "".join(f'<h2 id="{name}">{escape(title)}</h2>{body}' for name, title, body in present)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy()}">'
        f"<title>DeepSeekMath recipe: report</title><style>{STYLE}{browser_style()}</style></head><body>"
        f"<h1>{heading(found)}</h1><p class='lead'>{escape(sentence(found))}</p><nav>{links}</nav>{bodies}"
        "</body></html>\n"
    )


def render(table: Table) -> str:
    """A table; nothing for one without rows. Columns after the first `table.texts` hold numbers."""
    if not table.rows:
        return ""

    def cells(values: Iterable[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=n' if place >= table.texts else ''}>{escape(visible(value))}</{tag}>"
            for place, value in enumerate(values)
        )

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in table.rows)
    head = f"<thead><tr>{cells(table.head, 'th')}</tr></thead>"
    return f"<div class=wide><table>{head}<tbody>{body}</tbody></table></div>"


def _figure(svg: str) -> str:
    return f"<figure>{svg}</figure>" if svg else ""


def _accuracy(found: Findings) -> str:
    rows = [row for one in found.evaluations.values() for row in by_split(one)]
    recipe = {"instruct", "rl"} <= found.evaluations.keys()
    paper = Table(
        ("paper, 7B (table 5)", "split there", "instruct", "rl", "gain"),
        tuple((name, split, f"{a:.1f}", f"{b:.1f}", f"{b - a:+.1f}") for name, split, a, b in PAPER),
        texts=2,
    )
    return (
        "<p>Greedy outputs. The whiskers are 95% Wilson intervals of each accuracy alone; whether two models differ is "
        "read from the paired table, which compares them question by question.</p>"
        + _figure(model_legend(found.evaluations))
        + _figure(split_figure(rows))
        + render(split_table(rows))
        + _under("Paired gains", render(paired_table(found)))
        + "<h3>By benchmark and setting</h3>"
        + _figure(accuracy_figure(found.evaluations))
        + render(result_table(found))
        + _under("Samples", render(average_table(found)))
        + _under("By language", render(language_table(found)))
        + _under("Two runs, benchmark by benchmark", _many(render(comparison_table(found))))
        + ("<h3>The paper's own models, for comparison of the gains</h3>" + render(paper) if recipe else "")
    )


def _under(title: str, body: str) -> str:
    return f"<h3>{escape(title)}</h3>{body}" if body else ""


def _many(table: str) -> str:
    note = (
        "<p class=small>Many comparisons at once: the p value by Holm is the one to read. `detectable` is the smallest "
        "gain that this many questions show four times in five.</p>"
    )
    return table and note + table


def _beside_the_paper(found: Findings) -> str:
    table = render(published_table(found))
    lines = "".join(f"<p class=small>{escape(line)}</p>" for line in differs(found))
    return table and lines + table


def _browse(found: Findings, shown: Shown) -> str:
    note = (
        "<p>Every question with what each run wrote. Choose a second run to see them side by side, and the questions "
        "on which they part; search looks into questions, answers and outputs.</p>"
    )
    return note + browser(found.evaluations, questions=shown.questions, outputs=shown.outputs, formulas=shown.formulas)


def _graders(found: Findings) -> str:
    counts = render(grader_table(found))
    return counts and (
        "<p>Every output is graded twice: by the rules of the official evaluation, so that figures can be compared "
        "with the paper's, and by our strict grader. The first outputs on which they part:</p>"
        + counts
        + render(parted_table(found, most=PARTED_SHOWN))
    )


def _votes(found: Findings) -> str:
    figures = "".join(map(_figure, k_figures(found.evaluations)))
    if not figures:
        return ""
    return (
        "<p>As in figure 7 of the paper: the share of questions whose most frequent answer is correct (maj@K), and the "
        "chance that one of K outputs is (pass@K, unbiased). The paper finds that RL lifts the first, not the second."
        f"</p>{_figure(model_legend(found.evaluations))}<div class=grid>{figures}</div>"
    )


def _curves(found: Findings, wanted: Sequence[tuple[str, str, tuple[str, ...]]]) -> str:
    charts = curve_figures(found, wanted)
    if not charts:
        return ""
    figures = "".join(f"<figure>{svg}{line_legend(names) if len(names) > 1 else ''}</figure>" for svg, names in charts)
    outside = "<p class=small>From logs/metrics.jsonl of each stage, which its digest does not cover.</p>"
    return f"{outside}<div class=grid>{figures}</div>{render(curve_table(found, wanted))}"


def _corpus(found: Findings) -> str:
    if not found.funnel:
        return ""
    return _figure(funnel_figure(found.funnel)) + render(funnel_table(found)) + render(drop_table(found))


def _samples(found: Findings, per_kind: int) -> str:
    blocks = [_sample(models) for models in shown_samples(found.evaluations, per_kind)]
    if not blocks:
        return ""
    note = (
        "<p>The first questions of each setting and change from instruct to rl, in the order of the file, not chosen "
        "by how they look.</p>"
    )
    return note + "".join(blocks)


def _sample(models: Mapping[str, Row]) -> str:
    row = models["rl"]
    where = f"{SPLIT_NAMES[row['split']]}, {row['benchmark'].replace('_', ' ')}, {row['setting']}"
    outputs = "".join(f"<div>{_output(name, one)}</div>" for name, one in models.items())
    return (
        f"<details{' open' if change(models) == 'gained' else ''}><summary><b>{change(models)}</b> "
        f"<span class=small>{escape(where)}</span> {escape(visible(row['question'][:160]))}</summary>"
        f"<pre>{escape(visible(row['question']))}</pre><p class=small>gold: {escape(visible(row['gold']))}</p>"
        f"<div class=outputs>{outputs}</div></details>"
    )


def _output(name: str, row: Row) -> str:
    kind = "correct" if row["verdict"] == "correct" else "not"
    programs = "".join(
        f"<p class=small>program: {escape(run['status'])}</p>"
        f"<pre>{escape(visible((run['stdout'] or run['error'])[-PRINTED_SHOWN:]))}</pre>"
        for run in row["programs"]
    )
    return (
        f"<b>{escape(name)}</b> <span class='verdict {kind}'>{escape(row['verdict'])}</span>"
        f"<p class=small>{escape(visible(row['reason']))}{'' if row['finished'] else '; cut by the length limit'}</p>"
        f"<pre>{escape(visible(row['output'][:OUTPUT_SHOWN]))}</pre>{programs}"
    )


def _health(found: Findings) -> str:
    return (
        "<p>Greedy answers that are not correct, by verdict, and what happened to the programs that the models wrote. "
        "An ungradable gold answer is a fault of the data, not of the model. At which level programs were "
        "isolated is a fact of the machine, from logs/isolation.json, which no digest covers.</p>"
        + render(health_table(found))
        + _under("Beside each accuracy", render(group_health_table(found)))
    )
