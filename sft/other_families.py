"""Families that no stage trains on: they show whether what was learnt carries over."""

from random import Random

from sft.families import SMALLEST, asked_sum
from sft.problems import Family, Problem, Sizes
from sft.wording import PEOPLE, THINGS


def long_sums(rng: Random, sizes: Sizes) -> Problem:
    """Sums and differences of five or six terms: longer chains than any taught."""
    return asked_sum(rng, sizes, rng.choice((5, 6)))


def ages(rng: Random, sizes: Sizes) -> Problem:
    """The age of someone older, some years on."""
    (one, one_zh), (other, other_zh) = rng.sample(PEOPLE, 2)
    age, older, years = (rng.randint(SMALLEST, sizes.terms) for _ in range(3))
    return Problem(
        f"{one} is {age} years old. {other} is {older} years older. How old is {other} in {years} years?",
        f"{one_zh}今年{age}岁，{other_zh}比{one_zh}大{older}岁，{years}年后{other_zh}几岁？",
        (f"{age}+{older}={age + older}", f"{age + older}+{years}={age + older + years}"),
        f"age={age}+{older}\nprint(age+{years})",
        age + older + years,
    )


def boxes(rng: Random, sizes: Sizes) -> Problem:
    """Full boxes and some more."""
    number, each = rng.randint(SMALLEST, sizes.factors), rng.randint(SMALLEST, sizes.factors)
    more, (things, things_zh) = rng.randint(SMALLEST, sizes.terms), rng.choice(THINGS)
    full = number * each
    return Problem(
        f"There are {number} boxes with {each} {things} each and {more} more {things}. How many {things} are there?",
        f"有{number}盒{things_zh}，每盒{each}个，另外还有{more}个，一共多少个？",
        (f"{number}*{each}={full}", f"{full}+{more}={full + more}"),
        f"print({number}*{each}+{more})",
        full + more,
    )


def sharing(rng: Random, sizes: Sizes) -> Problem:
    """Two heaps shared equally."""
    friends, each = rng.randint(SMALLEST, sizes.factors), rng.randint(SMALLEST, sizes.factors)
    total, (things, things_zh) = friends * each, rng.choice(THINGS)
    first = rng.randint(1, total - 1)
    return Problem(
        f"{friends} friends share {first} red and {total - first} blue {things}. How many {things} does each get?",
        f"{friends}个朋友平分{first}个红{things_zh}和{total - first}个蓝{things_zh}，每人分到多少个？",
        (f"{first}+{total - first}={total}", f"{total}/{friends}={each}"),
        f"print(({first}+{total - first})//{friends})",
        each,
    )


UNTAUGHT: dict[str, Family] = {"long_sums": long_sums, "ages": ages, "boxes": boxes, "sharing": sharing}
