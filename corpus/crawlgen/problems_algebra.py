"""Worked problems of algebra and calculus. The words come from `text/<language>/algebra.txt`."""

from fractions import Fraction

from corpus.crawlgen.formula import dm, m
from corpus.crawlgen.problems_arithmetic import Family, Problem, fraction, worked
from corpus.crawlgen.writer import Writer


def polynomial(coefficients: list[int], name: str = "x") -> str:
    """LaTeX of a polynomial, highest power first; coefficients[k] belongs to the k-th power."""
    text = ""
    for power in reversed(range(len(coefficients))):
        value = coefficients[power]
        if not value:
            continue
        sign = ("-" if value < 0 else "") if not text else (" - " if value < 0 else " + ")
        letter = "" if power == 0 else name if power == 1 else f"{name}^{{{power}}}" if power > 9 else f"{name}^{power}"
        text += sign + (letter if abs(value) == 1 and power else f"{abs(value)}{letter}")
    return text or "0"


def _nonzero(w: Writer, high: int) -> int:
    return w.rng.choice((-1, 1)) * w.rng.randint(1, high)


def linear_equation(w: Writer) -> Problem:
    name = w.rng.choice("xxytz")
    root, a, b = _nonzero(w, 15), w.rng.randint(2, 12), _nonzero(w, 30)
    right = a * root + b
    left = polynomial([b, a], name)
    flipped = f"{right} - {b}" if b > 0 else f"{right} + {-b}"
    steps = [
        w.sentence("linear_equation.move", e=m(f"{a}{name} = {flipped} = {right - b}"), b=abs(b)),
        w.sentence("linear_equation.divide", e=m(rf"{name} = \frac{{{right - b}}}{{{a}}} = {root}"), a=a),
        w.sentence("linear_equation.check", e=m(f"{a * root} {'+' if b > 0 else '-'} {abs(b)} = {right}")),
    ]
    return worked(w, "algebra.linear_equation", steps, m(f"{name} = {root}"), e=m(f"{left} = {right}"), x=m(name))


def both_sides(w: Writer) -> Problem:
    root, c = _nonzero(w, 12), w.rng.randint(2, 7)
    a, b = c + w.rng.randint(1, 8), _nonzero(w, 25)
    d = a * root + b - c * root
    steps = [
        w.sentence("both_sides.gather", e=m(f"{polynomial([b, a - c])} = {d}"), c=m(polynomial([0, c]))),
        w.sentence("both_sides.move", e=m(f"{polynomial([0, a - c])} = {d - b}")),
    ]
    if a - c > 1:
        steps.append(w.sentence("linear_equation.divide", e=m(f"x = {root}"), a=a - c))
    e = m(f"{polynomial([b, a])} = {polynomial([d, c])}")
    return worked(w, "algebra.both_sides", steps, m(f"x = {root}"), e=e)


def quadratic(w: Writer) -> Problem:
    p, q = _nonzero(w, 11), _nonzero(w, 11)
    equation = polynomial([p * q, -p - q, 1])
    factors = "".join(f"(x {'-' if r > 0 else '+'} {abs(r)})" for r in (p, q))
    steps = [
        w.sentence("quadratic.look", s=p + q, t=p * q),
        w.sentence(
            "quadratic.pair", p=p, q=q, sum=m(f"{p} + ({q}) = {p + q}"), product=m(rf"{p} \cdot ({q}) = {p * q}")
        ),
        w.sentence("quadratic.factor", e=dm(f"{equation} = {factors}")),
        w.sentence("quadratic.zero", x=m(f"x = {p}"), y=m(f"x = {q}")),
    ]
    answer = w.say("two.values", x=m(f"x = {p}"), y=m(f"x = {q}")) if p != q else m(f"x = {p}")
    return worked(w, "algebra.quadratic", steps, answer, e=m(f"{equation} = 0"))


def linear_system(w: Writer) -> Problem:
    x, y, a, b = _nonzero(w, 9), _nonzero(w, 9), w.rng.randint(1, 6), w.rng.randint(2, 6)
    first, second = a * x + b * y, x - y
    steps = [
        w.sentence("linear_system.express", e=m(f"x = y {'+' if second >= 0 else '-'} {abs(second)}")),
        w.sentence(
            "linear_system.insert",
            e=dm(f"{a}(y {'+' if second >= 0 else '-'} {abs(second)}) + {b}y = {first}"),
        ),
        w.sentence("linear_system.solve", e=m(f"{a + b}y = {first - a * second}"), y=m(f"y = {y}")),
        w.sentence("linear_system.back", e=m(f"x = {x}")),
    ]
    e, f = m(f"{polynomial([0, a])} + {b}y = {first}"), m(f"x - y = {second}")
    return worked(w, "algebra.linear_system", steps, m(f"(x, y) = ({x}, {y})"), e=e, f=f)


