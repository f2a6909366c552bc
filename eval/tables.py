"""The tables of the report as plain text cells, for the page and for report.md alike."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from commons.config import fields_of
from eval.config import EvalConfig
from eval.findings import Evaluation, Findings, Row, by_split, curve
from eval.grading import total_health
from eval.looks import SPLIT_NAMES
from eval.significance import Paired

HEALTH = ("no_answer", "unparsed_answer", "truncated", "timed_out", "ungradable_gold", "grader_error")
PROGRAMS = ("programs", "programs_failed", "programs_timed_out", "programs_without_sandbox")


@dataclass(frozen=True, slots=True)
class Table:
    """Head and rows of text; the first `texts` columns are words, the others numbers."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int


def markdown(table: Table) -> str:
    """The table in Markdown; pipes of a cell are escaped."""
    if not table.rows:
        return ""
    align = ["---" if place < table.texts else "---:" for place in range(len(table.head))]
    return "".join(f"| {' | '.join(_cell(cell) for cell in row)} |\n" for row in (table.head, align, *table.rows))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def percent(share: float | None) -> str:
    """A share as a percentage with one digit after the point; a dash where nothing was graded."""
    return "-" if share is None else f"{100 * share:.1f}"


def interval(bounds: Sequence[float] | None, *, signed: bool = False) -> str:
    """An interval of shares in percent."""
    if bounds is None:
        return ""
    low, high = (f"{100 * bound:+.1f}" if signed else percent(bound) for bound in bounds)
    return f"[{low}, {high}]"


def heading(found: Findings) -> str:
    """The heading: a whole recipe, or any evaluations."""
    return "What each stage bought" if {"instruct", "rl"} <= found.evaluations.keys() else "Evaluation"


def sentence(found: Findings) -> str:
    """What RL bought, or what two runs differ by, or what one run reached, in one sentence."""
    gains = found.gains.get("instruct to rl") or found.gains.get("run to other") or {}
    if not gains:
        parts = [f"{SPLIT_NAMES[row['split']]} {percent(row['accuracy'])}%" for row in by_split(found.after)]
        return f"Accuracy of {found.after.name}: {', '.join(parts) or 'nothing was graded'}."
    parts = [
        f"{SPLIT_NAMES[split]} {percent(gain.before)}% to {percent(gain.after)}%, a paired gain of "
        f"{100 * gain.gain:+.1f} points {interval(gain.ci95, signed=True)} on {gain.n:,} questions"
        for split, gain in gains.items()
    ]
    moved = "Reinforcement learning moved" if "instruct to rl" in found.gains else "From the run to the other went"
    return f"{moved} greedy accuracy {'; '.join(parts)}."


def split_table(rows: Sequence[Row]) -> Table:
    """Accuracy of each model over each split."""
    return Table(
        ("split", "model", "accuracy %", "95% interval", "n"),
        tuple(
            (SPLIT_NAMES[row["split"]], row["model"], percent(row["accuracy"]), interval(row["ci95"]), f"{row['n']:,}")
            for row in sorted(rows, key=lambda row: str(row["split"]))
        ),
        texts=2,
    )


def paired_table(found: Findings) -> Table:
    """Gains by question, with the changed questions and the exact McNemar p."""
    return Table(
        ("comparison", "split", "gain, points", "paired 95% interval", "gained", "lost", "n", "McNemar p"),
        tuple(
            (pair, SPLIT_NAMES[split], f"{100 * gain.gain:+.1f}", interval(gain.ci95, signed=True), *flips(gain))
            for pair, splits in found.gains.items()
            for split, gain in splits.items()
        ),
        texts=2,
    )


def p_value(p: float) -> str:
    """Two digits; a p too small for a float is no zero."""
    return f"{p:.2g}" if p > 0 else "< 1e-300"


def flips(gain: Paired) -> tuple[str, ...]:
    """Changed questions, questions and p of a comparison."""
    return f"{gain.gained:,}", f"{gain.lost:,}", f"{gain.n:,}", p_value(gain.p)


