import json

import pytest

from corpus.extract import extract
from corpus.text.latex import clean_latex

PROSE = (
    "This paragraph is ordinary prose about a theorem, long enough that extractors of main content keep it, "
    "with several words and a second sentence that says nothing new."
)


def text_of(formula: str) -> str:
    article = f"<h1>T</h1><p>{PROSE}</p><p>Before {formula} after, {PROSE}</p>"
    return " ".join(extract(f"<html><body><article>{article}</article></body></html>").text.split())


@pytest.mark.parametrize(
    ("html", "latex"),
    [
        ('<script type="math/tex; mode=display">\\sum_{i} x_i</script>', "$$\\sum_{i} x_i$$"),
        ('<span class="MathJax_Preview">a+b</span><script type="math/tex">a+b</script>', "$a+b$"),
        ("<math><mfrac><mi>a</mi><msqrt><mn>2</mn></msqrt></mfrac></math>", "$\\frac{a}{\\sqrt{2}}$"),
        ("<math><mi>x</mi><mo>≤</mo><msup><mi>y</mi><mn>2</mn></msup></math>", "$x \\le y^2$"),
        ('<img class="latex" alt="\\int_0^1 f" src="i.png">', "$\\int_0^1 f$"),
        ('<img src="https://latex.codecogs.com/gif.latex?%5Cfrac%7Ba%7D%7Bb%7D">', "$\\frac{a}{b}$"),
        ("$a_1 &lt; b$", "$a_1 < b$"),
        ("x<sup>2</sup> + y<sub>12</sub>", "x^2 + y_{12}"),
    ],
)
def test_a_formula_comes_out_once_as_latex_between_the_words_around_it(html, latex):
    assert f"Before {latex} after" in text_of(html)


def test_katex_is_written_once():
    html = (
        '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>E</mi></mrow>'
        '<annotation encoding="application/x-tex">E^2</annotation></semantics></math></span>'
        '<span class="katex-html"><span>E</span><span>2</span></span></span>'
    )
    assert "Before $E^2$ after" in text_of(html)


def test_a_formula_with_a_less_than_sign_stays_whole():
    html = '<math><annotation encoding="application/x-tex">a&lt;b \\text{ and } c&gt;d</annotation></math>'
    assert "$a<b \\text{ and } c>d$" in text_of(html)


def test_foot_notes_and_ordinals_are_no_exponents():
    assert "Before 1st, note[3] after" in text_of('1<sup>st</sup>, note<sup><a href="#f">[3]</a></sup>')


def test_delimiters_comments_and_size_commands_are_cut_off():
    assert clean_latex("% <![CDATA[\n\\displaystyle x+1 %]]>") == "x+1"
    assert clean_latex("{\\displaystyle E=mc^{2}}") == "E=mc^{2}"
    assert clean_latex("$$ y $$") == "y"
    assert clean_latex("5\\% of x") == "5\\% of x"


def test_boxes_of_hidden_macros_are_dropped():
    assert "newcommand" not in text_of('<span style="display: none">\\(\\newcommand{\\R}{\\mathbb{R}}\\)</span>')


@pytest.mark.parametrize("page", ["", "<html></html>", "no markup at all", "<div>" * 5000 + PROSE])
def test_odd_pages_are_read_without_an_error(page):
    assert extract(page).formulas == 0


def test_the_eleven_snippets_of_the_acceptance_suite_come_out_whole(shared):
    failed = []
    for line in (shared / "extraction" / "snippets.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        text = extract(row["html"]).text
        squeezed = "".join(text.split())
        good = all(words in text for words in row["must_keep"])
        for formula in row["formulas"]:
            latex = "".join(formula["latex"].split())
            pair = {"inline": ("$", "$", "\\(", "\\)"), "display": ("$$", "$$", "\\[", "\\]")}[formula["mode"]]
            good &= pair[0] + latex + pair[1] in squeezed or pair[2] + latex + pair[3] in squeezed
            good &= len(latex) < 3 or squeezed.count(latex) == 1
        failed += [] if good else [row["name"]]
    assert failed == []
