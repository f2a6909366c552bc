"""Algebra programs of our own making; they stand where the paper has AlgebraicStack (section 2.3, docs/deviations.md).

Short Python, Lean and PARI scripts about numbers, polynomials and matrices. Every value written in them is computed.
"""

import random
from fractions import Fraction
from math import gcd

from pretrain.small_numbers import factor, signed_steps, term

NAMES = ("a", "b", "c", "k", "m", "n", "p", "q", "r", "s", "t", "u", "v", "x", "y", "z")


def algebra_program(random_: random.Random) -> str:
    """One program of three to six blocks; some repeat a topic with other numbers."""
    blocks = random_.choices(BLOCKS, k=random_.randint(3, 6))
    return "\n\n".join(block(random_) for block in blocks) + "\n"


def running_total(random_: random.Random) -> str:
    """Adds and subtracts terms one at a time, each step in a comment."""
    name = random_.choice(NAMES)
    text, steps, total = signed_steps(random_, random_.randint(1, 4))
    lines = [f"{name} = {text}"] + [f"# {step}" for step in steps]
    return "\n".join([*lines, f"assert {name} == {total}"])


def scaled_total(random_: random.Random) -> str:
    """Multiplies and adds inside a function, with the intermediate values."""
    count, each, extra = factor(random_), factor(random_), term(random_)
    goods = count * each
    return (
        f"def price(count, each, extra):\n    goods = count*each\n    return goods + extra\n\n\n"
        f"# {count}*{each}={goods}, {goods}+{extra}={goods + extra}\n"
        f"print(price({count}, {each}, {extra}))  # {goods + extra}"
    )


def euclid(random_: random.Random) -> str:
    """Euclid's algorithm, each division in a comment."""
    larger, smaller = sorted((random_.randint(12, 120), random_.randint(12, 120)), reverse=True)
    lines = ["def gcd(m, n):", "    while n:", "        m, n = n, m % n", "    return m", "", ""]
    m, n = larger, smaller
    while n:
        lines.append(f"# {n}*{m // n}={n * (m // n)}, {m}-{n * (m // n)}={m % n}")
        m, n = n, m % n
    return "\n".join([*lines, f"assert gcd({larger}, {smaller}) == {m}"])


def horner(random_: random.Random) -> str:
    """A polynomial at one point by Horner's rule."""
    coefficients = [random_.randint(-9, 9) or 1 for _ in range(random_.randint(3, 4))]
    point = random_.randint(2, 6)
    lines = [f"# value of the polynomial {coefficients} at {point}, highest power first", "value = 0"]
    value = 0
    for coefficient in coefficients:
        before, value = value, value * point + coefficient
        lines.append(f"value = value * {point} + ({coefficient})  # {before} * {point} + ({coefficient}) = {value}")
    return "\n".join([*lines, f"assert value == {value}"])


def linear_equation(random_: random.Random) -> str:
    """a x + b = c with a whole solution."""
    slope, shift, root, name = factor(random_), term(random_), factor(random_), random_.choice(NAMES)
    left = slope * root
    return (
        f"# solve {slope}{name}+{shift}={left + shift}\n"
        f"# {left + shift}-{shift}={left}, {left}/{slope}={root}\n"
        f"{name} = ({left + shift}-{shift})//{slope}\n"
        f"assert {slope}*{name}+{shift} == {left + shift}"
    )


def factors(random_: random.Random) -> str:
    """Two linear factors multiplied out."""
    first, second = random_.randint(1, 12), random_.randint(1, 12)
    return (
        f"# (x + {first})*(x + {second}) = x**2 + {first + second}*x + {first * second}\n"
        f"for x in range({random_.randint(3, 9)}):\n"
        f"    assert (x + {first}) * (x + {second}) == x**2 + {first + second} * x + {first * second}"
    )


