import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from corpus.extract import extract
from corpus.language import language_of
from corpus.text.latex import clean_latex

PROSE = (
    "This paragraph is ordinary prose about a theorem, long enough that extractors of main content keep it, "
    "with several words and a second sentence that says nothing new."
)
X_TEX = 'encoding="application/x-tex"'


def text_of(formula: str, around: str = "<p>Before {} after, {}</p>") -> str:
    article = f"<h1>T</h1><p>{PROSE}</p>{around.format(formula, PROSE)}"
    return " ".join(extract(f"<html><body><article>{article}</article></body></html>").text.split())


@pytest.mark.parametrize(
    ("html", "latex"),
    [
        ('<script type="math/tex; mode=display">\\sum_{i} x_i</script>', "$$\\sum_{i} x_i$$"),  # M2
        ('<span class="MathJax_Preview">a+b</span><script type="math/tex">a+b</script>', "$a+b$"),
        ('<span class="MathJax" id="m">a+b</span><script type="math/tex" id="s">a+b</script>', "$a+b$"),
        ('<span class="MathJax" data-mathml="&lt;math&gt;&lt;mi&gt;q&lt;/mi&gt;&lt;/math&gt;">q</span>', "$q$"),
        ('<script type="math/mml"><math><mi>x</mi></math></script>', "$x$"),
        ('<script type="math/asciimath">a/b</script>', "$\\frac{a}{b}$"),
        ("<mjx-container><mjx-assistive-mml><math><mi>x</mi></math></mjx-assistive-mml></mjx-container>", "$x$"),
        ('<mjx-container display="true"><math><mi>x</mi></math></mjx-container>', "$$x$$"),
        ("<math><mfrac><mi>a</mi><msqrt><mn>2</mn></msqrt></mfrac></math>", "$\\frac{a}{\\sqrt{2}}$"),
        ("<math display='block'><mi>x</mi></math>", "$$x$$"),
        ("<mml:math><mml:mi>x</mml:mi></mml:math>", "$x$"),
        ("<math><mi>x</mi><mo>≤</mo><msup><mi>y</mi><mn>2</mn></msup></math>", "$x \\le y^2$"),
        (f"<math><semantics><mi>x</mi><annotation {X_TEX}>x_1</annotation></semantics></math>", "$x_1$"),
        ('<math alttext="x^2"><mi>y</mi></math>', "$x^2$"),
        ('<span class="math inline">\\(x^2\\)</span>', "$x^2$"),
        ('<span class="math inline">x^2</span>', "$x^2$"),
        ('<span class="math display">\\[x^2\\]</span>', "$$x^2$$"),
        ('<d-math block="">x^2</d-math>', "$$x^2$$"),
        ('<code data-math-style="inline" class="js-render-math">a^2</code>', "$a^2$"),
        ('<span class="ql-formula" data-value="e^x">?</span>', "$e^x$"),
        ('<span class="ztext-math" data-tex="\\chi">?</span>', "$\\chi$"),
        ("$a_1 &lt; b$", "$a_1 < b$"),
        ("\\(a &lt; b\\)", "$a < b$"),  # M3: the two are not swapped
        ("\\[a &lt; b\\]", "$$a < b$$"),
        ("$$x<br>y$$", "$$x y$$"),
        ("\\begin{align}a&amp;=b\\end{align}", "$$\\begin{align}a&=b\\end{align}$$"),  # M9
        ("\\begin{equation*}a=b\\end{equation*}", "$$a=b$$"),
        ("x<sup>2</sup> + y<sub>12</sub>", "x^2 + y_{12}"),
        ("x<sup><i>n</i>+1</sup>", "x^{n+1}"),
    ],
)
def test_a_formula_comes_out_once_as_latex_between_the_words_around_it(html, latex):
    assert f"Before {latex} after" in text_of(html)


