r"""LaTeX papers of our own making; they stand where the paper has arXiv (section 2.3, docs/deviations.md).

Bodies without preamble, as in ArXiv-RedPajama. The mathematics in them is elementary, and every value is computed.
"""

import random
from math import comb, gcd

from pretrain.small_numbers import factor, signed_steps, term

OBJECTS = ("sums", "products", "sequences", "polynomials", "divisors", "residues", "lattices", "graphs", "matrices")
ADJECTIVES = (
    "elementary",
    "finite",
    "integral",
    "simple",
    "regular",
    "bounded",
    "symmetric",
    "consecutive",
    "monotone",
)
OPENINGS = (
    "We study {a} {o} and give short proofs of several identities.",
    "This note collects remarks on {a} {o}.",
    "We give a direct treatment of {a} {o}, with examples.",
    "The aim of this paper is to compute {a} {o} by hand.",
)
LINKS = (
    "We begin with an example.",
    "The following is well known.",
    "For later use we record a fact.",
    "Let us compute.",
)


def latex_paper(random_: random.Random) -> str:
    """One paper: title, abstract and three to six sections."""
    adjective, noun = random_.choice(ADJECTIVES), random_.choice(OBJECTS)
    sections = random_.choices(SECTIONS, k=random_.randint(3, 6))
    parts = [
        f"\\title{{On {adjective} {noun}}}",
        "\\begin{abstract}\n" + random_.choice(OPENINGS).format(a=adjective, o=noun) + "\n\\end{abstract}",
        *(f"{section(random_)}" for section in sections),
        "\\section*{Acknowledgements}\nThe author thanks the readers of an earlier version.",
    ]
    return "\n\n".join(parts) + "\n"


def progression(random_: random.Random) -> str:
    """The sum of an arithmetic progression, by formula and term by term."""
    first, step, terms = random_.randint(1, 20), random_.randint(1, 9), random_.randint(4, 7)
    values = [first + step * index for index in range(terms)]
    return (
        f"\\section{{Arithmetic progressions}}\n{random_.choice(LINKS)}\n"
        "\\begin{lemma}\nIf $a_k = a_1 + (k-1)d$, then $\\sum_{k=1}^{n} a_k = \\frac{n(a_1+a_n)}{2}$.\n\\end{lemma}\n"
        f"\\begin{{example}}\nFor $a_1 = {first}$, $d = {step}$ and $n = {terms}$ we have\n"
        f"\\[ {' + '.join(map(str, values))} = \\frac{{{terms} \\cdot ({first} + {values[-1]})}}{{2}}"
        f" = {sum(values)}. \\]\n"
        f"\\end{{example}}"
    )


def expansion(random_: random.Random) -> str:
    """A product of two binomials and its value at a point."""
    a, b, point = random_.randint(1, 12), random_.randint(1, 12), random_.randint(1, 9)
    value = (point + a) * (point - b)
    middle = a - b
    return (
        f"\\section{{Quadratic polynomials}}\n{random_.choice(LINKS)} Expanding,\n"
        f"\\begin{{align*}}\n(x + {a})(x - {b}) &= x^2 - {b}x + {a}x - {a * b} \\\\\n"
        f"&= x^2 {'+' if middle >= 0 else '-'} {abs(middle)}x - {a * b}.\n\\end{{align*}}\n"
        f"At $x = {point}$ both sides equal ${point + a} \\cdot ({point - b}) = {value}$."
    )


def common_divisors(random_: random.Random) -> str:
    """A greatest common divisor by Euclid."""
    m, n = sorted((random_.randint(20, 300), random_.randint(20, 300)), reverse=True)
    steps, a, b = [], m, n
    while b:
        steps.append(f"{a} &= {a // b} \\cdot {b} + {a % b}")
        a, b = b, a % b
    return (
        f"\\section{{Common divisors}}\n\\begin{{proposition}}\nWe have $\\gcd({m}, {n}) = {gcd(m, n)}$.\n"
        "\\end{proposition}\n"
        "\\begin{proof}\nBy the algorithm of Euclid,\n\\begin{align*}\n" + ", \\\\\n".join(steps) + ".\n\\end{align*}\n"
        f"The last remainder that is not zero is ${gcd(m, n)}$.\n\\end{{proof}}"
    )


def linear_equations(random_: random.Random) -> str:
    """Two linear equations in one unknown, each solved by two steps."""
    parts = []
    for _ in range(2):
        slope, shift, root, name = factor(random_), term(random_), factor(random_), random_.choice("nxy")
        left = slope * root
        parts.append(
            f"If ${slope}{name}+{shift}={left + shift}$, then ${left + shift}-{shift}={left}$ and "
            f"${left}/{slope}={root}$, so ${name}={root}$."
        )
    return "\\section{Linear equations}\n" + "\n".join(parts)


