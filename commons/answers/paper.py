"""The `paper` grader: the observable behaviour of DeepSeek-Math's evaluation, re-stated from its description.

It is here to compare numbers with the paper's, faults included: a number near 1,234 is cut at its comma, 50 is 0.5 and
5000, brackets do not count, of many guesses the last ones do. What is judged by SymPy there is judged by `numeric`
here, at random points, with the same 1e-3. `strict` is `commons.equivalence.grade`."""

import math
import re
from collections.abc import Callable, Sequence

from commons.answers.boxes import boxes
from commons.answers.numeric import identical, proportional, real_value
from commons.answers.paper_text import plain_answer, split_list, split_outermost
from commons.answers.reading import parse
from commons.answers.trees import Tree, minus
from commons.answers.values import Relation, Scalar
from commons.prompts import last_output
from commons.verdicts import Grade, Verdict

TOLERANCE = 1e-3
INVALID = "[invalid]"
NUMBER = re.compile(r"-?\d*\.?\d+")
CHOICE = re.compile(r"final answer is \(?([a-d])\)?")
UNIONS = "\\cup"
NEAR_ZERO, OCW_RELATIVE, OCW_SHARE = 1e-8, 1e-5, 0.01
OPENERS, CLOSERS = "([", ")]"


def paper_grade(output: str, gold: str, *, benchmark: str, few_shot: bool, question: str = "") -> Grade:
    """The verdict of the official evaluation (notes of section 1): no reason but "same" and "different", and an answer
    that it cannot read is wrong. Raises ValueError for a benchmark without such a rule."""
    taken = paper_answers(output, benchmark=benchmark, few_shot=few_shot, question=question)
    answer = ", ".join(taken) or None
    if not taken or taken == [INVALID]:
        return Grade(Verdict.NO_ANSWER, "paper: nothing was extracted", None)
    right = _rule(benchmark)(taken, gold, question)
    return Grade(Verdict.CORRECT if right else Verdict.WRONG, f"paper: {'same' if right else 'different'}", answer)


def paper_answers(output: str, *, benchmark: str, few_shot: bool, question: str = "") -> list[str]:
    """What the official extraction takes as the answer: a list for MATH, else one; [invalid] or nothing for none."""
    if few_shot and benchmark in ("sat", "mmlu_stem"):
        found = CHOICE.search(output.lower())
        return [found[1].upper()] if found else []
    if few_shot and benchmark == "ocw":
        _, begun, rest = output.partition("final answer is ")
        answer, ended, _ = rest.partition(". I hope it is correct.")
        return [answer.strip()] if begun and ended else [INVALID]
    if few_shot and benchmark == "gsm8k":
        numbers = NUMBER.findall(output.split("Q: ")[0])
        return [numbers[-1]] if numbers else [INVALID]
    if few_shot and benchmark in ("cmath", "gaokao_mathcloze", "gaokao_mathqa"):
        return _chinese(output, benchmark)
    if benchmark == "math":
        return general_answers(output.split("Problem:")[0] if few_shot else output, question)
    return general_answers(output, question)[-1:]


def _chinese(output: str, benchmark: str) -> list[str]:
    """Behind the first 答案是, on that line."""
    _, begun, rest = output.partition("答案是")
    line = rest.split("\n")[0]
    if benchmark == "cmath":
        if not begun:
            return general_answers(output)[-1:]
        numbers = NUMBER.findall(line)
        return [numbers[-1]] if numbers else [INVALID]
    if benchmark == "gaokao_mathcloze":
        return [line.replace("$", "").strip()] if begun else [INVALID]
    places = {letter: line.find(letter) for letter in "ABCD" if letter in line}
    return [max(places, key=lambda letter: places[letter])] if places else []


def general_answers(output: str, question: str = "") -> list[str]:
    """The general extraction: "final answer is $...$. I hope", else all boxes, else behind the last "he answer is",
    else the last program output, else the last number."""
    _, begun, rest = output.partition("final answer is $")
    final, ended, _ = rest.partition("$. I hope")
    boxed = boxes(output) if "boxed" in output else []
    if begun and ended:
        found = [final]
    elif boxed:
        found = [box.content for box in boxed]
    elif "he answer is" in output:
        found = [output.rpartition("he answer is")[2].strip()]
    elif "```output" in output:
        found = [last_output(output) or ""]
    else:
        found = NUMBER.findall(output.replace(",", ""))[-1:]
    lists = [split_list(one.strip().split("\n")[0].lstrip(":").rstrip("./"), question) for one in found]
    return [plain_answer(one) for several in lists for one in several]


def _rule(benchmark: str) -> Callable[[list[str], str, str], bool]:
    rules: dict[str, Callable[[list[str], str, str], bool]] = {
        "math": _math,
        "ocw": lambda taken, gold, _: same_ocw(taken[-1], gold),
        "gaokao_mathcloze": lambda taken, gold, _: _cloze(taken[-1], gold),
    }
    letters = ("sat", "mmlu_stem", "gaokao_mathqa")
    single = ("gsm8k", "cmath", "mgsm_zh")
    if benchmark in letters:
        return lambda taken, gold, _: taken[-1] == gold
    if benchmark in single:
        return lambda taken, gold, _: same_single(taken[-1], gold.replace(",", ""))
    if benchmark not in rules:
        raise ValueError(f"no rule of the paper for benchmark {benchmark}: it has {[*rules, *letters, *single]}")
    return rules[benchmark]