@pytest.mark.parametrize(
    ("image", "latex"),
    [
        ('class="latex" alt="\\int_0^1 f" src="i.png"', "\\int_0^1 f"),
        ('src="https://latex.codecogs.com/gif.latex?%5Cfrac%7Ba%7D%7Bb%7D"', "\\frac{a}{b}"),
        ('src="http://latex.codecogs.com/svg.latex?\\inline&space;\\dpi{110}&space;x&plus;y"', "x+y"),
        ('src="https://s0.wp.com/latex.php?latex=%5Cpi%2B1&bg=ffffff&fg=000&s=0" alt="photo"', "\\pi+1"),
        ('src="/cgi-bin/mathtex.cgi?\\alpha"', "\\alpha"),
        ('src="/cgi-bin/mimetex.cgi?x%5E2" alt="/x.png"', "x^2"),
        ('src="http://chart.apis.google.com/chart?cht=tx&chl=%5Cpi"', "\\pi"),
        ('src="https://www.zhihu.com/equation?tex=a%2Bb" eeimg="1"', "a+b"),
        ('src="https://texify.com/img/%5Cnormalsize%5C%21x%5E2.gif"', "x^2"),
        ('class="mwe-math-fallback-image-inline" alt="{\\displaystyle x}" src="x.svg"', "x"),
    ],
)
def test_an_image_of_a_formula_becomes_its_latex(image, latex):
    assert f"Before ${latex}$ after" in text_of(f"<img {image}>")


def test_a_photograph_is_no_formula():
    page = text_of('<img src="photo.jpg" alt="my photo, x = 1"> <img src="https://a.org/render?id=12" alt="map">')
    assert "$" not in page
    assert "photo" not in page


def test_katex_is_written_once_with_its_display_kept():  # M5, M12
    katex = (
        '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>E</mi></mrow>'
        f"<annotation {X_TEX}>E^2</annotation></semantics></math></span>"
        '<span class="katex-html"><span>E</span><span>2</span></span></span>'
    )
    assert "Before $E^2$ after" in text_of(katex)
    assert "Before $$E^2$$ after" in text_of(f'<span class="katex-display">{katex}</span>')


def test_a_wikipedia_formula_is_kept_although_its_mathml_is_hidden():  # M7
    html = (
        '<span class="mwe-math-element"><span style="display: none"><math><semantics><mi>E</mi>'
        f"<annotation {X_TEX}>{{\\displaystyle E=mc^{{2}}}}</annotation></semantics></math></span>"
        '<img class="mwe-math-fallback-image-inline" alt="{\\displaystyle E=mc^{2}}"></span>'
    )
    assert "Before $E=mc^{2}$ after" in text_of(html)


def test_a_formula_with_a_less_than_sign_stays_whole():  # M1
    html = f"<math><annotation {X_TEX}>a&lt;b \\text{{ and }} c&gt;d</annotation></math>"
    assert "$a<b \\text{ and } c>d$" in text_of(html)


def test_a_formula_in_a_table_cell_stays_in_its_row():  # M6
    table = "<table><tr><td>area</td><td><math><mi>x</mi></math></td></tr><tr><td>{}</td><td>y{}</td></tr></table>"
    assert "area $x$" in text_of("b", table.replace("<tr><td>{}", "<tr><td>{} "))


def test_a_displayed_formula_spread_over_paragraphs_is_one_formula():
    around = "<p>Before</p><p>\\begin{{align}}</p><p>a&amp;=b\\\\</p><p>c&amp;=d</p><p>\\end{{align}} after</p>{}{}"
    assert "Before $$\\begin{align} a&=b\\\\ c&=d \\end{align}$$ after" in text_of("", around)


def test_two_formulas_side_by_side_stay_two():
    assert "$\\beta$ $x^2$" in text_of('<img class="tex" alt="\\beta"><img class="tex" alt="x^2">')