def expand(w: Writer) -> Problem:
    a, b, c, d = w.rng.randint(1, 6), _nonzero(w, 9), w.rng.randint(1, 5), _nonzero(w, 9)
    left, right = polynomial([b, a]), polynomial([d, c])
    product = polynomial([b * d, a * d + b * c, a * c])
    steps = [
        w.sentence(
            "expand.terms", e=m(f"{a * c}x^2"), f=m(polynomial([0, a * d])), g=m(polynomial([0, b * c])), h=m(b * d)
        ),
        w.sentence("expand.collect", e=dm(f"({left})({right}) = {product}")),
    ]
    return worked(w, "algebra.expand", steps, m(product), e=m(f"({left})({right})"))


def arithmetic_sequence(w: Writer) -> Problem:
    a, d, n = w.rng.randint(-5, 20), w.rng.choice((-4, -3, 2, 3, 4, 5, 7, 9, 11)), w.rng.randint(8, 40)
    last = a + (n - 1) * d
    total = n * (a + last) // 2
    steps = [
        w.sentence("arithmetic_sequence.last", e=dm(rf"a_{{{n}}} = {a} + ({n} - 1) \cdot ({d}) = {last}"), n=n),
        w.sentence(
            "arithmetic_sequence.sum", e=dm(rf"S_{{{n}}} = \frac{{{n} \cdot ({a} + ({last}))}}{{2}} = {total}"), n=n
        ),
    ]
    shown = ", ".join(str(a + k * d) for k in range(4)) + ", \\dots"
    return worked(w, "algebra.arithmetic_sequence", steps, m(total), n=n, a=m(a), d=m(d), shown=m(shown))


def geometric_sum(w: Writer) -> Problem:
    a, r, n = w.rng.randint(1, 9), w.rng.randint(2, 5), w.rng.randint(4, 8)
    total = a * (r**n - 1) // (r - 1)
    steps = [
        w.sentence("geometric_sum.formula", e=dm(r"S_n = a \cdot \frac{r^n - 1}{r - 1}")),
        w.sentence("geometric_sum.power", e=m(f"{r}^{n} = {r**n}")),
        w.sentence("geometric_sum.insert", e=dm(rf"S_{n} = {a} \cdot \frac{{{r**n} - 1}}{{{r - 1}}} = {total}")),
    ]
    return worked(w, "algebra.geometric_sum", steps, m(total), a=a, r=r, n=n)


def inequality(w: Writer) -> Problem:
    bound, a, b = _nonzero(w, 12), _nonzero(w, 8), _nonzero(w, 20)
    right = a * bound + b
    sign, turned = ("<", ">") if a < 0 else ("<", "<")
    steps = [w.sentence("inequality.move", e=m(f"{polynomial([0, a])} {sign} {right - b}"))]
    kind = "inequality.turn" if a < 0 else "inequality.keep"
    steps.append(w.sentence(kind, a=m(a), e=m(f"x {turned} {bound}")))
    return worked(w, "algebra.inequality", steps, m(f"x {turned} {bound}"), e=m(f"{polynomial([b, a])} {sign} {right}"))


def derivative(w: Writer) -> Problem:
    c = [_nonzero(w, 12) for _ in range(w.rng.choice((3, 4, 4, 5)))]
    slope = [k * v for k, v in enumerate(c)][1:]
    at = w.rng.randint(-3, 4)
    value = sum(v * at**k for k, v in enumerate(slope))
    steps = [
        w.sentence("derivative.rule", e=m(r"(x^n)^{\prime} = n x^{n-1}")),
        w.sentence("derivative.apply", e=dm(rf"f^{{\prime}}(x) = {polynomial(slope)}")),
        w.sentence("derivative.insert", e=m(rf"f^{{\prime}}({at}) = {value}"), at=m(f"x = {at}")),
    ]
    return worked(w, "calculus.derivative", steps, m(value), f=m(f"f(x) = {polynomial(c)}"), at=m(f"x = {at}"))


