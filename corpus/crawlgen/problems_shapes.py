"""Worked problems of geometry, number theory and chance. The words come from `text/<language>/shapes.txt`."""

import math
from fractions import Fraction

from corpus.crawlgen.formula import dm, m
from corpus.crawlgen.problems_arithmetic import Family, Problem, fraction, worked
from corpus.crawlgen.writer import Writer

TRIPLES = ((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29), (9, 40, 41), (12, 35, 37))


def factors(number: int) -> list[int]:
    """Prime factors with repetition, ascending."""
    found, p = [], 2
    while number > 1:
        while number % p == 0:
            found.append(p)
            number //= p
        p += 1
    return found


def right_triangle(w: Writer) -> Problem:
    scale = w.rng.randint(1, 9)
    a, b, c = (side * scale for side in w.rng.choice(TRIPLES))
    steps = [
        w.sentence("right_triangle.law", e=m("a^2 + b^2 = c^2")),
        w.sentence("right_triangle.squares", e=dm(f"c^2 = {a}^2 + {b}^2 = {a * a} + {b * b} = {c * c}")),
        w.sentence("right_triangle.root", e=m(rf"c = \sqrt{{{c * c}}} = {c}")),
    ]
    return worked(w, "geometry.right_triangle", steps, m(c), a=a, b=b)


def triangle_angles(w: Writer) -> Problem:
    a, b = w.rng.randint(22, 88), w.rng.randint(20, 85)
    c = 180 - a - b
    steps = [
        w.sentence("triangle_angles.sum", e=m(r"\alpha + \beta + \theta = 180^\circ")),
        w.sentence("triangle_angles.minus", e=m(rf"\theta = 180^\circ - {a}^\circ - {b}^\circ = {c}^\circ")),
    ]
    return worked(w, "geometry.triangle_angles", steps, m(rf"{c}^\circ"), a=m(rf"{a}^\circ"), b=m(rf"{b}^\circ"))


def circle(w: Writer) -> Problem:
    r = w.rng.randint(2, 30)
    steps = [
        w.sentence("circle.area", e=m(rf"A = \pi r^2 = \pi \cdot {r}^2 = {r * r} \pi"), r=r),
        w.sentence("circle.around", e=m(rf"U = 2 \pi r = {2 * r} \pi")),
        w.sentence("circle.about", e=m(rf"A \approx {3.1416 * r * r:.1f}"), f=m(rf"U \approx {6.2832 * r:.1f}")),
    ]
    return worked(w, "geometry.circle", steps, w.say("two.values", x=m(rf"{r * r}\pi"), y=m(rf"{2 * r}\pi")), r=r)


def cuboid(w: Writer) -> Problem:
    a, b, c = (w.rng.randint(2, 25) for _ in "abc")
    surface = 2 * (a * b + b * c + a * c)
    steps = [
        w.sentence("cuboid.volume", e=m(rf"V = {a} \cdot {b} \cdot {c} = {a * b * c}")),
        w.sentence(
            "cuboid.faces",
            x=m(rf"{a} \cdot {b} = {a * b}"),
            y=m(rf"{b} \cdot {c} = {b * c}"),
            z=m(rf"{a} \cdot {c} = {a * c}"),
        ),
        w.sentence("cuboid.surface", e=dm(rf"O = 2 \cdot ({a * b} + {b * c} + {a * c}) = {surface}")),
    ]
    return worked(w, "geometry.cuboid", steps, w.say("two.values", x=m(a * b * c), y=m(surface)), a=a, b=b, c=c)


def rectangle(w: Writer) -> Problem:
    a, b = w.rng.randint(5, 60), w.rng.randint(3, 50)
    steps = [
        w.sentence("rectangle.half", e=m(rf"{2 * (a + b)} \div 2 = {a + b}")),
        w.sentence("rectangle.other", e=m(f"{a + b} - {a} = {b}"), b=b),
        w.sentence("rectangle.area", e=m(rf"{a} \times {b} = {a * b}")),
    ]
    return worked(w, "geometry.rectangle", steps, m(a * b), a=a, around=2 * (a + b))


def distance(w: Writer) -> Problem:
    a, b, c = w.rng.choice(TRIPLES)
    x, y = w.rng.randint(-9, 9), w.rng.randint(-9, 9)
    steps = [
        w.sentence("distance.parts", x=m(f"{x + a} - ({x}) = {a}"), y=m(f"{y + b} - ({y}) = {b}")),
        w.sentence("distance.root", e=dm(rf"d = \sqrt{{{a}^2 + {b}^2}} = \sqrt{{{c * c}}} = {c}")),
    ]
    return worked(w, "geometry.distance", steps, m(c), p=m(f"({x}, {y})"), q=m(f"({x + a}, {y + b})"))


def greatest_divisor(w: Writer) -> Problem:
    g = w.rng.randint(2, 24)
    a, b = g * w.rng.randint(8, 40), g * w.rng.randint(3, 25)
    a, b = max(a, b), min(a, b)
    start, steps = (a, b), [w.sentence("greatest_divisor.plan", a=a, b=b)]
    while b:
        steps.append(w.sentence("greatest_divisor.step", e=m(rf"{a} = {a // b} \cdot {b} + {a % b}"), r=a % b))
        a, b = b, a % b
    e = m(rf"\gcd({start[0]}, {start[1]})")
    steps.append(w.sentence("greatest_divisor.end", e=m(rf"\gcd({start[0]}, {start[1]}) = {a}")))
    return worked(w, "numbers.greatest_divisor", steps, m(a), e=e, a=start[0], b=start[1])