def induction(random_: random.Random) -> str:
    """The sum of the first odd numbers, by induction, checked at one n."""
    n = random_.randint(3, 8)
    odds = [2 * k - 1 for k in range(1, n + 1)]
    return (
        "\\section{Sums of odd numbers}\n"
        "\\begin{theorem}\nFor every $n \\ge 1$, $\\sum_{k=1}^{n} (2k-1) = n^2$.\n\\end{theorem}\n"
        "\\begin{proof}\nFor $n = 1$ both sides are $1$. If it holds for $n$, then the sum for $n + 1$ is "
        "$n^2 + (2n + 1) = (n+1)^2$.\n\\end{proof}\n"
        f"For instance ${' + '.join(map(str, odds))} = {n}^2 = {n * n}$."
    )


def derivative(random_: random.Random) -> str:
    """The derivative of a polynomial and a tangent."""
    a, b, point = random_.randint(2, 9), random_.randint(1, 9), random_.randint(1, 6)
    slope = 2 * a * point + b
    value = a * point**2 + b * point
    return (
        f"\\section{{Derivatives}}\nLet $f(x) = {a}x^2 + {b}x$. Then $f'(x) = {2 * a}x + {b}$, so that\n"
        f"\\[ f({point}) = {a} \\cdot {point**2} + {b} \\cdot {point} = {a * point**2} + {b * point} = {value}, "
        f"\\qquad f'({point}) = {2 * a * point} + {b} = {slope}. \\]\n"
        f"The tangent is $y = {value} + {slope}(x - {point})$."
    )


def binomials(random_: random.Random) -> str:
    """One row of Pascal's triangle and its sum."""
    n = random_.randint(3, 9)
    row = [comb(n, k) for k in range(n + 1)]
    terms = " + ".join(map(str, row))
    return (
        f"\\section{{Binomial coefficients}}\n{random_.choice(LINKS)}\n"
        f"\\[ \\sum_{{k=0}}^{{{n}}} \\binom{{{n}}}{{k}} = {terms} = 2^{{{n}}} = {2**n}. \\]\n"
        f"In particular $\\binom{{{n}}}{{2}} = \\frac{{{n} \\cdot {n - 1}}}{{2}} = {comb(n, 2)}$."
    )


def applications(random_: random.Random) -> str:
    """Two applications to quantities, as in a paper on teaching."""
    number, price, left = factor(random_), factor(random_), term(random_)
    cost, length, width = number * price, term(random_), term(random_)
    half = length + width
    return (
        f"\\section{{Applications}}\nA buyer with {cost + left} dollars takes {number} articles "
        f"at {price} dollars each. The cost is ${number}*{price}={cost}$, and ${cost + left}-{cost}={left}$ dollars "
        f"remain.\n"
        f"A rectangle is {length} cm long and {width} cm wide: ${length}+{width}={half}$, "
        f"perimeter $2*{half}={2 * half}$."
    )


def congruences(random_: random.Random) -> str:
    """Residues of a sum and a product."""
    modulus, a, b = random_.randint(3, 13), random_.randint(10, 60), random_.randint(10, 60)
    return (
        f"\\section{{Congruences}}\nSince ${a} \\equiv {a % modulus}$ and "
        f"${b} \\equiv {b % modulus} \\pmod{{{modulus}}}$, we obtain\n"
        f"\\[ {a} + {b} = {a + b} \\equiv {(a + b) % modulus}, \\qquad "
        f"{a} \\cdot {b} = {a * b} \\equiv {a * b % modulus} \\pmod{{{modulus}}}. \\]"
    )


def alternating_sums(random_: random.Random) -> str:
    """Chains of sums and differences, evaluated from the left."""
    parts = []
    for _ in range(random_.randint(2, 4)):
        text, steps, value = signed_steps(random_, random_.randint(1, 4))
        parts.append(f"For $S={text}$: ${', '.join(steps)}$. So $S={value}$.")
    return "\\section{Alternating sums}\nWe proceed from the left.\n" + "\n".join(parts)


def products(random_: random.Random) -> str:
    """Products and the quotients that undo them."""
    pairs = [(factor(random_), factor(random_)) for _ in range(random_.randint(3, 6))]
    rows = [f"${a}*{b}={a * b}$, hence ${a * b}/{a}={b}$" for a, b in pairs]
    return f"\\section{{Products and quotients}}\n{random_.choice(LINKS)} " + "; ".join(rows) + "."


def division_with_remainder(random_: random.Random) -> str:
    """Quotient and remainder of a few numbers by one divisor."""
    divisor = factor(random_)
    rows = []
    for number in random_.sample(range(divisor, 10 * divisor), 3):
        below = number // divisor * divisor
        rows.append(f"${divisor}*{number // divisor}={below}$, ${number}-{below}={number % divisor}$")
    return f"\\section{{Division with remainder}}\nWe divide by ${divisor}$. " + ". ".join(rows) + "."


SECTIONS = (
    progression,
    expansion,
    common_divisors,
    linear_equations,
    linear_equations,
    induction,
    derivative,
    binomials,
    congruences,
    alternating_sums,
    alternating_sums,
    alternating_sums,
    products,
    products,
    division_with_remainder,
    division_with_remainder,
    applications,
    applications,
)