def _math(taken: list[str], gold: str, question: str) -> bool:
    golds = list(dict.fromkeys(plain_answer(one) for one in split_list(gold, question)))
    return same_lists(list(dict.fromkeys(taken)), golds)


def same_lists(taken: Sequence[str], golds: Sequence[str]) -> bool:
    """Of the answers taken, the last as many as there are golds: each must be a gold, and each gold one of them."""
    kept = taken[-len(golds) :]
    return all(any(same_single(one, gold) for gold in golds) for one in kept) and all(
        any(same_single(one, gold) for one in kept) for gold in golds
    )


def _cloze(taken: str, gold: str) -> bool:
    golds = [one.strip().strip("$") for one in split_outermost(gold.replace("$", ""), ";,")]
    kept = split_outermost(taken, ";,")[-len(golds) :]
    return len(kept) == len(golds) and all(
        same_single(plain_answer(one), plain_answer(other)) for one, other in zip(kept, golds, strict=True)
    )


def same_single(taken: str, gold: str) -> bool:
    """Numbers within 1e-3, the same text, sets of the same parts, or `math_equal`."""
    first, second = _number(taken), _number(gold)
    if first is not None and second is not None and abs(first - second) < TOLERANCE:
        return True
    if taken == gold:
        return True
    if UNIONS in taken and UNIONS in gold:
        return same_lists(taken.split(UNIONS), gold.split(UNIONS))
    return math_equal(taken, gold)


def _number(text: str) -> float | None:
    percent = text.rstrip("\\% ") if text.endswith("%") else text
    try:
        value = float(percent.replace(",", ""))
    except ValueError:
        return None
    return value / 100 if percent != text else value


def math_equal(taken: str, gold: str) -> bool:
    """Text, numbers up to a factor of 100, parts of tuples without their brackets, equations up to sign, formulas."""
    if taken.strip().lower() == gold.strip().lower():
        return True
    first, second = _number(taken), _number(gold)
    if first is not None and second is not None:
        return any(math.isclose(first, scale * second, rel_tol=0, abs_tol=TOLERANCE) for scale in (0.01, 1, 100))
    inner, other = _unbracketed(taken), _unbracketed(gold)
    if inner is not None and other is not None:
        parts, wanted = split_outermost(inner, ","), split_outermost(other, ",")
        if len(parts) == len(wanted) > 1:
            return all(math_equal(one.strip(), two.strip()) for one, two in zip(parts, wanted, strict=True))
    if taken.count("=") == 1 == gold.count("="):
        return _same_equation(taken, gold)
    for one, two in ((taken, gold), (gold, taken)):
        left, _, right = one.partition("=")
        if one.count("=") == 1 and len(left.strip()) <= 2 and "=" not in two:
            return math_equal(right.strip(), two) if one is taken else math_equal(two, right.strip())
    return _same_formula(taken, gold)


def _unbracketed(text: str) -> str | None:
    text = text.strip()
    return text[1:-1] if text[:1] in OPENERS and text[-1:] in CLOSERS and len(text) > 2 else None


def _same_equation(taken: str, gold: str) -> bool:
    first, second = (_difference(text) for text in (taken, gold))
    if first is None or second is None:
        return False
    same, _ = proportional(first, second)
    return same and (identical(first, second) is True or identical(first, minus(Tree("number"), second)) is True)


def _difference(text: str) -> Tree | None:
    value = parse(text)
    if not isinstance(value, Relation) or value.signs != "=":
        return None
    left, right = value.sides
    return minus(left.tree, right.tree) if isinstance(left, Scalar) and isinstance(right, Scalar) else None


def _same_formula(taken: str, gold: str) -> bool:
    first, second = parse(taken), parse(gold)
    if not isinstance(first, Scalar) or not isinstance(second, Scalar):
        return first is not None and first == second
    one, other = real_value(first.tree), real_value(second.tree)
    if one is not None and other is not None:
        return bool(abs(one - other) < TOLERANCE)
    return identical(first.tree, second.tree) is True


def same_ocw(taken: str, gold: str) -> bool:
    """The gold decides: a number, an equation, or a formula that must have the same text."""
    wanted = _number(gold)
    if wanted is not None:
        value = parse(taken)
        given = real_value(value.tree) if isinstance(value, Scalar) else None
        return given is not None and _ocw_numbers(float(given), wanted)
    if "=" in gold:
        return _same_equation(taken, gold)
    return plain_answer(taken) == plain_answer(gold)


def _ocw_numbers(one: float, other: float) -> bool:
    """Equal numbers take the 1% branch, which no 0 and no negative number passes; others must agree to 1e-5."""
    if min(abs(one), abs(other), abs(one - other)) <= NEAR_ZERO:
        return abs(one - other) < OCW_SHARE * (one + other) / 2
    return abs(one - other) <= NEAR_ZERO + OCW_RELATIVE * abs(other)
