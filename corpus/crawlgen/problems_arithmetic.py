"""Worked problems of arithmetic. The words come from `text/<language>/arithmetic.txt`."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from corpus.crawlgen.formula import dm, m
from corpus.crawlgen.writer import Writer


@dataclass(frozen=True, slots=True)
class Problem:
    """One question with its worked solution."""

    topic: str
    title: str
    question: str
    steps: tuple[str, ...]
    answer: str


Family = Callable[[Writer], Problem]


def worked(w: Writer, family: str, steps: list[str], answer: object, /, **values: object) -> Problem:
    """The problem of one family: title, question and closing line are said here, the steps are given."""
    topic, _, name = family.partition(".")
    steps = [*steps, w.sentence("answer.line", answer=answer)] if w.rng.random() < 0.6 else steps
    title = w.sentence(f"{name}.title", **values)
    return Problem(topic, title, w.sentence(f"{name}.q", **values), tuple(steps), str(answer))


def fraction(value: Fraction) -> str:
    """LaTeX of a fraction."""
    if value.denominator == 1:
        return str(value.numerator)
    sign = "-" if value < 0 else ""
    return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def running_sum(w: Writer) -> Problem:
    high = w.rng.choice((12, 30, 30, 100, 400))
    terms = [w.rng.randint(2, high) for _ in range(w.rng.choice((2, 3, 3, 4, 5)))]
    total, steps, expression = terms[0], [], str(terms[0])
    for term in terms[1:]:
        sign = "-" if term <= total and w.rng.random() < 0.45 else "+"
        new = total - term if sign == "-" else total + term
        expression += f" {sign} {term}"
        steps.append(w.sentence("running_sum.step", step=m(f"{total} {sign} {term} = {new}"), new=new, left=total))
        total = new
    return worked(w, "arithmetic.running_sum", steps, m(total), e=m(expression))


def warm_up(w: Writer, *, lines: int) -> list[str]:
    """Lines of small sums, products and quotients with their results, each line eight chains of two equations."""
    return ["; ".join(_chain(w) for _ in range(8)) for _ in range(lines)]


def _chain(w: Writer) -> str:
    a, b, c = (w.rng.randint(2, 12) for _ in "abc")
    if w.rng.random() < 0.6:
        total = a + b
        return f"{a}+{b}={total}, " + (f"{total}-{c}={total - c}" if total > c else f"{total}+{c}={total + c}")
    product = a * b
    after = w.rng.choice((f"{product}/{a}={b}", f"{product}+{c}={product + c}", f"2*{a + b}={2 * (a + b)}"))
    return f"{a}*{b}={product}, {after}"


def column_sum(w: Writer) -> Problem:
    digits = w.rng.choice((2, 3, 3, 4))
    a, b = (w.rng.randint(10 ** (digits - 1), 10**digits - 1) for _ in "ab")
    carry, steps = 0, []
    for place in range(digits):
        x, y = a // 10**place % 10, b // 10**place % 10
        found = x + y + carry
        term = m(f"{x} + {y} + {carry} = {found}" if carry else f"{x} + {y} = {found}")
        name = w.say(f"place.{place}")
        kind = "column_sum.carry" if found > 9 else "column_sum.step"
        steps.append(w.sentence(kind, term=term, place=name, digit=found % 10))
        carry = found // 10
    steps.append(w.sentence("column_sum.end", e=m(f"{a} + {b} = {a + b}"), check=m(f"{a + b} - {b} = {a}")))
    return worked(w, "arithmetic.column_sum", steps, m(a + b), a=a, b=b)


def product_split(w: Writer) -> Problem:
    a, b = w.rng.randint(12, 98), w.rng.randint(3, 49)
    tens, ones = a // 10 * 10, a % 10
    steps = [
        w.sentence("product_split.split", a=a, parts=m(f"{a} = {tens} + {ones}")),
        w.sentence(
            "product_split.parts", p=m(rf"{tens} \times {b} = {tens * b}"), q=m(rf"{ones} \times {b} = {ones * b}")
        ),
        w.sentence("product_split.add", e=m(f"{tens * b} + {ones * b} = {a * b}")),
    ]
    return worked(w, "arithmetic.product_split", steps, m(a * b), a=a, b=b, e=m(rf"{a} \times {b}"))


def long_division(w: Writer) -> Problem:
    b, q = w.rng.randint(3, 24), w.rng.randint(6, 140)
    r = w.rng.randint(0, b - 1)
    a = b * q + r
    steps = [
        w.sentence(
            "long_division.fit", e=m(rf"{b} \times {q} = {b * q}"), f=m(rf"{b} \times {q + 1} = {b * q + b}"), a=a
        ),
        w.sentence("long_division.rest", e=m(f"{a} - {b * q} = {r}"), r=r),
        w.sentence("long_division.check", e=m(rf"{b} \times {q} + {r} = {a}")),
    ]
    return worked(w, "arithmetic.long_division", steps, w.say("quotient.rest", q=m(q), r=m(r)), a=a, b=b)


def brackets(w: Writer) -> Problem:
    a, b, c, d = (w.rng.randint(2, 19) for _ in "abcd")
    c, d = max(c, d) + 1, min(c, d)
    inner = w.rng.choice(("+", "-"))
    value = c + d if inner == "+" else c - d
    steps = [
        w.sentence("brackets.inner", e=m(f"{c} {inner} {d} = {value}")),
        w.sentence("brackets.times", e=m(rf"{b} \times {value} = {b * value}")),
        w.sentence("brackets.add", e=m(f"{a} + {b * value} = {a + b * value}")),
    ]
    return worked(w, "arithmetic.brackets", steps, m(a + b * value), e=m(rf"{a} + {b} \times ({c} {inner} {d})"))


def fraction_sum(w: Writer) -> Problem:
    b, d = w.rng.sample(range(2, 13), 2)
    a, c = w.rng.randint(1, b - 1) if b > 2 else 1, w.rng.randint(1, d - 1) if d > 2 else 1
    common = math.lcm(b, d)
    left, right = a * common // b, c * common // d
    total = Fraction(a, b) + Fraction(c, d)
    plain = rf"\frac{{{left + right}}}{{{common}}}"
    steps = [
        w.sentence("fraction_sum.common", b=b, d=d, common=common),
        w.sentence(
            "fraction_sum.widen",
            x=m(rf"\frac{{{a}}}{{{b}}} = \frac{{{left}}}{{{common}}}"),
            y=m(rf"\frac{{{c}}}{{{d}}} = \frac{{{right}}}{{{common}}}"),
        ),
        w.sentence("fraction_sum.add", e=m(rf"\frac{{{left}}}{{{common}}} + \frac{{{right}}}{{{common}}} = {plain}")),
    ]
    if fraction(total) != plain:
        by = math.gcd(left + right, common)
        steps.append(w.sentence("fraction_sum.cancel", by=by, e=m(f"{plain} = {fraction(total)}")))
    e = m(rf"\frac{{{a}}}{{{b}}} + \frac{{{c}}}{{{d}}}")
    return worked(w, "arithmetic.fraction_sum", steps, m(fraction(total)), e=e)


def percentage(w: Writer) -> Problem:
    rate, base = w.rng.choice((5, 10, 15, 20, 25, 30, 35, 40, 60)), w.rng.randint(2, 60) * 20
    part = rate * base // 100
    up = w.rng.random() < 0.4
    new = base + part if up else base - part
    steps = [
        w.sentence(
            "percentage.part", rate=rate, e=m(rf"\frac{{{rate}}}{{100}} \times {base} = {part}"), base=base, part=part
        ),
        w.sentence("percentage.up" if up else "percentage.down", e=m(f"{base} {'+' if up else '-'} {part} = {new}")),
    ]
    change = w.say("percentage.rise" if up else "percentage.fall")
    return worked(w, "arithmetic.percentage", steps, m(new), rate=rate, base=base, change=change)


def shopping(w: Writer) -> Problem:
    p, q, n, k = w.rng.randint(2, 19), w.rng.randint(2, 15), w.rng.randint(2, 9), w.rng.randint(2, 9)
    cost = p * n + q * k
    purse = cost + w.rng.randint(1, 40)
    steps = [
        w.sentence("shopping.one", e=m(rf"{n} \times {p} = {p * n}"), cost=p * n),
        w.sentence("shopping.two", e=m(rf"{k} \times {q} = {q * k}"), cost=q * k),
        w.sentence("shopping.both", e=m(f"{p * n} + {q * k} = {cost}"), cost=cost),
        w.sentence("shopping.rest", e=m(f"{purse} - {cost} = {purse - cost}"), rest=purse - cost),
    ]
    return worked(w, "arithmetic.shopping", steps, m(purse - cost), p=p, q=q, n=n, k=k, purse=purse)


def journey(w: Writer) -> Problem:
    v, u, h, g = w.rng.randint(4, 95), w.rng.randint(4, 95), w.rng.randint(2, 8), w.rng.randint(2, 7)
    total = v * h + u * g
    steps = [
        w.sentence("journey.first", e=m(rf"{v} \times {h} = {v * h}"), d=v * h),
        w.sentence("journey.second", e=m(rf"{u} \times {g} = {u * g}"), d=u * g),
        w.sentence("journey.sum", e=m(f"{v * h} + {u * g} = {total}"), d=total),
    ]
    return worked(w, "arithmetic.journey", steps, m(total), v=v, u=u, h=h, g=g)


def ratio_share(w: Writer) -> Problem:
    a, b = w.rng.sample(range(1, 12), 2)
    unit = w.rng.randint(3, 45)
    total = (a + b) * unit
    steps = [
        w.sentence("ratio_share.parts", e=m(f"{a} + {b} = {a + b}"), parts=a + b),
        w.sentence("ratio_share.unit", e=m(rf"{total} \div {a + b} = {unit}"), unit=unit),
        w.sentence(
            "ratio_share.give", x=m(rf"{a} \times {unit} = {a * unit}"), y=m(rf"{b} \times {unit} = {b * unit}")
        ),
    ]
    answer = w.say("two.values", x=m(a * unit), y=m(b * unit))
    return worked(w, "arithmetic.ratio_share", steps, answer, a=a, b=b, ratio=m(f"{a} : {b}"), total=total)


def mean_value(w: Writer) -> Problem:
    n = w.rng.randint(3, 6)
    data = [w.rng.randint(4, 60) for _ in range(n - 1)]
    data.append(w.rng.randint(8, 40) + (-sum(data)) % n)
    data[-1] += -sum(data) % n
    total = sum(data)
    values = ", ".join(map(str, data))
    steps = [
        w.sentence("mean_value.sum", e=dm(" + ".join(map(str, data)) + f" = {total}"), n=n),
        w.sentence("mean_value.divide", e=m(rf"{total} \div {n} = {total // n}"), n=n),
    ]
    return worked(w, "arithmetic.mean_value", steps, m(total // n), data=values, n=n)


ARITHMETIC: tuple[Family, ...] = (
    running_sum,
    running_sum,
    column_sum,
    product_split,
    long_division,
    brackets,
    fraction_sum,
    percentage,
    shopping,
    journey,
    ratio_share,
    mean_value,
)
