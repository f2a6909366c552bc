"""The stage `sft.questions`: questions with worked solutions for SFT, without them for RL, and the held-out ones.

No question stands in two splits, in whatever language or form: the fixed SFT set is finite (section 3.1), RL asks
fresh questions of the same families (section 4.2), and what is held out was never seen by either.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from pydantic import Field

from commons.config import Config
from commons.equivalence import grade
from commons.errors import ConfigError
from commons.prompts import programs
from commons.sandbox import Limits, run_programs
from commons.seeds import rng
from commons.shards import write_jsonl
from commons.stage import Inputs, Outcome, Stage, Work, main
from commons.verdicts import Verdict
from sft.families import TAUGHT
from sft.files import stage_for
from sft.other_families import UNTAUGHT
from sft.problems import Family, Problem, Sizes, solution

Row = dict[str, Any]

# a family that cannot give one new question in so many draws has no more to give at these sizes
DRAWS_PER_QUESTION = 200


class QuestionsConfig(Config):
    """How many questions of each kind, and how large their numbers are."""

    seed: int = Field(0, ge=0)
    """Seed of every draw. [-; ours]"""
    sft_cot: int = Field(3000, ge=1)
    """English chain-of-thought solutions in the SFT set. [questions; section 3.1]"""
    sft_brief: float = Field(0.0, ge=0, le=1)
    """Share of the chain-of-thought solutions of `brief_families` that are the answer without steps. [-; ours]"""
    brief_families: tuple[str, ...] = ("comparison", "unit_price", "change")
    """Families whose solutions in the SFT set are mostly brief, as sources of real sets differ in manner. [-; ours]"""
    sft_pot: int = Field(200, ge=0)
    """English program-of-thought solutions in the SFT set. [questions; section 3.1]"""
    sft_tool: int = Field(200, ge=0)
    """English tool-integrated solutions in the SFT set. [questions; section 3.1]"""
    sft_chinese: int = Field(300, ge=0)
    """Chinese chain-of-thought solutions in the SFT set. [questions; section 3.1]"""
    rl: int = Field(2000, ge=1)
    """Fresh questions for RL, English chain of thought, no solutions. [questions; section 4.2]"""
    heldout: int = Field(2000, ge=1)
    """Held-out questions of the taught families. [questions; ours]"""
    out_of_family: int = Field(250, ge=1)
    """Questions of each of: families never taught, programs, tool-integrated, Chinese. [questions; ours]"""
    terms: int = Field(30, ge=5)
    """Largest term of a sum. [-; ours]"""
    factors: int = Field(9, ge=4)
    """Largest factor of a product. [-; ours]"""
    workers: int = Field(2, ge=1, json_schema_extra={"identity": False})
    """Programs checked at a time. [processes; ours]"""


class Draw:
    """Distinct problems: what was given once, in whatever split, is not given again."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.given: set[str] = set()

    def take(self, stream: Random, families: Mapping[str, Family], number: int) -> Iterator[tuple[str, Problem]]:
        """`number` new problems with the name of their family, the families in turn."""
        names = list(families)
        for position in range(number):
            name = names[position % len(names)]
            yield name, self._new(stream, name, families[name])

    def _new(self, stream: Random, name: str, family: Family) -> Problem:
        for _ in range(DRAWS_PER_QUESTION):
            problem = family(stream, self.sizes)
            # both texts: where the two languages differ in detail, neither may come twice
            if problem.english not in self.given and problem.chinese not in self.given:
                self.given |= {problem.english, problem.chinese}
                return problem
        raise ConfigError(
            f"family {name} has no new question after {len(self.given) // 2} were drawn at terms={self.sizes.terms} "
            f"factors={self.sizes.factors}: ask for fewer questions or allow larger numbers"
        )


