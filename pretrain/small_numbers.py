"""Numbers for generated texts, mostly small: a model of a million parameters has to learn what is done with them."""

import random


def term(random_: random.Random) -> int:
    """A number to add or subtract: up to 10, 20 or 40."""
    return random_.randint(1, random_.choice((10, 20, 40)))


def factor(random_: random.Random) -> int:
    """A number to multiply or divide by: up to 7, 9 or 12."""
    return random_.randint(2, random_.choice((7, 9, 12)))


def signed_steps(random_: random.Random, terms: int) -> tuple[str, list[str], int]:
    """A chain of sums and differences that stays positive: its text, one equation a step, its value."""
    total = term(random_)
    text, steps = str(total), []
    for _ in range(terms):
        change = term(random_)
        sign = "-" if change < total and random_.random() < 0.5 else "+"
        after = total - change if sign == "-" else total + change
        text += f"{sign}{change}"
        steps.append(f"{total}{sign}{change}={after}")
        total = after
    return text, steps, total
