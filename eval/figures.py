"""The figures of the report: which findings go into which chart."""

from collections.abc import Mapping, Sequence

from eval.findings import Evaluation, Findings, Points, Row, curve
from eval.looks import MODEL_LOOKS, MODEL_NAMES, PLAIN, SERIES_LOOKS, SPLIT_NAMES
from eval.svg import Dot, Series, bar_chart, dot_chart, legend, line_chart, short, smoothed

# title, stage, metrics; what a stage did not write is left out
TRAINING = (
    ("pre-training loss (nats a token)", "pretrain", ("loss",)),
    ("bits per byte on held-out text", "pretrain", ("bits_per_byte/",)),
    ("SFT loss (nats a token)", "sft", ("loss",)),
    ("SFT held-out accuracy and unanswered", "sft", ("heldout/", "held_out/", "accuracy", "unanswered", "truncated")),
    ("reward model loss", "reward-model", ("loss",)),
    ("reward model accuracy", "reward-model", ("accuracy",)),
)
REINFORCEMENT = (
    ("reward", "policy", ("reward",)),
    ("held-out questions: pass@1, maj@K, unanswered", "policy", ("held_out/",)),
    ("KL to the reference, Eq. 4 (nats a token)", "policy", ("kl",)),
    ("groups without signal", "policy", ("frac_all_correct", "frac_all_wrong")),
    ("entropy (nats a token)", "policy", ("entropy",)),
    ("output length (tokens)", "policy", ("completions/mean_length",)),
    ("outputs cut by length, answers not read", "policy", ("completions/clipped_ratio", "parse_failure_rate")),
)


def accuracy_figure(evaluations: Mapping[str, Evaluation]) -> str:
    """Greedy accuracy of each model on each benchmark and setting: dots with 95% whiskers."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for one in evaluations.values():
        for row in one.rows:
            groups.setdefault((row["split"], row["benchmark"], row["setting"]), []).append(row)
    rows = [
        (f"{benchmark.replace('_', ' ')}, {setting}", f"n {members[0]['n']:,}", [_dot(row) for row in members])
        for (_, benchmark, setting), members in groups.items()
    ]
    return dot_chart(rows, title="greedy accuracy by benchmark and setting")


def split_figure(rows: Sequence[Row]) -> str:
    """Greedy accuracy over each whole split."""
    splits = list(dict.fromkeys(row["split"] for row in rows))
    drawn = []
    for split in splits:
        members = [row for row in rows if row["split"] == split]
        drawn.append((SPLIT_NAMES[split], f"n {members[0]['n']:,}", [_dot(row) for row in members]))
    return dot_chart(drawn, title="greedy accuracy by split")


def _dot(row: Row) -> Dot:
    low, high = row["ci95"]
    title = f"{row['model']} {100 * row['accuracy']:.1f}% [{100 * low:.1f}, {100 * high:.1f}]"
    return Dot(MODEL_LOOKS[row["model"]], row["accuracy"], low, high, title)


def model_legend(evaluations: Mapping[str, Evaluation]) -> str:
    """What each model looks like in all figures."""
    return legend((MODEL_NAMES[name], MODEL_LOOKS[name]) for name in evaluations)


def k_figures(evaluations: Mapping[str, Evaluation]) -> list[str]:
    """Figure 7: majority vote and pass rate against K, for each benchmark and setting that was sampled."""
    found = []
    first = next(iter(evaluations.values()))
    for row in first.rows:
        if not row["pass_at_k"]:
            continue
        key = (row["split"], row["benchmark"], row["setting"])
        for measure, name in (("maj_at_k", "maj@K"), ("pass_at_k", "pass@K")):
            series = [
                Series(MODEL_NAMES[model], MODEL_LOOKS[model], _k_points(matching[measure]))
                for model, one in evaluations.items()
                if (matching := _row_of(one, key)) and matching[measure]
            ]
            title = f"{name}: {row['benchmark'].replace('_', ' ')}, {row['setting']} (n {row['sampled_n']:,})"
            found.append(line_chart(series, title=title, x_name="K, outputs of a question", by_k=True))
    return found


def _row_of(one: Evaluation, key: tuple[str, str, str]) -> Row | None:
    return next((row for row in one.rows if (row["split"], row["benchmark"], row["setting"]) == key), None)


def _k_points(values: Mapping[str, float]) -> Points:
    return tuple(sorted((float(k), value) for k, value in values.items()))


def curve_figures(found: Findings, wanted: Sequence[tuple[str, str, tuple[str, ...]]]) -> list[tuple[str, list[str]]]:
    """Small charts of training curves with the names of their lines; a long noisy line is shown with its mean."""
    charts = []
    for title, stage, names in wanted:
        lines = curve(found.curves, stage, names)
        lines = {name: points for name, points in lines.items() if len(points) > 1}
        if not lines:
            continue
        series = []
        for number, (name, points) in enumerate(lines.items()):
            look = SERIES_LOOKS[number % len(SERIES_LOOKS)]
            window = max(1, len(points) // 25)
            if window > 1:
                series.append(Series(name, look, points, faint=True))
            series.append(Series(name, look, smoothed(points, window)))
        charts.append((line_chart(series, title=title, x_name="step"), list(lines)))
    return charts


def line_legend(names: Sequence[str]) -> str:
    """Which line is which metric."""
    words = [name.rpartition("/")[2].replace("_", " ") for name in names]
    return legend((word, SERIES_LOOKS[number % len(SERIES_LOOKS)]) for number, word in enumerate(words))


def funnel_figure(funnel: Sequence[Row]) -> str:
    """Pages left after each step of the corpus stage, and their tokens."""
    bars = [(str(row["step"]), float(row["pages"]), _funnel_note(row)) for row in funnel]
    return bar_chart(bars, title="pages after each step", look=PLAIN)


def _funnel_note(row: Row) -> str:
    tokens = f", {short(row['tokens'])} tokens" if row.get("tokens") else ""
    return f"{row['pages']:,} pages{tokens}"