def integral(w: Writer) -> Problem:
    a, b = w.rng.randint(0, 3), w.rng.randint(4, 7)
    c = [w.rng.randint(1, 9), 2 * _nonzero(w, 6), 3 * w.rng.randint(1, 4)]
    anti = [0, c[0], c[1] // 2, c[2] // 3]
    at_a, at_b = (sum(v * x**k for k, v in enumerate(anti)) for x in (a, b))
    steps = [
        w.sentence("integral.anti", e=m(f"F(x) = {polynomial(anti)}")),
        w.sentence("integral.ends", x=m(f"F({b}) = {at_b}"), y=m(f"F({a}) = {at_a}")),
        w.sentence("integral.minus", e=dm(rf"\int_{{{a}}}^{{{b}}} f(x) \, dx = {at_b} - ({at_a}) = {at_b - at_a}")),
    ]
    e = dm(rf"\int_{{{a}}}^{{{b}}} ({polynomial(c)}) \, dx")
    return worked(w, "calculus.integral", steps, m(at_b - at_a), e=e, a=m(f"x = {a}"), b=m(f"x = {b}"))


def limit_value(w: Writer) -> Problem:
    p, q = _nonzero(w, 9), _nonzero(w, 9)
    if p == q:
        q += 1 if q != -1 else 2
    top = polynomial([p * q, -p - q, 1])
    bottom, rest = polynomial([-p, 1]), polynomial([-q, 1])
    steps = [
        w.sentence("limit_value.zero", p=m(f"x = {p}")),
        w.sentence("limit_value.factor", e=dm(rf"{top} = ({bottom})({rest})"), c=m(bottom)),
        w.sentence("limit_value.insert", e=m(rf"\lim_{{x \to {p}}} ({rest}) = {p - q}")),
    ]
    return worked(w, "calculus.limit_value", steps, m(p - q), e=dm(rf"\lim_{{x \to {p}}} \frac{{{top}}}{{{bottom}}}"))


def extremum(w: Writer) -> Problem:
    a, v, c = _nonzero(w, 5), _nonzero(w, 8), _nonzero(w, 25)
    value = c - a * v * v
    steps = [
        w.sentence("extremum.slope", e=m(rf"f^{{\prime}}(x) = {polynomial([-2 * a * v, 2 * a])}")),
        w.sentence("extremum.zero", e=m(f"x = {v}")),
        w.sentence("extremum.min" if a > 0 else "extremum.max", e=m(rf"f^{{\prime\prime}}(x) = {2 * a}")),
        w.sentence("extremum.value", e=m(f"f({v}) = {value}")),
    ]
    f = m(f"f(x) = {polynomial([c, -2 * a * v, a])}")
    return worked(w, "calculus.extremum", steps, m(f"({v}, {value})"), f=f)


def tangent(w: Writer) -> Problem:
    a, b, c, x = _nonzero(w, 4), _nonzero(w, 7), _nonzero(w, 9), w.rng.randint(-3, 4)
    y, k = a * x * x + b * x + c, 2 * a * x + b
    steps = [
        w.sentence("tangent.point", e=m(f"f({x}) = {y}")),
        w.sentence("derivative.apply", e=m(rf"f^{{\prime}}(x) = {polynomial([b, 2 * a])}")),
        w.sentence("tangent.slope", e=m(rf"f^{{\prime}}({x}) = {k}")),
        w.sentence("tangent.line", e=dm(f"y = {polynomial([y - k * x, k])}")),
    ]
    f = m(f"f(x) = {polynomial([c, b, a])}")
    return worked(w, "calculus.tangent", steps, m(f"y = {polynomial([y - k * x, k])}"), f=f, at=m(f"x = {x}"))


def slope_of_line(w: Writer) -> Problem:
    x, y, u, v = w.rng.randint(-8, 3), w.rng.randint(-9, 9), w.rng.randint(4, 12), w.rng.randint(-9, 12)
    k = Fraction(v - y, u - x)
    steps = [
        w.sentence("slope_of_line.ratio", e=dm(rf"k = \frac{{{v} - ({y})}}{{{u} - ({x})}} = {fraction(k)}")),
        w.sentence("slope_of_line.offset", e=m(rf"b = {y} - k \cdot ({x}) = {fraction(y - k * x)}")),
    ]
    return worked(w, "algebra.slope_of_line", steps, m(fraction(k)), p=m(f"({x}, {y})"), q=m(f"({u}, {v})"))


ALGEBRA: tuple[Family, ...] = (
    linear_equation,
    both_sides,
    quadratic,
    linear_system,
    expand,
    arithmetic_sequence,
    geometric_sum,
    inequality,
    slope_of_line,
)
CALCULUS: tuple[Family, ...] = (derivative, integral, limit_value, extremum, tangent)
