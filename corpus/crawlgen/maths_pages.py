"""Pages with mathematics: lecture notes, exercise sheets, question threads, proofs, solutions of one problem."""

from collections.abc import Callable

from corpus.crawlgen.drafts import Block, Draft
from corpus.crawlgen.formula import dm, m
from corpus.crawlgen.problems_algebra import ALGEBRA, CALCULUS
from corpus.crawlgen.problems_arithmetic import ARITHMETIC, Family, Problem, warm_up
from corpus.crawlgen.problems_shapes import CHANCE, GEOMETRY, NUMBERS
from corpus.crawlgen.writer import Writer

FAMILIES: dict[str, tuple[Family, ...]] = {
    "arithmetic": ARITHMETIC,
    "algebra": ALGEBRA,
    "calculus": CALCULUS,
    "geometry": GEOMETRY,
    "numbers": NUMBERS,
    "chance": CHANCE,
}
TOPICS = ("arithmetic", "arithmetic", "arithmetic", "algebra", "algebra", "calculus", "geometry", "numbers", "chance")

FORMULAS: dict[str, dict[str, str]] = {
    "arithmetic": {
        "ea": "a + b = b + a",
        "eb": r"a \cdot (b + c) = a \cdot b + a \cdot c",
        "ec": r"n = q \cdot d + r",
        "ed": r"0 \le r < d",
        "ee": r"\frac{a}{b} \div \frac{c}{d} = \frac{a \cdot d}{b \cdot c}",
        "ef": r"p \% = \frac{p}{100}",
        "eg": r"\gcd(a, b) \cdot k = a \cdot b",
    },
    "algebra": {
        "ea": "x + a = b",
        "eb": "x = b - a",
        "ec": "(a + b)^2 = a^2 + 2ab + b^2",
        "ed": "a^2 - b^2 = (a + b)(a - b)",
        "ee": "x^2 + px + q = 0",
        "ef": r"x = -\frac{p}{2} \pm \sqrt{\left(\frac{p}{2}\right)^2 - q}",
        "eg": "a < b",
        "eh": "-a > -b",
        "ei": r"1 + 2 + \dots + n = \frac{n(n+1)}{2}",
        "ej": r"a^m \cdot a^n = a^{m+n}",
    },
    "calculus": {
        "ea": r"f^{\prime}(x) = \lim_{h \to 0} \frac{f(x + h) - f(x)}{h}",
        "eb": r"(uv)^{\prime} = u^{\prime} v + u v^{\prime}",
        "ec": r"(g(f(x)))^{\prime} = g^{\prime}(f(x)) \cdot f^{\prime}(x)",
        "ed": r"\int x^n \, dx = \frac{x^{n+1}}{n+1} + C",
        "ee": r"\int_{a}^{b} f(x) \, dx = F(b) - F(a)",
        "ef": r"f(x) = \sqrt{x^2}",
        "eg": r"\lim_{x \to 0} \frac{\sin x}{x} = 1",
    },
    "geometry": {
        "ea": r"180^\circ",
        "eb": "a^2 + b^2 = c^2",
        "ec": r"\triangle ABC \sim \triangle DEF",
        "ed": r"A = \frac{1}{2} g h",
        "ee": r"\angle ACB = \frac{1}{2} \angle AOB",
        "er": "r",
        "ef": r"V = \frac{4}{3} \pi r^3",
        "ek": "k",
        "eg": "k^2",
        "eh": "k^3",
    },
    "numbers": {
        "ea": r"p \mid ab",
        "eb": r"p \mid a \text{ or } p \mid b",
        "ec": r"a \equiv b \; (\mod n)",
        "ed": r"a^2 \equiv b^2 \; (\mod n)",
        "ee": r"\gcd(a, b) = \gcd(b, a - qb)",
        "ef": r"a^{p-1} \equiv 1 \; (\mod p)",
        "eg": r"p_1 p_2 \dots p_n + 1",
        "eh": r"\sqrt{2}",
    },
    "chance": {
        "ea": r"P(A \cup B) = P(A) + P(B)",
        "eb": r"P(A \cap B) = P(A) \cdot P(B)",
        "ec": "1 - P(A)",
        "ed": "E(X + Y) = E(X) + E(Y)",
        "ee": "n!",
        "en": "n",
        "ef": r"\sum_{k=0}^{n} \binom{n}{k} = 2^n",
        "eg": "V(X) = E(X^2) - E(X)^2",
    },
}

# left side, right side, value of both at 1, the induction step
IDENTITIES = (
    (r"\sum_{k=1}^{n} k", r"\frac{n(n+1)}{2}", 1, r"\frac{n(n+1)}{2} + (n+1) = \frac{(n+1)(n+2)}{2}"),
    (r"\sum_{k=1}^{n} (2k - 1)", "n^2", 1, "n^2 + 2n + 1 = (n+1)^2"),
    (r"\sum_{k=1}^{n} 2k", "n(n+1)", 2, "n(n+1) + 2(n+1) = (n+1)(n+2)"),
    (r"\sum_{k=1}^{n} 2^{k-1}", "2^n - 1", 1, r"2^n - 1 + 2^n = 2^{n+1} - 1"),
    (
        r"\sum_{k=1}^{n} k(k+1)",
        r"\frac{n(n+1)(n+2)}{3}",
        2,
        r"\frac{n(n+1)(n+2)}{3} + (n+1)(n+2) = \frac{(n+1)(n+2)(n+3)}{3}",
    ),
)


def problem(w: Writer, topic: str) -> Problem:
    """A fresh problem of the topic."""
    return w.rng.choice(FAMILIES[topic])(w)