def splits(config: QuestionsConfig) -> dict[str, list[Row]]:
    """The rows of each split; held-out questions are drawn first, so the SFT set's size cannot change them."""
    draw = Draw(Sizes(config.terms, config.factors))

    def part(split: str, families: Mapping[str, Family], number: int, form: str, language: str) -> list[Row]:
        stream = rng(config.seed, "questions", split, form, language)
        manner = rng(config.seed, "questions", split, form, language, "manner")
        brief = config.brief_families if split == "train" else ()
        share = dict.fromkeys(brief, config.sft_brief)
        problems = draw.take(stream, families, number)
        return [row(name, one, form, language, brief=manner.random() < share.get(name, 0.0)) for name, one in problems]

    heldout = part("heldout", TAUGHT, config.heldout, "cot", "en")
    other = part("out_of_family", UNTAUGHT, config.out_of_family, "cot", "en")
    for form, language in (("pot", "en"), ("tool", "en"), ("cot", "zh")):
        other += part("out_of_family", TAUGHT, config.out_of_family, form, language)
    rl = part("rl", TAUGHT, config.rl, "cot", "en")
    train = part("train", TAUGHT, config.sft_cot, "cot", "en")
    train += part("train", TAUGHT, config.sft_pot, "pot", "en")
    train += part("train", TAUGHT, config.sft_tool, "tool", "en")
    train += part("train", TAUGHT, config.sft_chinese, "cot", "zh")
    for split, rows in (("rl", rl), ("train", train)):  # families and forms would otherwise come in turn
        rng(config.seed, "questions", split, "order").shuffle(rows)
    named = {"train": train, "rl": rl, "heldout": heldout, "out_of_family": other}
    return {split: [{"id": f"{split}-{n:05d}"} | row for n, row in enumerate(rows)] for split, rows in named.items()}


def row(family: str, problem: Problem, form: str, language: str, *, brief: bool = False) -> Row:
    """One line of the artifact, without its id."""
    return {
        "question": problem.question(language),
        "answer": str(problem.answer),
        "solution": solution(problem, form, language, brief=brief),
        "form": form,
        "language": language,
        "family": family,
        "level": f"{len(problem.steps)} steps",
        "source": "generated",
    }


def check(rows: Sequence[Row], workers: int) -> int:
    """Runs every program and grades every boxed answer against the gold one; the number of programs run.

    Raises ValueError for the first that disagrees: the families are ours, so that is a mistake in them."""
    for one in rows:
        if one["form"] != "pot" and grade(one["solution"], one["answer"]).verdict is not Verdict.CORRECT:
            raise ValueError(f"{one['id']}: solution does not end in the answer {one['answer']}: {one['solution']!r}")
    written = [one for one in rows if one["form"] != "cot"]
    sources = [programs(one["solution"])[0] for one in written]
    for one, ran in zip(written, run_programs(sources, Limits(), workers), strict=True):
        if ran.status != "ok" or ran.stdout.strip() != one["answer"]:
            raise ValueError(f"{one['id']}: program ends {ran.status} with {ran.stdout!r}, not {one['answer']}")
    return len(written)


def run(work: Work, config: QuestionsConfig, inputs: Inputs) -> Outcome:
    """Writes the four splits after every solution was checked."""
    named = splits(config)
    checked = check([one for rows in named.values() for one in rows], config.workers)
    counts: dict[str, Any] = {"programs_run": checked}
    for split, rows in named.items():
        kept = [one | {"solution": None} for one in rows] if split == "rl" else rows
        write_jsonl(work.folder / f"{split}.jsonl.zst", kept)
        forms = Counter(f"{one['form']} {one['language']}" for one in rows)
        counts[split] = {"questions": len(rows), **dict(sorted(forms.items()))}
    sizes = ", ".join(f"{split} {len(rows)}" for split, rows in named.items())
    return Outcome(counts, f"{sizes}; {checked} programs run, all answers agree")


STAGE = Stage(
    name="sft.questions",
    about="Makes questions with worked solutions for SFT, without them for RL, and the held-out ones. "
    "With --from FILE [FILE ...] [--benchmarks INDEX] the examples of those files are checked and taken instead.",
    config=QuestionsConfig,
    run=run,
    makes="questions",
)


def command(argv: Sequence[str]) -> int:
    """Exit code of `python -m sft.questions`: with `--from` the examples of files, else generated ones."""
    if "--from" not in argv:
        return main(STAGE, argv)
    try:
        stage, arguments = stage_for(argv)
    except ConfigError as error:
        print(f"sft.questions: {error}", file=sys.stderr)
        return error.exit_code
    return main(stage, arguments)


if __name__ == "__main__":
    raise SystemExit(command(sys.argv[1:]))