def matrix(random_: random.Random) -> str:
    """Determinant and square of a 2 by 2 matrix."""
    a, b, c, d = (random_.randint(-6, 9) for _ in range(4))
    square = [[a * a + b * c, a * b + b * d], [c * a + d * c, c * b + d * d]]
    return (
        f"A = [[{a}, {b}], [{c}, {d}]]\n"
        f"det = A[0][0] * A[1][1] - A[0][1] * A[1][0]  # {a * d} - {b * c} = {a * d - b * c}\n"
        f"square = [[sum(A[i][k] * A[k][j] for k in range(2)) for j in range(2)] for i in range(2)]\n"
        f"assert square == {square}"
    )


def powers_modulo(random_: random.Random) -> str:
    """The powers of a number modulo a small prime."""
    modulus, start = random_.choice((7, 11, 13, 17, 19, 23)), random_.randint(2, 6)
    rows = ", ".join(f"{start}^{power} = {pow(start, power, modulus)}" for power in range(1, random_.randint(4, 8)))
    loop = f"for(k = 1, {modulus - 1}, print(Mod({start}, {modulus})^k))"
    return f"\\\\ powers of {start} modulo {modulus}\n\\\\ {rows}\n{loop}"


def fractions(random_: random.Random) -> str:
    """The sum of two fractions, over the common denominator."""
    first, second = (Fraction(random_.randint(1, 9), random_.randint(2, 12)) for _ in range(2))
    common = first.denominator * second.denominator // gcd(first.denominator, second.denominator)
    left, right = (value.numerator * (common // value.denominator) for value in (first, second))
    return (
        f"from fractions import Fraction\n\n"
        f"# {first} + {second} = {left}/{common} + {right}/{common} = {left + right}/{common}\n"
        f"assert Fraction({first.numerator}, {first.denominator}) + Fraction({second.numerator}, {second.denominator})"
        f" == Fraction({left + right}, {common})"
    )


def lean_examples(random_: random.Random) -> str:
    """Numerals checked by Lean's `norm_num` and one identity by `ring`."""
    lines = []
    for _ in range(random_.randint(2, 4)):
        a, b, c = (random_.randint(2, 30) for _ in range(3))
        lines.append(f"example : ({a} : ℤ) + {b} = {a + b} := by norm_num")
        lines.append(f"example : ({a} : ℤ) * ({b} - {c}) = {a * (b - c)} := by norm_num")
    x, y = random_.sample(NAMES, 2)
    lines.append(f"theorem square_of_sum ({x} {y} : ℤ) : ({x} + {y})^2 = {x}^2 + 2*{x}*{y} + {y}^2 := by ring")
    return "\n".join(lines)


def checks(random_: random.Random) -> str:
    """A test function full of sums, differences, products, quotients and remainders."""
    lines = [f"def test_arithmetic_{random_.randint(1, 99)}():"]
    for _ in range(random_.randint(4, 9)):
        a, b, c, d = term(random_), term(random_), factor(random_), factor(random_)
        sums = (f"{a}+{b}=={a + b}", f"{a + b}-{b}=={a}")
        products = (f"{c}*{d}=={c * d}", f"{c * d}//{c}=={d}", f"{c * d + 1}%{c}==1")
        lines.append(f"    assert {random_.choice((*sums, *products))}")
    return "\n".join(lines)


def table_of_products(random_: random.Random) -> str:
    """One row of the multiplication table as data."""
    factor, first = random_.randint(2, 15), random_.randint(1, 9)
    rows = ", ".join(f"{number}: {factor * number}" for number in range(first, first + random_.randint(4, 8)))
    return f"times_{factor} = {{{rows}}}\nassert all(product == {factor} * n for n, product in times_{factor}.items())"


BLOCKS = (
    running_total,
    running_total,
    running_total,
    scaled_total,
    scaled_total,
    linear_equation,
    checks,
    checks,
    euclid,
    horner,
    linear_equation,
    factors,
    matrix,
    powers_modulo,
    fractions,
    lean_examples,
    table_of_products,
)
