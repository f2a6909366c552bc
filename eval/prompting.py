"""The text that a model goes on from, made of a question without its gold: few-shot, or the paper's instruct form."""

from collections.abc import Callable, Mapping, Sequence

from commons.prompts import SUFFIXES, few_shot, prompt
from eval.items import Question
from eval.shots import Shots

Examples = Mapping[tuple[str, str], list[tuple[str, str]]]


def asked_text(question: Question) -> str:
    """The question with its options as the official evaluation puts them, and for miniF2F its formal statement."""
    text = question.text.strip()
    if question.formal:
        return f"{text}\n\nFormal:\n{question.formal}"
    if not question.options:
        return text
    options = [f"({letter}) {option}" for letter, option in question.options]
    if question.language == "zh":
        joined = " ".join(f"({letter}){option}" for letter, option in question.options)
        return f"{text}\n从以下选项中选择:    {joined}"
    joined = (" " if question.benchmark == "sat" else ", ").join(options)
    return f"{text}\nWhat of the following is the right choice? Explain your answer.\n{joined}"


def few_shot_prompt(question: Question, shots: Shots) -> str:
    """The base model's form: solved examples, then the question."""
    return shots.prompt(question, asked_text(question))


def instruct_prompt(question: Question) -> str:
    """The instruct model's form (section 3.1): the question, the line that says what is wanted, `Assistant:`."""
    return prompt(asked_text(question), question.form, question.language)


def user_message(question: Question) -> str:
    """The same without the roles, for a model whose own chat template writes them."""
    return f"{asked_text(question)}\n{SUFFIXES[question.form, question.language]}"


def fitting_prompt(question: Question, examples: Examples | None, *, length: Callable[[str], int], room: int) -> str:
    """The recipe's form: the chat form, or for a base model as many of our own solved examples as fit `room` tokens."""
    if examples is None:
        return prompt(question.text, question.form, question.language)
    shots: Sequence[tuple[str, str]] = examples.get((question.form, question.language), [])
    while True:
        text = few_shot(shots, question.text, question.language)
        if not shots or length(text) <= room:
            return text
        shots = shots[:-1]