def prime_factors(w: Writer) -> Problem:
    n = w.rng.randint(4, 40) * w.rng.randint(6, 45)
    found, rest, steps = factors(n), n, []
    for p in found[:-1]:
        steps.append(w.sentence("prime_factors.step", e=m(rf"{rest} = {p} \cdot {rest // p}"), p=p))
        rest //= p
    power = {p: found.count(p) for p in found}
    shown = r" \cdot ".join(f"{p}^{k}" if k > 1 else str(p) for p, k in power.items())
    count = math.prod(k + 1 for k in power.values())
    product = r" \cdot ".join(f"({k} + 1)" for k in power.values())
    steps.append(w.sentence("prime_factors.end", e=m(f"{n} = {shown}")))
    steps.append(w.sentence("prime_factors.divisors", e=m(f"{product} = {count}")))
    return worked(w, "numbers.prime_factors", steps, w.say("two.values", x=m(shown), y=m(count)), n=n)


def power_remainder(w: Writer) -> Problem:
    modulus = w.rng.choice((5, 7, 9, 10, 11, 13))
    base = w.rng.choice([b for b in range(2, 13) if math.gcd(b, modulus) == 1])  # so that the powers form a cycle
    exponent = w.rng.randint(8, 60)
    seen, value, steps = [base % modulus], base % modulus, []
    while len(seen) < 12 and (value * base % modulus) not in seen:
        value = value * base % modulus
        seen.append(value)
    first = ", ".join(map(str, seen))
    result = pow(base, exponent, modulus)
    steps = [
        w.sentence("power_remainder.list", e=m(first), m=modulus),
        w.sentence("power_remainder.cycle", n=len(seen)),
        w.sentence("power_remainder.end", e=m(rf"{base}^{{{exponent}}} \equiv {result} \; (\mod {modulus})")),
    ]
    return worked(w, "numbers.power_remainder", steps, m(result), e=m(f"{base}^{{{exponent}}}"), m=modulus)


def digit_sum(w: Writer) -> Problem:
    n = w.rng.randint(1000, 99999)
    total = sum(map(int, str(n)))
    steps = [
        w.sentence("digit_sum.add", e=m(" + ".join(str(n)) + f" = {total}")),
        w.sentence("digit_sum.yes" if total % 9 == 0 else "digit_sum.no", r=total % 9, s=total),
    ]
    return worked(w, "numbers.digit_sum", steps, m(n % 9), n=n)


def balls(w: Writer) -> Problem:
    r, b = w.rng.randint(2, 9), w.rng.randint(2, 9)
    n = r + b
    chance = Fraction(r * (r - 1), n * (n - 1))
    steps = [
        w.sentence("balls.first", e=m(rf"\frac{{{r}}}{{{n}}}"), n=n, r=r),
        w.sentence("balls.second", e=m(rf"\frac{{{r - 1}}}{{{n - 1}}}")),
        w.sentence(
            "balls.both", e=dm(rf"P = \frac{{{r}}}{{{n}}} \cdot \frac{{{r - 1}}}{{{n - 1}}} = {fraction(chance)}")
        ),
    ]
    return worked(w, "chance.balls", steps, m(fraction(chance)), r=r, b=b)


def dice_sum(w: Writer) -> Problem:
    s = w.rng.randint(3, 11)
    pairs = [(i, s - i) for i in range(1, 7) if 1 <= s - i <= 6]
    chance = Fraction(len(pairs), 36)
    steps = [
        w.sentence("dice_sum.all", e=m(r"6 \cdot 6 = 36")),
        w.sentence("dice_sum.good", e=m(", ".join(f"({i}, {j})" for i, j in pairs)), k=len(pairs)),
        w.sentence("dice_sum.ratio", e=m(rf"\frac{{{len(pairs)}}}{{36}} = {fraction(chance)}")),
    ]
    return worked(w, "chance.dice_sum", steps, m(fraction(chance)), s=s)


def choose(w: Writer) -> Problem:
    n, k = w.rng.randint(5, 14), w.rng.randint(2, 4)
    top = r" \cdot ".join(str(n - i) for i in range(k))
    ways = math.comb(n, k)
    steps = [
        w.sentence("choose.order", n=n, k=k),
        w.sentence("choose.formula", e=dm(rf"\binom{{{n}}}{{{k}}} = \frac{{{top}}}{{{math.factorial(k)}}} = {ways}")),
    ]
    return worked(w, "chance.choose", steps, m(ways), n=n, k=k)


def expected_win(w: Writer) -> Problem:
    win, stake, n = w.rng.randint(4, 40), w.rng.randint(1, 6), w.rng.choice((4, 5, 6, 8, 10, 20))
    value = Fraction(win, n) - stake
    steps = [
        w.sentence(
            "expected_win.mean",
            e=dm(
                rf"E = \frac{{1}}{{{n}}} \cdot {win} + \frac{{{n - 1}}}{{{n}}} \cdot 0 = {fraction(Fraction(win, n))}"
            ),
        ),
        w.sentence("expected_win.stake", e=m(f"{fraction(Fraction(win, n))} - {stake} = {fraction(value)}")),
        w.sentence("expected_win.fair" if value == 0 else "expected_win.unfair"),
    ]
    return worked(w, "chance.expected_win", steps, m(fraction(value)), win=win, stake=stake, n=n)


GEOMETRY: tuple[Family, ...] = (right_triangle, triangle_angles, circle, cuboid, rectangle, distance)
NUMBERS: tuple[Family, ...] = (greatest_divisor, prime_factors, power_remainder, digit_sum)
CHANCE: tuple[Family, ...] = (balls, dice_sum, choose, expected_win)
