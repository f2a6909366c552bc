import pytest
from lxml import etree

from corpus.text.mathml import latex_of_math


def latex(inner: str) -> str:
    tree = etree.fromstring(f"<math>{inner}</math>".encode(), etree.HTMLParser(encoding="utf-8", huge_tree=True))
    return latex_of_math(next(tree.iter("math")))


A, B, N = "<mi>a</mi>", "<mi>b</mi>", "<mn>2</mn>"
TABLE = f"<mtable><mtr><mtd>{A}</mtd><mtd>{B}</mtd></mtr><mtr><mtd>{B}</mtd><mtd>{A}</mtd></mtr></mtable>"
ROWS = " a & b \\\\ b & a "


@pytest.mark.parametrize(
    ("mathml", "expected"),
    [
        (f"<mfrac>{A}{B}</mfrac>", "\\frac{a}{b}"),
        (f"<mo>(</mo><mfrac linethickness='0'>{A}{B}</mfrac><mo>)</mo>", "\\binom{a}{b}"),
        (f"<mroot>{A}<mn>3</mn></mroot>", "\\sqrt[3]{a}"),
        (f"<msubsup>{A}{B}{N}</msubsup>", "a_b^2"),
        (f"<msup><mrow>{A}<mo>+</mo>{B}</mrow>{N}</msup>", "{a + b}^2"),
        ("<msup><mi>f</mi><mo>″</mo></msup>", "f''"),
        ("<mi>sin</mi><mi>x</mi>", "\\sin x"),
        ("<mi mathvariant='normal'>d</mi><mi>x</mi>", "\\mathrm{d}x"),
        (
            "<mi>ℝ</mi><mi mathvariant='bold'>v</mi><mi>𝒜</mi><mi>𝜶</mi>",
            "\\mathbb{R}\\mathbf{v}\\mathcal{A}\\boldsymbol{\\alpha}",
        ),
        (f"<mtext>if </mtext>{A}", "\\text{if }a"),
        ("<mtext>50% of #1</mtext>", "\\text{50\\% of \\#1}"),
        (f"<munderover><mo>∑</mo>{A}{B}</munderover><mi>x</mi>", "\\sum_a^bx"),
        (f"<munderover><mo>∫</mo>{A}{B}</munderover>", "\\int\\limits_a^b"),
        (f"<munder><mo>lim</mo>{A}</munder>", "\\lim_a"),
        (f"<munder><mi>argmax</mi>{A}</munder>", "\\operatorname*{argmax}_a"),
        (f"<mover accent='true'>{A}<mo>^</mo></mover>", "\\hat{a}"),
        (f"<mover><mrow>{A}{B}</mrow><mo>¯</mo></mover>", "\\overline{ab}"),
        (f"<munder><munder><mrow>{A}{B}</mrow><mo>⏟</mo></munder>{N}</munder>", "\\underbrace{ab}_2"),
        (f"<mover><mo>→</mo>{A}</mover>", "\\xrightarrow{a}"),
        (f"<mover><mi>x</mi>{A}</mover>", "\\overset{a}{x}"),
        (f"<mmultiscripts>{A}{B}<none/><mprescripts/>{N}<none/></mmultiscripts>", "{}_2a_b"),
        (TABLE, f"\\begin{{matrix}}{ROWS}\\end{{matrix}}"),
        (f"<mrow><mo>(</mo>{TABLE}<mo>)</mo></mrow>", f"\\begin{{pmatrix}}{ROWS}\\end{{pmatrix}}"),  # M11
        (f"<mrow><mo>{{</mo>{TABLE}</mrow>", f"\\begin{{cases}}{ROWS}\\end{{cases}}"),
        (f"<mfenced open='[' close=')'>{A}{B}</mfenced>", "\\left[ a, b \\right)"),
        (f"<mo stretchy='false'>(</mo>{A}<mo stretchy='false'>)</mo>", "(a)"),
        (f"<mrow><mo>⟨</mo><mfrac>{A}{B}</mfrac><mo>⟩</mo></mrow>", "\\left\\langle \\frac{a}{b} \\right\\rangle"),
        (f"<menclose notation='updiagonalstrike'>{A}</menclose>", "\\cancel{a}"),
        ("<mi>a</mi><mo>≰</mo><mi>b</mi><mo>∈\u0338</mo><mi>c</mi>", "a\\nleq b \\notin c"),
        ("<unknown>7</unknown>", "\\text{7}"),
        ("", ""),
    ],
)
def test_mathml_becomes_the_latex_that_draws_it(mathml, expected):
    assert latex(mathml) == expected


def test_tex_that_the_element_carries_is_taken_as_it_is():
    assert latex(f"<semantics>{A}<annotation encoding='TeX'>x &lt; \\frac12</annotation></semantics>") == "x < \\frac12"


def test_an_alternative_text_in_words_is_not_taken_for_tex():
    tree = etree.HTML('<math alttext="the letter a squared"><msup><mi>a</mi><mn>2</mn></msup></math>')
    assert latex_of_math(next(tree.iter("math"))) == "a^2"


def test_nested_too_deeply_the_rest_is_kept_as_text():
    assert "x" in latex("<msqrt>" * 400 + "<mi>x</mi>")