def test_asciimath_is_read_only_where_the_page_loads_it():
    assert "Before `x^2` after" in text_of("`x^2`")
    assert "Before $x^2$ after" in text_of("<script src='asciimath.js'></script>`x^2`")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("<code>\\dfrac{<var>A</var>}{2} \\times 3</code>", "$\\dfrac{A}{2} \\times 3$"),
        ("<code>print('\\frac{1}{2}')</code>", "print('\\frac{1}{2}')"),
        ("<code>\\usepackage{amsmath} \\text</code>", "\\usepackage{amsmath} \\text"),
        ("<code>\\sigma</code>", "\\sigma"),
        ("<code>C:\\timesheet</code>", "C:\\timesheet"),
    ],
)
def test_code_that_is_tex_of_a_formula_is_one(code, text):
    assert f"Before {text} after" in " ".join(text_of(code).split())


def test_code_is_no_formula():
    code = text_of("<code>$x$ and \\(y\\)</code>")
    assert "Before $x$ and \\(y\\) after" in code
    assert extract(f"<body><p>{PROSE}</p><pre>echo $HOME $$a$$\n  b</pre></body>").formulas == 0


def test_foot_notes_and_ordinals_are_no_exponents():
    assert "Before 1st, note[3] after" in text_of('1<sup>st</sup>, note<sup><a href="#f">[3]</a></sup>')


def test_delimiters_comments_entities_and_size_commands_are_cut_off():
    assert clean_latex("% <![CDATA[\n\\displaystyle x+1 %]]>") == "x+1"
    assert clean_latex("{\\displaystyle E=mc^{2}}") == "E=mc^{2}"
    assert clean_latex("{\\displaystyle a}+{b}") == "{\\displaystyle a}+{b}"
    assert clean_latex("$$ y $$") == "y"
    assert clean_latex("5\\% of x") == "5\\% of x"
    assert clean_latex("a &lt; b &amp; c") == "a < b & c"
    assert clean_latex("x % note\n+ y") == "x + y"


def test_macro_definitions_are_dropped_and_the_formula_behind_them_stays():
    assert clean_latex("\\newcommand{\\R}{\\mathbb{R}} \\def\\x{1}") == ""
    assert clean_latex("\\newcommand{\\R}{\\mathbb{R}} x \\in \\R") == "x \\in \\R"
    assert clean_latex("\\DeclarePairedDelimiter\\abs{\\lvert}{\\rvert} \\definecolor{fill}{gray}{0.9}") == ""
    assert "newcommand" not in text_of('<span style="display: none">\\(\\newcommand{\\R}{\\mathbb{R}}\\)</span>')


def test_a_hidden_solution_with_a_formula_stays_and_other_hidden_text_goes():
    around = '<p>{}{}</p><div style="display:none">Solution: $x^2$</div><div hidden>Please log in to see this.</div>'
    page = text_of("", around)
    assert "Solution: $x^2$" in page
    assert "log in" not in page


def test_braces_in_the_text_cost_nothing():  # H4
    assert "Before {a} { after" in text_of("{a} {")


def test_formulas_do_not_change_the_language_of_a_page():  # H5
    formulas = "<p>" + "$\\alpha_{i} \\le \\mathrm{ker}\\,\\varphi$ " * 50 + "</p>"
    page = extract(f"<body><p>Die Summe der Winkel ist in der Ebene nicht beliebig.</p>{formulas}</body>")
    assert (language_of(page.text), page.formulas) == ("de", 50)


def test_formulas_are_counted_by_the_construct_that_held_them():
    page = extract(f"<body><p>{PROSE} $x$ \\(y\\) <math><mi>z</mi></math> costs $5 and $6</p></body>")
    assert (page.formulas, dict(page.kinds)) == (3, {"$": 1, "\\(": 1, "mathml": 1})


