import pytest

from corpus.text.asciimath import latex_of_asciimath
from corpus.text.delimiters import save_written_formulas
from corpus.text.placeholders import Formulas


def found(text: str) -> list[str]:
    formulas = Formulas()
    saved = save_written_formulas(text, formulas, asciimath=False)
    assert [formula.latex for formula in formulas.found] or saved == text
    return [formula.latex for formula in formulas.found]


@pytest.mark.parametrize(
    "text",
    [
        "costs $5 and $10 today",
        "from $5-$10 to $20/$30",
        "pay $20 (or US$30) for \\$x",
        "lost $3.2 billion, or $4 a share, in 2004",
        "earn $50k/year or $60k",
        "$1,000 to $2,000",
        "set $PATH and $HOME",
        "$3m and $4m",
        "a $ sign and another $ sign",
        "see \\[citation needed\\] and \\(see below\\)",
        "an open \\[ x and an open $$ y",
        "\\begin{itemize}\\item x\\end{itemize}",
    ],
)
def test_prices_variables_of_a_shell_and_loose_signs_are_no_formulas(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("$a_1 < b$ and $c > d$", ["a_1 < b", "c > d"]),
        ("$x$, $n$-th, $f(x)$, $2n+1$, $AB = CD$", ["x", "n", "f(x)", "2n+1", "AB = CD"]),
        ("for $5 win $x^2$ points", ["x^2"]),
        ("$\\$5$ and $50\\%$", ["\\$5", "50\\%"]),
        ("$\\text{if } x>0$", ["\\text{if } x>0"]),
        ("\\(a\\) then \\[b\\] then $$c$$", ["a", "b", "c"]),
        ("\\(K(u, v)\\)", ["K(u, v)"]),
        ("\\[x \\\\[2pt] y\\]", ["x \\\\[2pt] y"]),
        (
            "\\begin{cases}\\begin{cases}1\\end{cases}\\end{cases}",
            ["\\begin{cases}\\begin{cases}1\\end{cases}\\end{cases}"],
        ),
        ("$$\\begin{align}a\\end{align}$$", ["\\begin{align}a\\end{align}"]),
        ("a\\\\$x$", ["x"]),
    ],
)
def test_a_formula_between_delimiters_is_found_whole(text, formulas):
    assert found(text) == formulas


def test_a_price_beside_a_formula_comes_back_as_it_was():
    formulas = Formulas()
    saved = save_written_formulas("win $x$ dollars or $5", formulas, asciimath=False)
    assert formulas.put_back(saved) == "win $x$ dollars or $5"


@pytest.mark.parametrize(
    ("source", "latex"),
    [
        ("sum_(i=1)^n i^3=((n(n+1))/2)^2", "\\sum_{i=1}^ni^3=(\\frac{n(n+1)}{2})^2"),
        ("sqrt(x)/y", "\\frac{\\sqrt{x}}{y}"),
        ("[[a,b],[c,d]]", "\\begin{bmatrix} a & b \\\\ c & d \\end{bmatrix}"),
        ("{(x,if x>0),(0,otherwise):}", "\\begin{cases} x & \\text{ if }x>0 \\\\ 0 & \\text{ otherwise } \\end{cases}"),
        ("abs(x) + |y|", "|x|+|y|"),
        ("root(3)(x+1)", "\\sqrt[3]{x+1}"),
        ('"if "x>=0', "\\text{if }x\\ge0"),
        ("lim_(x->oo) 1/x", "\\lim_{x\\to\\infty}\\frac{1}{x}"),
        ("dy/dx in RR", "\\frac{dy}{dx}\\in\\mathbb{R}"),
        ("", ""),
    ],
)
def test_asciimath_becomes_latex(source, latex):
    assert latex_of_asciimath(source) == latex
