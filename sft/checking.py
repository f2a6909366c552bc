"""What of the worked examples may be taught: every program is run and every final answer graded (section 3.1)."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

from commons.answers.extraction import extract_answer
from commons.equivalence import equivalent, gold_value, grade
from commons.prompts import fences, output_block, programs
from commons.quotations import BenchmarkGrams, quotations
from commons.sandbox import OK, ProgramRun, Sandbox
from commons.verdicts import Verdict
from sft.worked import Worked

Checked = Worked | str  # the example with its gold answer, or the reason why it is dropped
TEXTS_AT_ONCE = 1024


def checked(examples: Sequence[Worked], sandbox: Sandbox) -> tuple[list[Checked], int]:
    """Section 3.1: each example with the gold answer that it leads to, or why it goes; and the number of programs run.

    A file without gold answers is checked against itself: the answer must be there and readable, the program must end
    and print it, and a transcript's program must print again what stands in the transcript."""
    written = [programs(one.solution) if one.form != "cot" else [] for one in examples]
    runs = runs_of(written, sandbox)
    return [checked_one(*pair) for pair in zip(examples, runs, strict=True)], sum(map(len, written))


def runs_of(written: Sequence[Sequence[str]], sandbox: Sandbox) -> list[list[ProgramRun]]:
    """The runs of each example's programs in turn; several of one example keep their names, as in a tool run."""
    runs: list[list[ProgramRun]] = [[] for _ in written]
    single = [place for place, sources in enumerate(written) if len(sources) == 1]
    for place, run in zip(single, sandbox.run_all([written[place][0] for place in single]), strict=True):
        runs[place].append(run)
    several = [place for place, sources in enumerate(written) if len(sources) > 1]
    for start in range(0, len(several), sandbox.workers):
        with ExitStack() as stack:
            at_once = several[start : start + sandbox.workers]
            sessions = {place: stack.enter_context(sandbox.session(len(written[place]))) for place in at_once}
            for number in range(max(len(written[place]) for place in at_once)):
                places = [place for place in at_once if number < len(written[place])]
                calls = [partial(sessions[place].run, written[place][number]) for place in places]
                for place, run in zip(places, sandbox.batch(calls), strict=True):
                    runs[place].append(run)
    return runs


def checked_one(example: Worked, runs: Sequence[ProgramRun]) -> Checked:
    """The verdict on one example, given the runs of its programs in order."""
    if example.form != "cot" and not runs:
        return "no complete program"
    for run in runs:
        if run.status != OK:
            return f"program: {run.status}"
    output = example.solution
    if example.form == "pot":
        output = f"{output}\n{output_block(runs[-1].stdout)}"
    elif example.form == "tool" and not _printed_again(example.solution, runs):
        return "program: prints something else than the transcript says"
    gold = example.answer if example.answer is not None else extract_answer(output)
    if gold is None:
        return f"answer: {Verdict.NO_ANSWER.value}"
    if gold_value(gold) is None:
        return f"answer: {Verdict.UNGRADABLE_GOLD.value}"
    verdict = grade(output, gold, question=example.question).verdict
    return replace(example, answer=gold) if verdict is Verdict.CORRECT else f"answer: {verdict.value}"


def quoting(examples: Iterable[Worked], grams: BenchmarkGrams, part: str = "example") -> list[bool]:
    """Section 2.1: for each example whether its question, or `part` example: it or its solution, quotes a benchmark."""
    texts = [one.question if part == "question" else f"{one.question}\n{one.solution}" for one in examples]
    cuts = range(0, len(texts), TEXTS_AT_ONCE)
    return [bool(hits) for start in cuts for hits in quotations(texts[start : start + TEXTS_AT_ONCE], grams)]


def _printed_again(solution: str, runs: Sequence[ProgramRun]) -> bool:
    said = [fence.body.strip() for fence in fences(solution) if fence.language == "output" and fence.closed]
    if len(said) != len(runs):
        return False
    printed = [run.stdout.strip() for run in runs]
    return all(one == other or equivalent(one, other) for one, other in zip(said, printed, strict=True))
