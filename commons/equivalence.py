"""Are two answers the same, and the verdict on an output. Pure and quick: reward of RL, grader of the evaluation."""

from commons.answers import extract_answer, last_boxed
from commons.quantities import Number, Quantity, Row, parse
from commons.verdicts import Grade, Verdict


def equivalent(one: str, other: str) -> bool:
    """Whether two answer texts mean the same; symmetric. What cannot be read is equal to nothing, itself included."""
    first, second = parse(one), parse(other)
    return first is not None and second is not None and same(first, second)


def same(one: Quantity, other: Quantity) -> bool:
    """Whether two values are the same: exact numbers, brackets counted, units compared where both sides name one."""
    if isinstance(one, Number) and isinstance(other, Number):
        return one.value == other.value and (not one.unit or not other.unit or one.unit == other.unit)
    if isinstance(one, Row) and isinstance(other, Row):
        return (
            one.brackets == other.brackets
            and len(one.items) == len(other.items)
            and all(same(first, second) for first, second in zip(one.items, other.items, strict=True))
        )
    return one == other


def grade(output: str, gold: str, *, timed_out: bool = False) -> Grade:
    """The verdict on one output; the first that applies in the order of `Verdict`.

    `timed_out`: the program that was to give the answer did not end in time. A gold in percent also accepts its bare
    number (50 for 50%), as questions that ask "what percent" do; a gold without the sign accepts no such reading."""
    wanted = parse(gold_answer(gold))
    if wanted is None:
        return Grade(Verdict.UNGRADABLE_GOLD, f"the gold answer cannot be read: {shortened(gold)}", None)
    if timed_out:
        return Grade(Verdict.TIMED_OUT, "the program ran into its time limit", None)
    answer = extract_answer(output)
    if answer is None:
        return Grade(Verdict.NO_ANSWER, "no box, answer phrase or program output", None)
    given = parse(answer)
    if given is None:
        return Grade(Verdict.UNPARSED, f"the answer cannot be read: {shortened(answer)}", answer)
    if same(given, wanted) or _bare_percent(given, wanted):
        return Grade(Verdict.CORRECT, f"{shortened(answer)} is {shortened(gold)}", answer)
    return Grade(Verdict.WRONG, f"{shortened(answer)} is not {shortened(gold)}", answer)


def gold_answer(gold: str) -> str:
    """The answer part of a gold text: what is in its box or after its ####, else all of it."""
    if "\\boxed" in gold:
        return last_boxed(gold) or gold
    return gold.rpartition("####")[2].strip()


def _bare_percent(given: Quantity, wanted: Quantity) -> bool:
    if not isinstance(given, Number) or not isinstance(wanted, Number):
        return False
    return wanted.percent and not given.percent and given.value == wanted.value * 100


def shortened(text: str, characters: int = 60) -> str:
    """The text on one line, cut in its middle when long, for a reason that a person reads."""
    line = " ".join(text.split())
    return line if len(line) <= characters else f"{line[: characters // 2]} ... {line[-characters // 2 :]}"
