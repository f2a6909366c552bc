"""A whole run's artifacts for the report, made with the real functions from answers that are drawn, not generated."""

from pathlib import Path

from commons.files import write_json
from commons.metrics import MetricsLog
from commons.prompts import output_block
from commons.sandbox import ProgramRun
from commons.seeds import rng
from commons.shards import write_jsonl
from eval.grading import graded, result_rows, sample_row
from eval.items import Item
from eval.outputs import Answer
from tests.eval.conftest import publish

HOSTILE = "</pre><script>alert('x')</script>"
SKILL = {"base": 0.08, "instruct": 0.42, "control": 0.43, "rl": 0.55}
SAMPLES = 16


def items(in_distribution):
    found = [
        Item(f"h{n}", "in_distribution", "heldout", "cot", "en", f"What is {n}+{n}? {HOSTILE}", str(2 * n))
        for n in range(in_distribution)
    ]
    for form, language in (("pot", "en"), ("tool", "en"), ("cot", "zh")):
        found += [
            Item(
                f"{form}{language}{n}",
                "out_of_distribution",
                "taught_families",
                form,
                language,
                f"{n}加{n}是多少",
                str(2 * n),
            )
            for n in range(60)
        ]
    for family in ("ages", "long_sums"):
        found += [
            Item(f"{family}{n}", "out_of_distribution", family, "cot", "en", f"{family} {n}", str(2 * n))
            for n in range(60)
        ]
    return found


def answer(item, number, skill):
    draw = rng(0, "answer", item.id, number, skill).random()
    value = int(item.gold) if draw < skill else int(item.gold) + 1 + int(5 * draw)
    if 0.96 < draw <= 0.97:
        value = 10**60 + value  # a word that no line of a phone holds
    if draw > 0.97:
        return Answer(item.id, number, "I add and add and", False, 1, ())
    program = f"Program:\n```python\nprint({value})\n```"
    run = (ProgramRun("ok", f"{value}\n", "", 0.0),)
    if item.form == "pot":
        return Answer(item.id, number, program, True, 1, run)
    if item.form == "tool":
        return Answer(item.id, number, f"{program}\n{output_block(str(value))}So \\boxed{{{value}}}.", True, 2, run)
    return Answer(item.id, number, f"We add: {HOSTILE} So \\boxed{{{value}}}.", True, 1, ())


def evaluation(out: Path, name, in_distribution=400):
    asked = items(in_distribution)
    greedy = [graded(item, answer(item, 0, SKILL[name])) for item in asked]
    sampled = [
        graded(item, answer(item, number, SKILL[name]))
        for item in asked
        if item.split == "in_distribution" and int(item.id[1:]) < 100
        for number in range(SAMPLES)
    ]

    def write(work):
        rows = result_rows(greedy, sampled, model=name, samples=SAMPLES, seed=0)
        write_json(work.folder / "results.json", rows)
        samples = [sample_row("greedy", one) for one in greedy] + [sample_row("sampled", one) for one in sampled]
        write_jsonl(work.folder / "samples.jsonl.zst", samples)
        write_json(work.logs / "isolation.json", {"level": "L3"})

    return publish(out, "evaluation", write)


def training(out: Path, kind, curve, steps):
    def write(work):
        (work.folder / "config.json").write_text("{}")
        with MetricsLog(work.logs) as log:
            for step in range(1, steps + 1):
                log.write(step, curve(step, rng(0, "noise", step).gauss(0, 1)))

    return publish(out, kind, write)


def pretrain_curve(step, noise):
    found = {"loss": 3.2 * step**-0.25 + 0.02 * noise, "learning_rate": 1e-3, "tokens_per_second": 1e4 + noise}
    if step % 25 == 0:
        found |= {
            f"bits_per_byte/{name}": 2.4 * step**-0.12 + shift for name, shift in (("corpus", 0), ("general", 0.3))
        }
    return found


def rl_curve(step, noise):
    share = step / 150
    return {
        "reward": 0.42 + 0.2 * share + 0.03 * noise,
        "kl": 0.05 * share + 0.002 * abs(noise),
        "entropy": 0.5 - 0.2 * share,
        "frac_all_correct": 0.1 + 0.1 * share,
        "frac_all_wrong": 0.3 - 0.15 * share,
        "completions/mean_length": 24 + noise,
        "completions/clipped_ratio": 0.01,
        "parse_failure_rate": 0.02,
        "step_time": 2.0 + noise,
    }


FUNNEL = [
    {
        "step": "read",
        "pages": 3214,
        "tokens": 2_100_000,
        "dropped": {},
        "languages": {"en": 2300, "zh": 800, "other": 114},
    },
    {
        "step": "deduplicated",
        "pages": 2871,
        "tokens": 1_900_000,
        "dropped": {"same url": 118, "near-duplicate": 225},
        "languages": {"en": 2050, "zh": 720, "other": 101},
    },
    {
        "step": "recalled",
        "pages": 650,
        "tokens": 610_000,
        "dropped": {"score below the cut": 2221},
        "languages": {"en": 480, "zh": 170},
    },
    {
        "step": "decontaminated",
        "pages": 641,
        "tokens": 600_000,
        "dropped": {"quotes a benchmark": 9},
        "languages": {"en": 473, "zh": 168},
    },
]


def whole_run(folder: Path):
    """The inputs of the report by flag."""
    inputs = {name: evaluation(folder / "eval" / name, name) for name in SKILL}
    inputs["pretrain"] = training(folder / "pretrain", "checkpoint", pretrain_curve, 300)
    inputs["sft"] = training(folder / "sft", "checkpoint", lambda s, n: {"loss": 1.5 * s**-0.4 + 0.02 * n}, 200)
    inputs["policy"] = training(folder / "rl", "checkpoint", rl_curve, 150)
    inputs["reward-model"] = training(
        folder / "reward", "reward_model", lambda s, n: {"loss": 0.7 - 0.003 * s, "accuracy": 0.5 + 0.003 * s}, 100
    )
    inputs["corpus"] = publish(
        folder / "corpus", "corpus", lambda work: write_json(work.folder / "funnel.json", FUNNEL)
    )
    return inputs