def _facts(w: Writer, topic: str, count: int) -> list[Block]:
    values = {name: m(latex) for name, latex in FORMULAS[topic].items()}
    return [Block("p", w.sentence(f"fact.{topic}", **values)) for _ in range(count)]


def _solution(w: Writer, one: Problem) -> list[Block]:
    """The steps as paragraphs, as a list, or run together."""
    layout = w.rng.choice(("p", "li", "joined"))
    if layout == "joined":
        return [Block("p", w.glue.join(one.steps))]
    return [Block(layout, step) for step in one.steps]


def lecture(w: Writer, topic: str) -> Draft:
    subject = w.say(f"topic.{topic}")
    blocks = [Block("p", w.paragraph("lecture.open", w.rng.randint(1, 3), subject=subject))]
    blocks += [Block("h2", w.say("heading.facts")), *_facts(w, topic, w.rng.randint(2, 3))]
    for k in range(1, w.rng.randint(6, 11)):
        one = problem(w, topic)
        if w.rng.random() < 0.4:
            blocks.append(Block("p", w.paragraph("lecture.link", 1, subject=subject)))
        blocks += [Block("h2", f"{w.say('heading.example', k=k)}: {one.title}"), Block("p", one.question)]
        blocks += _solution(w, one)
    blocks.append(Block("p", w.paragraph("lecture.close", w.rng.randint(1, 2), subject=subject)))
    return Draft(w.sentence("lecture.title", subject=subject), "lecture", True, tuple(blocks), topic)


def exercises(w: Writer, topic: str) -> Draft:
    subject = w.say(f"topic.{topic}")
    ones = [problem(w, topic) for _ in range(w.rng.randint(9, 17))]
    blocks = [Block("p", w.paragraph("exercises.open", 2, subject=subject))]
    blocks += [Block("h2", w.say("heading.warmup")), *(Block("p", line) for line in warm_up(w, lines=12))]
    blocks += [Block("li", one.question) for one in ones]
    blocks.append(Block("h2", w.say("heading.solutions")))
    for k, one in enumerate(ones, 1):
        stop = "：" if w.language == "zh" else ". "
        blocks.append(Block("p", f"{w.say('heading.exercise', k=k)}{stop}{w.glue.join(one.steps)}"))
    return Draft(w.sentence("exercises.title", subject=subject), "exercises", True, tuple(blocks), topic)


def thread(w: Writer, topic: str) -> Draft:
    one = problem(w, topic)
    title = w.sentence("thread.lead", title=one.title)
    ask = f"{w.paragraph('ask.lead', 2)} {one.question}"
    blocks = [Block("post", ask, w.say("user"))]
    for k in range(w.rng.randint(3, 7)):
        blocks.append(Block("post", w.paragraph("answer.lead", 1) + w.glue + w.glue.join(one.steps), w.say("user")))
        if k == 0 and w.rng.random() < 0.5:
            blocks.append(Block("post", w.paragraph("ask.thanks", 1), w.say("user")))
        one = problem(w, topic)
        blocks.append(Block("post", f"{w.sentence('thread.follow')}{w.glue}{one.question}", w.say("user")))
    blocks.append(Block("post", w.glue.join(one.steps), w.say("user")))
    blocks.append(Block("post", w.paragraph("ask.thanks", 1), w.say("user")))
    return Draft(title, "thread", True, tuple(blocks), topic)


def solved(w: Writer, topic: str) -> Draft:
    """Problems of one family, each solved: the drill page."""
    family = w.rng.choice(FAMILIES[topic])
    ones = [family(w) for _ in range(w.rng.randint(6, 12))]
    blocks = []
    for k, one in enumerate(ones, 1):
        blocks += [Block("h2", w.say("heading.exercise", k=k)), Block("p", one.question), *_solution(w, one)]
    return Draft(ones[0].title, "solved", True, (*blocks, *_facts(w, topic, 1)), topic)


def proof(w: Writer, topic: str) -> Draft:
    left, right, start, step = w.rng.choice(IDENTITIES)
    scale = w.rng.randint(1, 60)
    claim, nn = dm(f"{scale} \\cdot {left} = {scale} \\cdot {right}" if scale > 1 else f"{left} = {right}"), m("n")
    before, after = step.split(" = ")
    line = dm(rf"{scale} \cdot \left({before}\right) = {scale} \cdot {after}" if scale > 1 else step)
    blocks = [
        Block("p", w.paragraph("lecture.open", 1, subject=w.say(f"topic.{topic}"))),
        Block("p", w.sentence("proof.open", nn=nn, claim=claim)),
        Block("p", w.sentence("proof.start", one=m("n = 1"), value=m(start * scale))),
        Block("p", w.sentence("proof.step", nn=nn, line=line)),
        Block("p", w.say("proof.end", nn=nn)),
        *_facts(w, topic, 3),
    ]
    for _ in range(w.rng.randint(4, 8)):
        one = problem(w, topic)
        blocks += [Block("h2", one.title), Block("p", one.question), *_solution(w, one)]
    return Draft(w.sentence("proof.title", what=m(f"{left} = {right}")), "proof", True, tuple(blocks), topic)


KINDS: dict[str, Callable[[Writer, str], Draft]] = {
    "lecture": lecture,
    "exercises": exercises,
    "thread": thread,
    "solved": solved,
    "proof": proof,
}


def maths_page(w: Writer, kind: str) -> Draft:
    """A page of one of `KINDS`, or of any of them for `maths`, about a topic drawn at random."""
    chosen = w.rng.choice(("lecture", "exercises", "thread", "solved", "solved", "proof")) if kind == "maths" else kind
    return KINDS[chosen](w, w.rng.choice(TOPICS))
