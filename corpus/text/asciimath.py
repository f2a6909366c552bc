"""AsciiMath -> LaTeX: its symbols, fractions, scripts, roots, accents, texts and matrices.

The grammar is that of asciimath.org: an expression is a run of simple terms with scripts, `/` between two of them
makes a fraction, and the brackets around what a fraction, a root or a script takes are not written.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from corpus.text.symbols import FUNCTIONS, LATEX

MAX_DEPTH = 60
MAX_ATTEMPTS = 200
MAX_CHARACTERS = 2_000
PLAIN_WORDS = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega sum prod int oint pm mp cdot "
    "times div star ast oplus otimes odot wedge vee cap cup in notin subset supset subseteq supseteq le leq ge geq lt "
    "gt ne prec succ equiv cong approx propto forall exists infty partial nabla grad neg bot top vdash models to "
    "rightarrow leftarrow leftrightarrow uparrow downarrow Rightarrow Leftarrow Leftrightarrow mapsto circ bullet "
    "cdots vdots ddots ldots quad qquad angle therefore because aleph emptyset setminus square diamond triangle "
    "langle rangle lfloor rfloor lceil rceil implies iff"
)
PLAIN = PLAIN_WORDS.split()
NAMED: dict[str, str] = {
    **{name: f"\\{name}" for name in PLAIN},
    **{
        "oo": "\\infty",
        "xx": "\\times",
        "del": "\\partial",
        "grad": "\\nabla",
        "O/": "\\emptyset",
        "lt": "<",
        "gt": ">",
    },
    **{
        "+-": "\\pm",
        "-+": "\\mp",
        "*": "\\cdot",
        "**": "\\ast",
        "***": "\\star",
        "//": "/",
        "-:": "\\div",
        "@": "\\circ",
    },
    **{"o+": "\\oplus", "ox": "\\otimes", "o.": "\\odot", "^^": "\\wedge", "vv": "\\vee", "nn": "\\cap", "uu": "\\cup"},
    **{
        "^^^": "\\bigwedge",
        "vvv": "\\bigvee",
        "nnn": "\\bigcap",
        "uuu": "\\bigcup",
        "!in": "\\notin",
        "sub": "\\subset",
    },
    **{"sup": "\\supset", "sube": "\\subseteq", "supe": "\\supseteq", "<=": "\\le", ">=": "\\ge", "!=": "\\ne"},
    **{
        "-=": "\\equiv",
        "~=": "\\cong",
        "~~": "\\approx",
        "~": "\\sim",
        "prop": "\\propto",
        "-<": "\\prec",
        ">-": "\\succ",
    },
    **{"AA": "\\forall", "EE": "\\exists", "_|_": "\\bot", "TT": "\\top", "|--": "\\vdash", "|==": "\\models"},
    **{"->": "\\to", "rarr": "\\rightarrow", "larr": "\\leftarrow", "harr": "\\leftrightarrow", "uarr": "\\uparrow"},
    **{
        "darr": "\\downarrow",
        "rArr": "\\Rightarrow",
        "lArr": "\\Leftarrow",
        "hArr": "\\Leftrightarrow",
        "=>": "\\Rightarrow",
    },
    **{"<=>": "\\Leftrightarrow", "|->": "\\mapsto", ">->": "\\rightarrowtail", "->>": "\\twoheadrightarrow"},
    **{"NN": "\\mathbb{N}", "ZZ": "\\mathbb{Z}", "QQ": "\\mathbb{Q}", "RR": "\\mathbb{R}", "CC": "\\mathbb{C}"},
    **{"...": "\\dots", ":.": "\\therefore", ":'": "\\because", "/_": "\\angle", "'": "'", "not": "\\neg", "&": "\\&"},
    **{"and": "\\text{ and }", "or": "\\text{ or }", "if": "\\text{ if }", "otherwise": "\\text{ otherwise }"},
    **{
        "%": "\\%",
        "#": "\\#",
        "$": "\\$",
        "\\ ": "\\ ",
        "dim": "\\dim",
        "dx": "dx",
        "dy": "dy",
        "dz": "dz",
        "dt": "dt",
        "mod": "\\bmod",
    },
    **{name: f"\\{name}" for name in FUNCTIONS - {"sup"}},
    **dict.fromkeys(("lcm", "sgn", "erf"), ""),
}
NAMED |= {name: f"\\operatorname{{{name}}}" for name in ("lcm", "sgn", "erf", "arcsec")}
UNARY: dict[str, str] = {
    **{"sqrt": "\\sqrt", "hat": "\\hat", "bar": "\\overline", "overline": "\\overline", "vec": "\\vec", "dot": "\\dot"},
    **{"ddot": "\\ddot", "tilde": "\\tilde", "ul": "\\underline", "underline": "\\underline", "ubrace": "\\underbrace"},
    **{"obrace": "\\overbrace", "underbrace": "\\underbrace", "overbrace": "\\overbrace", "cancel": "\\cancel"},
    **{"bb": "\\mathbf", "mathbf": "\\mathbf", "bbb": "\\mathbb", "mathbb": "\\mathbb", "cc": "\\mathcal"},
    **{"mathcal": "\\mathcal", "fr": "\\mathfrak", "mathfrak": "\\mathfrak", "sf": "\\mathsf", "tt": "\\mathtt"},
}
BINARY = {"frac": "\\frac", "root": "\\sqrt", "stackrel": "\\overset", "overset": "\\overset", "underset": "\\underset"}
WRAPPED = {
    "abs": ("|", "|"),
    "norm": ("\\|", "\\|"),
    "floor": ("\\lfloor ", "\\rfloor "),
    "ceil": ("\\lceil ", "\\rceil "),
}
TEXTS = ("text", "mbox", "mathrm", "rm")
OPENING = {"(": "(", "[": "[", "{": "\\{", "(:": "\\langle ", "<<": "\\langle ", "{:": "", "|:": "|"}
CLOSING = {")": ")", "]": "]", "}": "\\}", ":)": "\\rangle ", ">>": "\\rangle ", ":}": "", ":|": "|"}
WORDS = sorted(
    [*NAMED, *UNARY, *BINARY, *WRAPPED, *OPENING, *CLOSING, *TEXTS, "color", "_", "^", "/", ",", "|"],
    key=len,
    reverse=True,
)
TOKEN = re.compile(
    r'\s+|"[^"]*"|(?:text|mbox|mathrm)\([^()]*\)|\\[A-Za-z]+|\d+(?:\.\d+)?|'
    + "|".join(re.escape(word) for word in WORDS)
    + r"|.",
    re.S,
)
MATRICES = {("(", ")"): "pmatrix", ("[", "]"): "bmatrix", ("|", "|"): "vmatrix", ("\\{", "\\}"): "Bmatrix"}
ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+$")


def latex_of_asciimath(source: str) -> str:
    """LaTeX of an AsciiMath expression; what the grammar does not know, or is very long, stays as it is."""
    if len(source) > MAX_CHARACTERS:
        return source
    tokens = [token for token in TOKEN.findall(source) if not token.isspace()]
    parser = _Parser(tokens, attempts=MAX_ATTEMPTS)
    parts: list[str] = []
    while parser.position < len(tokens):
        parts.append(parser.expression(0))
        if parser.position < len(tokens):  # a closing bracket that nothing opened
            parts.append(CLOSING.get(parser.take(), ""))
    return _joined(parts)


@dataclass(slots=True)
class _Parser:
    """A position in a list of tokens, and how often it may still go back."""

    tokens: list[str]
    attempts: int
    position: int = 0

    def peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self) -> str:
        self.position += 1
        return self.tokens[self.position - 1]

    def expression(self, depth: int) -> str:
        """Terms up to a closing bracket or the end."""
        return _joined(list(self._terms(depth)))

    def _terms(self, depth: int, stop: str = "") -> Iterator[str]:
        while self.peek() and self.peek() not in CLOSING and self.peek() != stop:
            term = self.scripted(depth)
            if self.peek() == "/":
                self.take()
                below = self.scripted(depth) if self.peek() and self.peek() not in CLOSING else ""
                term = f"\\frac{{{_bare(term)}}}{{{_bare(below)}}}"
            yield term

    def scripted(self, depth: int) -> str:
        """A simple term with its subscript and superscript."""
        term = self.simple(depth)
        for mark in ("_", "^"):
            if self.peek() == mark:
                self.take()
                script = _bare(self.simple(depth)) if self.peek() and self.peek() not in CLOSING else ""
                term += f"{mark}{script}" if len(script) == 1 else f"{mark}{{{script}}}"
        return term

    def simple(self, depth: int) -> str:
        """A symbol, a command with its arguments, or a bracketed expression."""
        token = self.take()
        if depth > MAX_DEPTH or (not self.peek() and token in (*UNARY, *BINARY, *WRAPPED)):
            return LATEX.get(token, token)
        if token in OPENING:
            return self.bracketed(OPENING[token], depth + 1)
        if token == "|":
            return self.bars(depth + 1)
        if token in UNARY:
            return f"{UNARY[token]}{{{_bare(self.simple(depth + 1))}}}"
        if token in BINARY:
            first = _bare(self.simple(depth + 1))
            second = _bare(self.simple(depth + 1)) if self.peek() else ""
            return f"\\sqrt[{first}]{{{second}}}" if token == "root" else f"{BINARY[token]}{{{first}}}{{{second}}}"
        if token in WRAPPED:
            opening, closing = WRAPPED[token]
            return f"{opening}{_bare(self.simple(depth + 1))}{closing}"
        return _symbol(token)

    def bracketed(self, opening: str, depth: int) -> str:
        """What stands between brackets; rows of brackets are a matrix."""
        start = self.position
        rows = self._matrix(depth) if self._may_go_back() else []
        if rows:
            body = " \\\\ ".join(" & ".join(row) for row in rows)
            closing = CLOSING[self.take()] if self.peek() else ""
            if opening == "\\{" and not closing:
                return f"\\begin{{cases}} {body} \\end{{cases}}"
            name = MATRICES.get((opening, closing), "matrix")
            return f"\\begin{{{name}}} {body} \\end{{{name}}}"
        self.position = start
        inside = self.expression(depth)
        closing = CLOSING[self.take()] if self.peek() in CLOSING else ""
        return _joined([opening, inside, closing]) if opening or closing else f"{{{inside}}}"

    def bars(self, depth: int) -> str:
        """An absolute value, when a second bar follows; else a bar by itself."""
        start = self.position
        inside = _joined(list(self._terms(depth, stop="|"))) if self._may_go_back() else ""
        if self.peek() == "|" and inside:
            self.take()
            return f"|{inside}|"
        self.position = start
        return "|"

    def _may_go_back(self) -> bool:
        """Each try that may have to be read again is paid for, or nested ones would double at every level."""
        self.attempts -= 1
        return self.attempts >= 0

    def _matrix(self, depth: int) -> list[list[str]]:
        """Rows `[a,b],[c,d]` of equal length; empty when that is not what follows, at a position of no use."""
        rows: list[list[str]] = []
        while self.peek() in ("[", "("):
            self.take()
            cells = [""]
            while self.peek() and self.peek() not in CLOSING:
                if self.peek() == ",":
                    self.take()
                    cells.append("")
                else:
                    cells[-1] = _joined([cells[-1], next(self._terms(depth, stop=","), "")])
            if self.peek() not in ("]", ")"):
                return []
            self.take()
            rows.append(cells)
            if self.peek() != ",":
                break
            self.take()
        square = len(rows) > 1 and len({len(row) for row in rows}) == 1 and self.peek() in (*CLOSING, "")
        return rows if square else []


def _symbol(token: str) -> str:
    if token.startswith('"'):
        return f"\\text{{{token[1:-1]}}}"
    for name in TEXTS:
        if token.startswith(f"{name}("):
            return f"\\text{{{token[len(name) + 1 : -1]}}}"
    if token.startswith("\\") and len(token) > 1:
        return NAMED.get(token[1:], token)
    return NAMED.get(token) or LATEX.get(token, token)


def _bare(latex: str) -> str:
    """Without the brackets around the whole of it."""
    for opening, closing in (("(", ")"), ("[", "]"), ("\\{", "\\}"), ("{", "}")):
        if latex.startswith(opening) and latex.endswith(closing):
            inner = latex[len(opening) : -len(closing)]
            depth = 0
            for character in inner:
                depth += (character == opening[-1]) - (character == closing[-1])
                if depth < 0:
                    return latex
            return inner.strip()
    return latex


def _joined(parts: list[str]) -> str:
    line = ""
    for part in parts:
        if part:
            glued = (part[0].isalpha() and ENDS_IN_COMMAND.search(line)) or (part[0].isdigit() and line[-1:].isdigit())
            line += (" " if glued else "") + part
    return line.strip()
