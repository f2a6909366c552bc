"""Pages without mathematics; some might be taken for it: tables of numbers, TeX without formulas."""

from collections.abc import Callable

from corpus.crawlgen.drafts import Block, Draft
from corpus.crawlgen.writer import Writer


def _paragraphs(w: Writer, symbol: str, count: int, most: int = 4) -> list[Block]:
    return [Block("p", w.paragraph(symbol, w.rng.randint(2, most))) for _ in range(count)]


def recipe(w: Writer) -> Draft:
    blocks = [Block("p", w.paragraph("recipe.about", w.rng.randint(3, 6)))]
    if w.knows("recipe.amount"):
        blocks += [Block("li", w.say("recipe.amount")) for _ in range(w.rng.randint(5, 9))]
    blocks += [Block("p", w.sentence("recipe.step")) for _ in range(w.rng.randint(8, 13))]
    blocks.append(Block("p", w.paragraph("recipe.about", w.rng.randint(2, 5))))
    if w.knows("comment"):
        blocks += [Block("post", w.paragraph("comment", 1), w.say("user")) for _ in range(w.rng.randint(0, 4))]
    return Draft(w.sentence("recipe.title"), "recipe", False, tuple(blocks))


def news(w: Writer) -> Draft:
    return Draft(w.sentence("news.title"), "news", False, tuple(_paragraphs(w, "news.line", w.rng.randint(6, 12))))


def sport(w: Writer) -> Draft:
    blocks = _paragraphs(w, "sport.line", w.rng.randint(5, 9))
    if w.rng.random() < 0.6:
        blocks += [Block("head", "Club\tPlayed\tWon\tDrawn\tLost\tGoals\tPoints"), *_league(w)]
    return Draft(w.sentence("sport.title"), "sport", False, tuple(blocks))


def _league(w: Writer) -> list[Block]:
    rows = []
    for _ in range(w.rng.randint(8, 14)):
        won, drawn, lost = (w.rng.randint(0, 14) for _ in "wdl")
        goals = f"{w.rng.randint(8, 70)}:{w.rng.randint(8, 60)}"
        rows.append(
            Block("row", f"{w.say('club')}\t{won + drawn + lost}\t{won}\t{drawn}\t{lost}\t{goals}\t{3 * won + drawn}")
        )
    return rows


def shop(w: Writer) -> Draft:
    blocks = _paragraphs(w, "shop.line", w.rng.randint(4, 8))
    if w.knows("shop.review"):
        blocks += [
            Block("post", w.paragraph("shop.review", w.rng.randint(1, 3)), w.say("user"))
            for _ in range(w.rng.randint(2, 9))
        ]
    return Draft(w.sentence("shop.title"), "shop", False, tuple(blocks))


def prices(w: Writer) -> Draft:
    """A hard negative: mostly numbers, sums and per cent."""
    blocks = [Block("p", w.paragraph("price.line", 3)), Block("head", "Article\tSize\tUnit price\tFrom 10\tFrom 50")]
    for _ in range(w.rng.randint(14, 30)):
        cents = w.rng.randint(150, 40000)
        cells = (f"{value / 100:.2f}" for value in (cents, cents * 0.95, cents * 0.9))
        blocks.append(Block("row", f"{w.say('product')} {w.say('model')}\t{w.rng.randint(5, 90)}\t" + "\t".join(cells)))
    blocks.append(Block("p", w.paragraph("price.line", 2)))
    return Draft(w.sentence("price.title"), "prices", False, tuple(blocks))


def travel(w: Writer) -> Draft:
    return Draft(
        w.sentence("travel.title"), "travel", False, tuple(_paragraphs(w, "travel.line", w.rng.randint(6, 11)))
    )


def garden(w: Writer) -> Draft:
    return Draft(
        w.sentence("garden.title"), "garden", False, tuple(_paragraphs(w, "garden.line", w.rng.randint(6, 10)))
    )


def code(w: Writer) -> Draft:
    blocks: list[Block] = []
    for part in _paragraphs(w, "code.line", w.rng.randint(6, 10)):
        blocks.append(part)
        if w.rng.random() < 0.5:
            blocks.append(Block("code", w.say("code.block").replace("\\n", "\n")))
    return Draft(w.sentence("code.title"), "code", False, tuple(blocks))


def latex(w: Writer) -> Draft:
    """A hard negative: TeX commands, no mathematics."""
    blocks = _paragraphs(w, "latex.line", w.rng.randint(5, 8))
    return Draft(w.sentence("latex.title"), "latex", False, tuple(blocks))


def forum(w: Writer) -> Draft:
    posts = [
        Block("post", w.paragraph("forum.post", w.rng.randint(1, 4)), w.say("user"))
        for _ in range(w.rng.randint(8, 16))
    ]
    return Draft(w.sentence("forum.title"), "forum", False, tuple(posts))


KINDS: dict[str, Callable[[Writer], Draft]] = {
    "recipe": recipe,
    "news": news,
    "sport": sport,
    "shop": shop,
    "prices": prices,
    "travel": travel,
    "garden": garden,
    "code": code,
    "latex": latex,
    "forum": forum,
}


def other_page(w: Writer, kind: str) -> Draft:
    """A page of one of `KINDS`."""
    return KINDS[kind](w)
