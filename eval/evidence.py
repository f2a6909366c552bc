"""What stands beside the accuracies so that others can believe them: the paper's, many comparisons, health, graders."""

from collections.abc import Sequence

from eval.browser import disagreements
from eval.findings import Evaluation, Findings, Row
from eval.graders import NOT_GRADED
from eval.published import differences, published
from eval.significance import Paired, correct_by_id, paired
from eval.statistics import average_over_n, cluster_interval, holm, smallest_detectable
from eval.tables import Table, counted, flips, interval, p_value, percent, place_of
from eval.voting import wilson


def published_table(found: Findings) -> Table:
    """Ours beside the paper's own 7B models, benchmark by benchmark, where the paper has the benchmark and setting."""
    rows = []
    for one in found.evaluations.values():
        few_shot = is_few_shot(one)
        for row in one.rows:
            for theirs in published(row["benchmark"], row["setting"], few_shot=few_shot):
                ours = row.get("accuracy")
                gap = "" if ours is None else f"{100 * ours - theirs.percent:+.1f}"
                place = (row["benchmark"].replace("_", " "), row["setting"], one.name)
                shares = (percent(ours), interval(row.get("ci95")), f"{row['n']:,}", f"{theirs.percent:.1f}", gap)
                rows.append((*place, f"{theirs.model}, {theirs.table}", *shares))
    head = ("benchmark", "setting", "ours", "the paper's", "ours %", "95% interval", "n", "paper %", "difference")
    return Table(head, tuple(rows), texts=4)


def differs(found: Findings) -> list[str]:
    """For each evaluation one line: in what its figures were not measured as the paper's were."""
    lines = []
    for one in found.evaluations.values():
        parts = differences(one.protocol, few_shot=is_few_shot(one), parameters=found.parameters)
        lines.append(f"{one.name} differs from the paper by: {'; '.join(parts) or 'nothing that is known'}.")
    return lines


def is_few_shot(one: Evaluation) -> bool | None:
    """Whether the questions stood behind solved examples; None for an evaluation that does not say."""
    said = {bool(row["few_shot"]) for row in one.samples if "few_shot" in row}
    return any(said) if said else None


def comparison_table(found: Findings) -> Table:
    """The two last runs benchmark by benchmark: paired gain, exact p, p by Holm over all, what could have been seen."""
    runs = list(found.evaluations.values())
    if len(runs) < 2 or not found.gains:
        return Table((), (), texts=0)
    before, after = found.evaluations.get("instruct", runs[-2]), runs[-1]
    groups = [key for key in map(place_of, after.rows) if key in set(map(place_of, before.rows))]
    compared = [(key, one) for key in groups if (one := _paired_group(before, after, key)) is not None]
    adjusted = holm([one.p for _, one in compared])
    rows = []
    for ((_, benchmark, setting), one), p in zip(compared, adjusted, strict=True):
        seen = smallest_detectable(one.n, one.before, discordant=(one.gained + one.lost) / one.n)
        place = (f"{before.name} to {after.name}", benchmark.replace("_", " "), setting)
        gain = (f"{100 * one.gain:+.1f}", interval(one.ci95, signed=True))
        rows.append((*place, *gain, *flips(one), p_value(p), f"{100 * seen:.1f}"))
    head = ("comparison", "benchmark", "setting", "gain, points", "paired 95% interval", "gained", "lost", "n")
    return Table((*head, "McNemar p", "p by Holm", "detectable, points"), tuple(rows), texts=3)


def _paired_group(before: Evaluation, after: Evaluation, key: tuple[str, str, str]) -> Paired | None:
    def rows(one: Evaluation) -> list[Row]:
        return [row for row in graded_rows(one.greedy()) if place_of(row) == key]

    first, second = correct_by_id(rows(before), key[0]), correct_by_id(rows(after), key[0])
    if not first or first.keys() != second.keys():
        return None
    return paired(first, second, seed=0)