def result_table(found: Findings) -> Table:
    """One row for each model, benchmark and setting, with votes and pass rates at the largest K."""
    rows = [row for one in found.evaluations.values() for row in one.rows]
    order = {key: place for place, key in enumerate(dict.fromkeys(place_of(row) for row in rows))}
    rows.sort(key=lambda row: order[place_of(row)])
    return Table(
        ("benchmark", "setting", "model", "accuracy %", "95% interval", "n", "maj@K %", "pass@K %", "K"),
        tuple(
            (
                row["benchmark"].replace("_", " "),
                row["setting"],
                row["model"],
                percent(row["accuracy"]),
                interval(row["ci95"]),
                f"{row['n']:,}",
                *_at_largest_k(row),
            )
            for row in rows
        ),
        texts=3,
    )


def place_of(row: Row) -> tuple[str, str, str]:
    """Split, benchmark and setting."""
    return row["split"], row["benchmark"], row["setting"]


def _at_largest_k(row: Row) -> tuple[str, str, str]:
    if not row["pass_at_k"]:
        return "", "", ""
    k = max(row["pass_at_k"], key=int)
    return percent(row["maj_at_k"][k]), percent(row["pass_at_k"][k]), k


def counted(health: Mapping[str, int], name: str) -> str:
    """One count; a dash where an older evaluation did not count it."""
    return f"{health[name]:,}" if name in health else "–"


def health_table(found: Findings) -> Table:
    """Counts over the greedy answers of each model."""

    def cells(one: Evaluation) -> tuple[str, ...]:
        health = total_health(one.rows)
        return one.name, one.isolation, *(counted(health, name) for name in (*HEALTH, *PROGRAMS))

    names = [name.replace("_", " ") for name in (*HEALTH, *PROGRAMS)]
    return Table(("model", "programs isolated at", *names), tuple(map(cells, found.evaluations.values())), texts=2)


def funnel_table(found: Findings) -> Table:
    """Pages and tokens after each step, Chinese apart."""
    languages = sorted({name for row in found.funnel for name in row.get("languages", {})}, key=_language_order)
    return Table(
        ("step", "pages", "tokens", *(f"pages, {name}" for name in languages)),
        tuple(
            (
                str(row["step"]),
                f"{row['pages']:,}",
                f"{row.get('tokens') or 0:,}",
                *(f"{row.get('languages', {}).get(name, 0):,}" for name in languages),
            )
            for row in found.funnel
        ),
        texts=1,
    )


def _language_order(name: str) -> tuple[bool, str]:
    return name == "other", name


def drop_table(found: Findings) -> Table:
    """What each step dropped, by reason."""
    return Table(
        ("step", "dropped because", "pages"),
        tuple(
            (str(row["step"]), reason, f"{count:,}")
            for row in found.funnel
            for reason, count in Counter(row.get("dropped") or {}).most_common()
        ),
        texts=2,
    )


def curve_table(found: Findings, wanted: Iterable[tuple[str, str, tuple[str, ...]]]) -> Table:
    """First and last value of each curve that is drawn."""
    return Table(
        ("stage", "metric", "first", "last", "steps"),
        tuple(
            (stage, name, f"{points[0][1]:.4g}", f"{points[-1][1]:.4g}", f"{points[-1][0]:,.0f}")
            for _, stage, names in wanted
            for name, points in curve(found.curves, stage, names).items()
        ),
        texts=2,
    )


def protocol_table(found: Findings) -> Table:
    """How the models were asked, beside the defaults: the paper's values wherever it states one."""
    manifest = found.after.artifact.manifest
    given = manifest.plan.config if manifest else {}
    rows = []
    for key, field in fields_of(EvalConfig):
        table, _, leaf = key.rpartition(".")
        value = (given.get(table, {}) if table else given).get(leaf)
        if value is not None and key not in ("label", "seed"):
            source = (field.description or "").rpartition(";")[2].strip(" ]")
            rows.append((key, source, str(value), str(field.default)))
    return Table(("setting", "source of the default", "here", "default"), tuple(rows), texts=2)


def input_table(found: Findings) -> Table:
    """The digests of all inputs and the hashes of the protocols: two reports with the same ones are the same report."""
    protocols = tuple(
        (f"protocol of {name}: {one.protocol['name']}", str(one.protocol["hash"]))
        for name, one in found.evaluations.items()
        if one.protocol
    )
    return Table(("input", "digest"), (*found.digests.items(), *protocols), texts=2)
