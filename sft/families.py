"""The families of questions that are taught, asked in reinforcement learning and held out.

Each takes a random stream and the sizes, and returns one problem with one or two written-out equations a term."""

from random import Random

from sft.problems import Family, Problem, Sizes
from sft.wording import PEOPLE, PLACES, THINGS

SMALLEST = 2


def signed_chain(rng: Random, sizes: Sizes, terms: int) -> tuple[str, tuple[str, ...], int]:
    """A sum or difference of `terms` terms whose partial sums stay positive: text, one equation a term, value."""
    total = rng.randint(SMALLEST, sizes.terms)
    text, steps = str(total), []
    for _ in range(terms - 1):
        term = rng.randint(SMALLEST, sizes.terms)
        sign = "-" if term < total and rng.random() < 0.5 else "+"
        value = total - term if sign == "-" else total + term
        steps.append(f"{total}{sign}{term}={value}")
        text, total = f"{text}{sign}{term}", value
    return text, tuple(steps), total


def asked_sum(rng: Random, sizes: Sizes, terms: int) -> Problem:
    """What a sum of `terms` terms is."""
    text, steps, value = signed_chain(rng, sizes, terms)
    english = rng.choice(("What is {}?", "Compute {}.", "Find {}.")).format(text)
    chinese = rng.choice(("{}等于多少？", "计算{}。", "求{}。")).format(text)
    return Problem(english, chinese, steps, f"print({text})", value)


def sums(rng: Random, sizes: Sizes) -> Problem:
    """Sums and differences of two to four terms."""
    return asked_sum(rng, sizes, rng.choice((2, 3, 3, 4)))


def comparison(rng: Random, sizes: Sizes) -> Problem:
    """One has some, another more or fewer: how many together."""
    (one, one_zh), (other, other_zh) = rng.sample(PEOPLE, 2)
    things, things_zh = rng.choice(THINGS)
    first, difference = rng.randint(SMALLEST, sizes.terms), rng.randint(SMALLEST, sizes.terms)
    more = difference >= first or rng.random() < 0.5
    second = first + difference if more else first - difference
    sign, word, word_zh = ("+", "more", "多") if more else ("-", "fewer", "少")
    return Problem(
        f"{one} has {first} {things}. {other} has {difference} {word}. How many do they have together?",
        f"{one_zh}有{first}个{things_zh}，{other_zh}比{one_zh}{word_zh}{difference}个。他们一共有多少个？",
        (f"{first}{sign}{difference}={second}", f"{first}+{second}={first + second}"),
        f"other={first}{sign}{difference}\nprint({first}+other)",
        first + second,
    )


def equation(rng: Random, sizes: Sizes) -> Problem:
    """A linear equation with a whole solution."""
    factor, root = rng.randint(SMALLEST, sizes.factors), rng.randint(SMALLEST, sizes.factors)
    term, letter = rng.randint(SMALLEST, sizes.terms), rng.choice("xyn")
    product = factor * root
    sign, inverse = ("+", "-") if term >= product or rng.random() < 0.5 else ("-", "+")
    right = product + term if sign == "+" else product - term
    text = f"{factor}{letter}{sign}{term}={right}"
    english = rng.choice((f"Solve {text} for {letter}.", f"If {text}, what is {letter}?"))
    chinese = rng.choice((f"解方程{text}，求{letter}。", f"已知{text}，{letter}等于多少？"))
    steps = (f"{right}{inverse}{term}={product}", f"{product}/{factor}={root}")
    return Problem(english, chinese, steps, f"print(({right}{inverse}{term})//{factor})", root)


def unit_price(rng: Random, sizes: Sizes) -> Problem:
    """The price of some things, asked for another number of them."""
    bought, asked = rng.sample(range(SMALLEST, sizes.factors + 1), 2)
    price, (things, things_zh) = rng.randint(SMALLEST, sizes.factors), rng.choice(THINGS)
    paid = bought * price
    return Problem(
        f"{bought} {things} cost {paid} dollars. How much do {asked} {things} cost?",
        f"{bought}个{things_zh}{paid}元，{asked}个{things_zh}多少元？",
        (f"{paid}/{bought}={price}", f"{asked}*{price}={asked * price}"),
        f"price={paid}//{bought}\nprint({asked}*price)",
        asked * price,
    )


def remainder(rng: Random, sizes: Sizes) -> Problem:
    """What is left when things are packed in equal bags."""
    bag, bags = rng.randint(3, sizes.factors), rng.randint(SMALLEST, sizes.factors)
    left = rng.randrange(bag)
    (one, one_zh), (things, things_zh) = rng.choice(PEOPLE), rng.choice(THINGS)
    full, total = bag * bags, bag * bags + left
    return Problem(
        f"{one} packs {total} {things} in bags of {bag}. How many {things} are left over?",
        f"{one_zh}把{total}个{things_zh}按每袋{bag}个装袋，还剩多少个？",
        (f"{bag}*{bags}={full}", f"{total}-{full}={left}"),
        f"print({total}%{bag})",
        left,
    )


def change(rng: Random, sizes: Sizes) -> Problem:
    """The money left after buying equal things."""
    (one, one_zh), (things, things_zh) = rng.choice(PEOPLE), rng.choice(THINGS)
    number, price = rng.randint(SMALLEST, sizes.factors), rng.randint(SMALLEST, sizes.factors)
    cost, left = number * price, rng.randint(SMALLEST, sizes.terms)
    return Problem(
        f"{one} has {cost + left} dollars and buys {number} {things} at {price} dollars each. How much is left?",
        f"{one_zh}有{cost + left}元，买了{number}个{things_zh}，每个{price}元，还剩多少元？",
        (f"{number}*{price}={cost}", f"{cost + left}-{cost}={left}"),
        f"cost={number}*{price}\nprint({cost + left}-cost)",
        left,
    )


def perimeter(rng: Random, sizes: Sizes) -> Problem:
    """The perimeter of a rectangular place."""
    length, width = rng.randint(SMALLEST, sizes.terms), rng.randint(SMALLEST, sizes.terms)
    (one, one_zh), (place, place_zh) = rng.choice(PEOPLE), rng.choice(PLACES)
    half = length + width
    return Problem(
        f"{one}'s {place} is {length} m long and {width} m wide. What is its perimeter?",
        f"{one_zh}的长方形{place_zh}长{length}米，宽{width}米，周长是多少米？",
        (f"{length}+{width}={half}", f"2*{half}={2 * half}"),
        f"print(2*({length}+{width}))",
        2 * half,
    )


TAUGHT: dict[str, Family] = {
    "sums": sums,
    "comparison": comparison,
    "equation": equation,
    "unit_price": unit_price,
    "remainder": remainder,
    "change": change,
    "perimeter": perimeter,
}
