"""Text from sentence templates: the grammar files under `text/` and the writer that fills them in.

A grammar file is a list of symbols. `== name` starts one, each line below is one way to say it; after `== name,` the
lines are lists of words, parted by commas. In a template `{symbol}` is said anew, `{@symbol}` once for the whole page,
`{a|b}` is one of the two (it may hold further holes), `{n:20-90}` and `{n:20-90/5}` are numbers, `{<}` and `{>}` are
braces, and a name that the caller gives a value is that value, taken as it stands."""

import functools
import random
import re
from pathlib import Path

TEXT = Path(__file__).parent / "text"
HOLE = re.compile(r"\{([^{}]+)\}")
# What is filled in may hold braces of its own (LaTeX); they are masked until every hole around them is filled.
MASK = str.maketrans("{}", "\ue010\ue011")
UNMASK = str.maketrans("\ue010\ue011", "{}")
LOWER_START = re.compile(r"(?:^|(?<=[.!?] ))[a-z]")
A_BEFORE_VOWEL = re.compile(r"\b([Aa]) (?=[aeio])(?!one\b|once\b|euro)")

Grammar = dict[str, tuple[str, ...]]


@functools.cache
def load_grammar(language: str) -> Grammar:
    """Every symbol of the grammar files of one language."""
    grammar: dict[str, list[str]] = {}
    for path in sorted((TEXT / language).glob("*.txt")):
        lines: list[str] = []
        as_words = False
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("== "):
                as_words = line.endswith(",")
                lines = grammar.setdefault(line[3:].rstrip(","), [])
            elif line.strip() and not line.startswith("#"):
                lines.extend(word.strip() for word in line.split(",") if word.strip()) if as_words else lines.append(
                    line
                )
    return {name: tuple(lines) for name, lines in grammar.items()}


def _masked(text: str) -> str:
    return text.translate(MASK) if "{" in text or "}" in text else text


class Writer:
    """Fills in templates for one page. A symbol's lines are dealt like cards, so a page seldom says the same twice."""

    def __init__(self, rng: random.Random, language: str) -> None:
        self.rng = rng
        self.language = language
        self._grammar = load_grammar(language)
        self._decks: dict[str, list[str]] = {}
        self._fixed: dict[str, str] = {}

    def say(self, symbol: str, /, **values: object) -> str:
        """One line of the symbol, filled in."""
        return self._fill(self._deal(symbol), values)

    def sentence(self, symbol: str, /, **values: object) -> str:
        """As `say`, with capitals and articles in order."""
        text = LOWER_START.sub(lambda found: found[0].upper(), self.say(symbol, **values))
        return A_BEFORE_VOWEL.sub(r"\1n ", text) if self.language == "en" else text

    def paragraph(self, symbol: str, sentences: int, /, **values: object) -> str:
        """So many sentences of one symbol, run together."""
        return self.glue.join(self.sentence(symbol, **values) for _ in range(sentences))

    @property
    def glue(self) -> str:
        """What stands between two sentences."""
        return "" if self.language == "zh" else " "

    def knows(self, symbol: str) -> bool:
        """Whether the language has this symbol."""
        return symbol in self._grammar

    def _deal(self, symbol: str) -> str:
        deck = self._decks.get(symbol)
        if not deck:
            deck = self._decks[symbol] = list(self._grammar[symbol])
        card = int(self.rng.random() * len(deck))  # many times faster than a shuffle of each deck
        deck[card], deck[-1] = deck[-1], deck[card]
        return deck.pop()

    def _fill(self, template: str, values: dict[str, object]) -> str:
        text, holes = template, 1
        while holes:
            text, holes = HOLE.subn(lambda hole: _masked(self._said(hole[1], values)), text)
        return text.translate(UNMASK)

    def _said(self, name: str, values: dict[str, object]) -> str:
        if name in values:
            return str(values[name])
        if name in "<>":
            return "{" if name == "<" else "}"
        if "|" in name:
            return self.rng.choice(name.split("|"))
        if name.startswith("n:"):
            bounds, _, step = name[2:].partition("/")
            low, high = bounds.split("-")
            return str(self.rng.randrange(int(low), int(high) + 1, int(step or 1)))
        if name.startswith("@"):
            if name not in self._fixed:
                self._fixed[name] = self.say(name[1:], **values)
            return self._fixed[name]
        return self.say(name, **values)