def graded_rows(samples: Sequence[Row]) -> list[Row]:
    """Those that have a verdict: what nobody checked is neither right nor wrong."""
    return [row for row in samples if row["verdict"] != NOT_GRADED]


def average_table(found: Findings) -> Table:
    """avg@n of what was sampled n times, with the interval that draws questions and not samples."""
    rows = []
    for one in found.evaluations.values():
        drawn: dict[tuple[str, str, str], dict[str, list[bool]]] = {}
        for row in one.samples:
            if row["mode"] == "sampled" and row["verdict"] != NOT_GRADED:
                drawn.setdefault(place_of(row), {}).setdefault(row["id"], []).append(row["verdict"] == "correct")
        for (_, benchmark, setting), correct in drawn.items():
            n = min(map(len, correct.values()))
            bounds = interval(cluster_interval(correct, seed=0))
            mean = percent(average_over_n(correct))
            rows.append((benchmark.replace("_", " "), setting, one.name, mean, bounds, f"{n}", f"{len(correct):,}"))
    return Table(
        ("benchmark", "setting", "model", "avg@n %", "95% by question", "n", "questions"), tuple(rows), texts=3
    )


def language_table(found: Findings) -> Table:
    """Accuracy by language, over all benchmarks and settings of a run."""
    rows = []
    for one in found.evaluations.values():
        by_language: dict[str, list[bool]] = {}
        for row in graded_rows(one.answers()):
            language = "zh" if str(row["setting"]).endswith("-zh") else "en"
            by_language.setdefault(language, []).append(row["verdict"] == "correct")
        for language, correct in sorted(by_language.items()):
            bounds = interval(wilson(sum(correct), len(correct)))
            rows.append((language, one.name, percent(sum(correct) / len(correct)), bounds, f"{len(correct):,}"))
    return Table(("language", "model", "accuracy %", "95% interval", "n"), tuple(rows), texts=2)


def group_health_table(found: Findings) -> Table:
    """What went wrong beside each accuracy, and how often the corpus quoted the benchmark before it was cleaned."""
    names = ("no_answer", "truncated", "timed_out", "ungradable_gold", "grader_error", "not_graded", "failed")
    rows = []
    for one in found.evaluations.values():
        for row in one.rows:
            health = row["health"]
            pages = (found.contamination or {}).get(row["benchmark"])
            hits = "not compared" if pages is None else f"{pages:,}"
            place = (row["benchmark"].replace("_", " "), row["setting"], one.name, one.isolation)
            counts = (counted(health, name) for name in names)
            rows.append((*place, percent(row.get("accuracy")), *counts, hits))
    head = ("benchmark", "setting", "model", "isolated at", "accuracy %", *(name.replace("_", " ") for name in names))
    return Table((*head, "corpus hits"), tuple(rows), texts=4)


def grader_table(found: Findings) -> Table:
    """Where the official grader and ours part: how many outputs each counts as correct and the other does not."""
    rows = []
    for one in found.evaluations.values():
        parted = disagreements(one.samples)
        only_paper = sum(row["paper_verdict"] == "correct" for row in parted)
        both = (f"{len(one.samples):,}", f"{len(parted):,}", f"{only_paper:,}", f"{len(parted) - only_paper:,}")
        if any("paper_verdict" in row for row in one.samples):
            rows.append((one.name, *both))
    return Table(
        ("model", "outputs", "parted", "correct for the official grader alone", "for ours alone"), tuple(rows), 1
    )


def parted_table(found: Findings, *, most: int) -> Table:
    """The first outputs on which the graders part, with both reasons."""
    rows = []
    for one in found.evaluations.values():
        for row in disagreements(one.samples)[:most]:
            given = (str(row["gold"])[:60], str(row.get("strict_answer"))[:60], f"{row.get('strict_verdict')}")
            rows.append(
                (one.name, row["id"], *given, f"{row.get('paper_verdict')}", str(row.get("strict_reason"))[:120])
            )
    head = ("model", "question", "gold", "our reading of the answer", "ours", "official", "our reason")
    return Table(head, tuple(rows), texts=7)