@pytest.mark.parametrize(
    "page",
    [
        "",
        " ",
        "<html></html>",
        "<!-- -->",
        "no markup at all",
        "<div>" * 5000 + PROSE,
        "<svg><template><p>a</svg>",
    ],  # H3
)
def test_odd_pages_are_read_without_an_error(page):
    assert extract(page).formulas == 0


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 20_000 + PROSE,  # H2
        "<b>" * 20_000 + PROSE,
        "<table><tr><td>" * 5_000 + PROSE,
        f"<p>{PROSE}</p><math>" + "<msqrt><mrow>" * 5_000 + "<mi>x</mi>",
        f"<p>{PROSE}</p>" + "<span class='math'>" * 3_000 + "x",
        f"<p>{PROSE}</p><p>" + "\\begin{align}" * 3_000,
        f"<p>{PROSE}</p><p>" + "$x " * 20_000,
        f"<p>{PROSE}</p><p>" + "\\[" * 20_000,
        f"<p>{PROSE}</p><script type='math/asciimath'>" + "[[1,(" * 5_000 + "</script>",
        f"<p>{PROSE}</p><table>" + "<tr>" + "<td>cell</td>" * 40 + "</tr>" * 500 + "</table>",
        f"<p>{PROSE}</p><p><sup>" * 3_000,
        f"<p>{PROSE}</p><math a:b='1' \x01='2'><mi x='&#2;'>&#1;</mi></math><math><a\"b/></math>",
    ],
    ids=lambda page: page[-30:],
)
@pytest.mark.timeout(60)
def test_nested_and_repeated_markup_ends_and_keeps_the_prose(page):
    assert PROSE in extract(page).text


def test_control_characters_of_a_page_do_not_pass_for_our_marks():
    page = f"<body><p>{PROSE} &#2;0&#3; &#1;&#4; \x020\x03 $x$</p></body>"
    assert extract(page).text.count("$x$") == 1
    assert extract(page).text.isprintable()


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a<b<nav>b</p>", "ab"),  # a `<` in a name begins no element
        ("a <!-- <nav> > --> b <!-- < --> c <?php a<b ?> d", "a b c d"),
        ("<span style='display: none'>x<span></span>y</span>a", "a"),
        ("<xmp><b>$x$</b></xmp>", "<b>$x$</b>"),
    ],
)
def test_markup_that_is_no_element_does_not_pass_for_one(html, text):
    assert f"{text} {PROSE}" in " ".join(extract(f"<body>{html}<p>{PROSE}</p>").text.split())


def test_what_frames_show_to_a_reader_without_them_is_read():
    frames = f"<frameset><frame src='a.html'><noframes><body><nav>n</nav><p>{PROSE}</p><nav>x</body></noframes>"
    assert extract(f"<html>{frames}</frameset></html>").text == PROSE


def test_a_slash_closes_an_element_of_xhtml_and_of_mathml_only():
    doctype = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN">'
    body = f"<body><p>{PROSE}<script src='x.js'/> <a name='y'/>$x$ <br/>end</p></body>"
    assert extract(doctype + body).text.endswith("$x$\nend")
    prefixed = "<m:math><m:mrow><m:mi>a</m:mi><m:mspace/><m:mi>b</m:mi></m:mrow></m:math>"
    assert extract(f"<body><p>{PROSE} {prefixed}</p></body>").text.endswith("$ab$")


def test_an_anchor_is_no_link():
    page = f"<body><h1>T</h1><p><a name='x'>{PROSE}</a></p><p>{PROSE}</p><p><a href='/y'>{PROSE} Link.</a></p></body>"
    assert extract(page).text.split("\n")[1:] == [PROSE, PROSE]


def test_pages_may_be_read_in_any_thread():  # B1, B2
    page = f"<body><p>{PROSE} " + "<math><mi>x</mi></math> $y$ " * 20 + "</p></body>"
    with ThreadPoolExecutor(2) as threads:
        assert {found.formulas for found in threads.map(extract, [page] * 8)} == {40}


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


def test_the_frame_is_all_that_a_page_without_text_of_its_own_shows():
    links = "".join(f'<li><a href="/{number}">A talk on groups, part {number}</a></li>' for number in range(20))
    found = extract(f"<html><body><h1>Talks</h1><ul>{links}</ul></body></html>")
    assert found.text == ""
    assert found.frame.startswith("Talks\nA talk on groups, part 0\n")
    assert not extract(f"<html><body><ul>{links}</ul><article><p>{PROSE}</p></article></body></html>").frame
    assert not extract("<html><body><h4>Answer</h4><p>$x = 5$</p></body></html>").frame
