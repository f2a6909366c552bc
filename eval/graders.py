"""The two verdicts on one output: `strict` is ours, `paper` that of the official evaluation (commons/answers/paper.py).

Neither sees a model. Nothing here is a score: a verdict that could not be given is "not graded", with its reason."""

from dataclasses import replace
from typing import Literal

from commons.answers.choices import find_choice
from commons.answers.extraction import extract_answer, own_part
from commons.answers.paper import paper_grade
from commons.answers.reading import parse
from commons.answers.values import Choice
from commons.equivalence import grade, shortened
from commons.prompts import output_block
from commons.sandbox import OK, SANDBOX_FAILED, TIMED_OUT
from commons.verdicts import Grade, Verdict
from eval.items import Item
from eval.outputs import Answer

Grader = Literal["strict", "paper"]
NOT_GRADED = "not graded"
PROOFS = ("minif2f", "minif2f_valid")  # their outputs are proofs, which Isabelle checks
PAL_FENCES = 4  # the official program form of MATH: the program and its imports, each between two fences

# whose rule of the official evaluation is used; a benchmark that it lacks takes that of the most similar one
PAPER_RULES = {
    "math500": "math",
    "aime24": "math",
    "amc23": "math",
    "svamp": "gsm8k",
    "mawps": "gsm8k",
}
PAPER_BENCHMARKS = (
    "gsm8k", "math", "ocw", "sat", "mmlu_stem", "cmath", "mgsm_zh", "gaokao_mathcloze", "gaokao_mathqa",
)  # fmt: skip


def not_graded(item: Item, answer: Answer) -> str:
    """Why this output gets no verdict; "" when it gets one."""
    if answer.failure:
        return answer.failure
    return "a proof is checked by Isabelle alone" if item.benchmark in PROOFS else ""


def strict(item: Item, answer: Answer) -> Grade:
    """Our verdict: in program form the program's output is what is graded, nothing that stands by."""
    broken = _sandbox_failure(answer)
    if broken is not None:
        return broken
    if item.form == "pot":
        return _program(item, answer)
    if item.options:
        return _choice(item, answer)
    return grade(answer.text, item.gold, timed_out=_stopped_by_time(answer))


def paper(item: Item, answer: Answer) -> Grade:
    """The verdict of the official evaluation on the same output."""
    broken = _sandbox_failure(answer)
    if broken is not None:
        return broken
    benchmark = paper_rule(item.benchmark)
    if item.form != "pot":
        asked = item.few_shot and item.benchmark in PAPER_BENCHMARKS
        return paper_grade(answer.text, item.gold, benchmark=benchmark, few_shot=asked, question=item.question)
    if not answer.runs:
        return Grade(Verdict.NO_ANSWER, "paper: no program was run", None)
    if item.few_shot and benchmark == "math" and answer.text.count("```") != PAL_FENCES:
        return Grade(Verdict.NO_ANSWER, f"paper: a program needs exactly {PAL_FENCES} fences", None)
    run = answer.runs[-1]
    if run.status != OK:
        return Grade(Verdict.NO_ANSWER, f"paper: the program failed: {run.status}", None)
    return paper_grade(output_block(run.stdout), item.gold, benchmark=benchmark, few_shot=False, question=item.question)


def paper_rule(benchmark: str) -> str:
    """The benchmark whose official rule grades this one."""
    return benchmark if benchmark in PAPER_BENCHMARKS else PAPER_RULES.get(benchmark, "math")


def _sandbox_failure(answer: Answer) -> Grade | None:
    failed = [run.error for run in answer.runs if run.status == SANDBOX_FAILED]
    return Grade(Verdict.GRADER_ERROR, f"the sandbox failed: {failed[0]}", None) if failed else None


def _stopped_by_time(answer: Answer) -> bool:
    return bool(answer.runs) and answer.runs[-1].status == TIMED_OUT and extract_answer(answer.text) is None


def _choice(item: Item, answer: Answer) -> Grade:
    """The letters that are chosen, as a set. An answer that is only the text of an option says so in its reason."""
    wanted = parse(item.gold)
    if not isinstance(wanted, Choice):
        return Grade(Verdict.UNGRADABLE_GOLD, f"the gold answer is no option: {shortened(item.gold)}", None)
    if _stopped_by_time(answer):
        return Grade(Verdict.TIMED_OUT, "the program ran into its time limit", None)
    found = find_choice(own_part(answer.text), dict(item.options))
    if found is None:
        return Grade(Verdict.NO_ANSWER, "no option is chosen", None)
    same = set(found.text) == set(wanted.letters)
    verdict = Verdict.CORRECT if same else Verdict.WRONG
    relation = "is" if same else "is not"
    return Grade(verdict, f"{found.text} {relation} {''.join(wanted.letters)} (by its {found.pattern})", found.text)


def _program(item: Item, answer: Answer) -> Grade:
    if not answer.runs:
        return _with_reason(grade("", item.gold), "no complete program")
    run = answer.runs[-1]
    if run.status == OK:
        return grade(output_block(run.stdout), item.gold)
    last = run.error.splitlines()[-1] if run.error else run.status
    return _with_reason(grade("", item.gold, timed_out=run.status == TIMED_OUT), f"the program failed: {last}")


def _with_reason(given: Grade, reason: str) -> Grade:
    return replace(given, reason=reason) if given.verdict is Verdict.NO_ANSWER else given
