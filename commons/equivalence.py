"""Are two answers the same, and the verdict on an output. Pure and quick: reward of RL, grader of the evaluation."""

from dataclasses import replace
from functools import lru_cache

from commons.answers.boxes import last_boxed
from commons.answers.choices import find_choice
from commons.answers.comparing import STRICT, Rules, equivalent_values, matches
from commons.answers.extraction import Found, Policy, find_answer
from commons.answers.reading import parse
from commons.answers.symbolic import SymbolicFailed, SymbolicTimeout
from commons.answers.trees import Tree, nodes
from commons.answers.values import Choice, Scalar, Value
from commons.verdicts import Grade, Verdict

PERCENT_WORDS = ("%", "percent", "百分")


def equivalent(one: str, other: str) -> bool:
    """Whether two answer texts mean the same; symmetric. What cannot be read is equal to nothing, itself included."""
    first, second = parse(one), parse(other)
    return first is not None and second is not None and equivalent_values(first, second)


def grade(
    output: str,
    gold: str,
    *,
    question: str = "",
    timed_out: bool = False,
    policy: Policy = "last",
    guess: bool = False,
    rules: Rules = STRICT,
) -> Grade:
    """The verdict on one output; the first that applies in the order of `Verdict`.

    `timed_out`: the program that was to give the answer did not end in time. `question` is looked at for a percent
    sign only. A gold in percent also accepts its bare number (50 for 50%), as questions that ask "what percent" do; a
    gold without the sign does so only where the question has it. A gold that is a number accepts no sum or product of
    numbers that was left to the reader: 2+3 is not the answer 5."""
    wanted = gold_value(gold)
    if wanted is None:
        return Grade(Verdict.UNGRADABLE_GOLD, f"the gold answer cannot be read: {shortened(gold)}", None)
    if timed_out:
        return Grade(Verdict.TIMED_OUT, "the program ran into its time limit", None)
    found = _answer(output, wanted, policy, guess)
    if found is None:
        return Grade(Verdict.NO_ANSWER, "no box, answer phrase or program output", None)
    given = parse(found.text, program=found.pattern == "program")
    if given is None:
        return Grade(Verdict.UNPARSED, f"the answer cannot be read: {shortened(found.text)}", found.text)
    if (isinstance(wanted, Scalar) and wanted.percent) or any(word in question.lower() for word in PERCENT_WORDS):
        rules = replace(rules, percent=True)
    return _compared(given, wanted, found.text, shortened(gold), rules)


def _compared(given: Value, wanted: Value, answer: str, gold: str, rules: Rules) -> Grade:
    try:
        same = matches(given, wanted, rules)
    except SymbolicTimeout as error:
        return Grade(Verdict.TIMED_OUT, str(error), answer)
    except SymbolicFailed as error:
        return Grade(Verdict.GRADER_ERROR, str(error), answer)
    if same and _left_to_the_reader(given, wanted):
        return Grade(Verdict.WRONG, f"{shortened(answer)} was not worked out to {gold}", answer)
    if same:
        return Grade(Verdict.CORRECT, f"{shortened(answer)} is {gold}", answer)
    return Grade(Verdict.WRONG, f"{shortened(answer)} is not {gold}", answer)


def _answer(output: str, wanted: Value, policy: Policy, guess: bool) -> Found | None:
    """The answer of an output; where the gold is an option, the letter that is chosen."""
    if isinstance(wanted, Choice):
        chosen = find_choice(output) if guess else None
        found = find_answer(output, policy=policy)
        if found is not None and isinstance(parse(found.text), Choice):
            return found
        return chosen or (find_choice(output) if found is not None else None) or found
    return find_answer(output, policy=policy, guess=guess)


@lru_cache(maxsize=1 << 14)
def gold_value(gold: str) -> Value | None:
    """The typed value of a gold text, or None. Read once: the same question is sampled many times."""
    return parse(gold_answer(gold))


def gold_answer(gold: str) -> str:
    """The answer part of a gold text: what is in its box or after its ####, else all of it."""
    if "\\boxed" in gold:
        return last_boxed(gold) or gold
    return gold.rpartition("####")[2].strip()


def _left_to_the_reader(given: Value, wanted: Value) -> bool:
    """Whether a gold that is one number was answered by a sum or product of numbers: the question said again."""
    if not isinstance(given, Scalar) or not isinstance(wanted, Scalar):
        return False
    return wanted.tree.op == "number" and any(_arithmetic(node) for node in nodes(given.tree))


def _arithmetic(tree: Tree) -> bool:
    return tree.op in ("+", "*") and all(node.op in ("number", "+", "*", "/", "neg") for node in nodes(tree))


def shortened(text: str, characters: int = 60) -> str:
    """The text on one line, cut in its middle when long, for a reason that a person reads."""
    line = " ".join(text.split())
    return line if len(line) <= characters else f"{line[: characters // 2]} ... {line[-characters // 2 :]}"
