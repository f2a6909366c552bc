"""What answers are read as and which are the same: each case is a failure that some public grader has had."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from commons.answers.comparing import Rules, equivalent_values, matches
from commons.answers.notation import plain
from commons.answers.reading import parse
from commons.answers.values import (
    Based,
    Choice,
    Clock,
    Compound,
    Matrix,
    Ratio,
    Relation,
    Scalar,
    Sequence,
    Text,
    Union,
    Value,
)
from commons.equivalence import equivalent, grade

KINDS: list[tuple[str, type[Value]]] = [
    ("12", Scalar),
    ("-3.50", Scalar),
    (r"\frac{\sqrt{3}}{2}", Scalar),
    ("2516_8", Based),
    ("4:30 p.m.", Clock),
    (r"9\text{ a.m.}", Clock),
    ("1:2:3", Ratio),
    ("(1,2)", Sequence),
    (r"\{1,2\}", Sequence),
    (r"3\pm\sqrt2", Sequence),
    (r"(-\infty,0)\cup[1,2)", Union),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", Matrix),
    ("x^2+y^2=1", Relation),
    ("-2 < x \\le 7", Relation),
    ("A, D", Choice),
    ("①③", Choice),
    ("5千克300克", Compound),
    (r"\text{Evelyn}", Text),
    ("even", Text),
]
SAME = [
    (r"10{,}000", "10000"),
    (r"111, \! 111", "111111"),
    ("１，２３４", "1234"),
    (r"\text{13}", "13"),
    (r"\left(3,\frac{\pi}{2}\right)", r"(3, \frac{\pi}{2})"),
    ("a+5", "5+a"),
    (r"\frac{m}{2}", "m/2"),
    (r"2\cdot 3x", "6x"),
    (r"4\sqrt(2)", r"4\sqrt{2}"),
    (r"\sqrt[3]{8}", "2"),
    (r"\sqrt{1/n}", r"1/\sqrt n"),
    ("pi/2", r"\frac{\pi}{2}"),
    ("-2*pi", r"-2\pi"),
    ("exp(16)-1", "e^{16}-1"),
    ("14.0 + -1.0i", "14-i"),
    ("np.arcsin(10/13)", r"\arcsin\frac{10}{13}"),
    ("Rational(1, 2)", "0.5"),
    ("FiniteSet(1, 2)", r"\{2, 1\}"),
    ("Interval.Ropen(0, 1)", "[0,1)"),
    ("Matrix([[1, 2], [3, 4]])", r"\begin{bmatrix}1&2\\3&4\end{bmatrix}"),
    (r"2\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}2\\4\end{pmatrix}"),
    (r"\tan^2 y + 1", r"\sec^2 y"),
    (r"\cos 13^\circ", r"\cos(13\pi/180)"),
    (r"90^\circ", "90 degrees"),
    (r"x\in(-\infty,2]", r"x\le 2"),
    ("(-2,3)", "-2<x<3"),
    ("x < -1 or x > 2", r"(-\infty,-1)\cup(2,\infty)"),
    ("-x >= -1", "x <= 1"),
    ("2x^2+2y^2=2", "y^2+x^2-1=0"),
    ("y = 2x+3", "2x+3"),
    ("x = 1, y = 2", "1, 2"),
    ("(p,q)=(3,2)", "(3,2)"),
    (r"x \approx 11", "11"),
    ("V_1:V_2 = 11:21", "22:42"),
    ("4:30", "4:30 p.m."),
    ("1101_2", "13_{10}"),
    ("1101_2", "1101"),
    ("15 square centimeters", r"15\mbox{ cm}^2"),
    (r"75\%", "75 percent"),
    (r"\$18", "18 dollars"),
    ("三又二分之一", "7/2"),
    ("百分之二十", r"20\%"),
    ("一千两百元", "1200"),
    ("B, E", r"\text{E,B}"),
    ("1/2004!", r"\frac{1}{2004!}"),
    ("Yes", r"\text{yes}"),
    ("004", "4"),
    (r"1, 2 \text{ and } 3", "3; 2; 1"),
    ("5千克300克", "5 千克 300 克"),
]
DIFFERENT = [
    ("0,1", "01"),
    ("3t", "3"),
    ("2j", "2i"),
    ("band", "b"),
    (r"\infty", "infinite"),
    (r"4\sqrt{2}", "4"),
    ("[0,1)", "(0,1]"),
    ("(1,2)", "1,2"),
    ("1331 and 1728", "1728"),
    ("1, 2, 3, 4", "1, 2"),
    ("1/2004!", "1/2006!"),
    ("1/2^{99}", "1/2^{98}"),
    ("e^{-100}", "e^{-101}"),
    ("3x-1y+13=0", "0"),
    ("2x+4y+z-19=0", "0"),
    ("f(x)=0", "3x-y+13=0"),
    ("x=5", "y=5"),
    ("x<5", "x>5"),
    ("x<5", r"x\le5"),
    ("-2x < 4", "x < -2"),
    ("|x|", "x"),
    (r"\sqrt{x^2}", "x"),
    ("I(0)e^{-t}", "I(0)e^{-2t}"),
    ("12 cm", r"12\text{ cm}^2"),
    ("5千克300克", "300克"),
    ("1101_2", "1101_3"),
    ("4:30 a.m.", "4:30 p.m."),
    ("1:2", "2:1"),
    ("C, B, A", "B, C, A"),
    ("32, 349", "32349"),
    ("(1,234)", "1234"),
    ("x+2n+1", "x+1"),
    (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}2\\1\end{pmatrix}"),
    (r"\text{even}", r"\text{odd}"),
]


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_each_kind_of_answer_is_read_as_itself(text, kind):
    assert type(parse(text)) is kind
    assert equivalent(text, text)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_answer_in_other_clothes(one, other):
    assert equivalent(one, other)
    assert equivalent(other, one)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_answers_that_others_take_for_the_same(one, other):
    assert not equivalent(one, other)
    assert not equivalent(other, one)


@pytest.mark.parametrize("text", [one for pair in SAME for one in pair if "\\text" not in one and "mbox" not in one])
def test_delimiters_spaces_and_a_full_stop_change_no_verdict(text):
    value = parse(text)
    for dressed in (f"${text}$", f"  {text}  ", f"{text}.", f"\\boxed{{{text}}}", f"\\[ {text} \\]"):
        other = parse(dressed)
        assert value is not None
        assert other is not None
        assert equivalent_values(value, other)


@pytest.mark.parametrize("text", [one for pair in SAME for one in pair])
def test_the_notation_is_a_fixed_point(text):
    assert plain(plain(text)) == plain(text) or parse(plain(text)) == parse(text)


@pytest.mark.parametrize("word", [r"\left", r"\infty", r"\square", r"\sqrt[3]{8}", r"\frac{m}{n}"])
def test_units_are_never_taken_out_of_a_macro(word):
    assert plain(word) in ("", "∞", r"\square", r"\sqrt [3]{8}", r"\frac {m}{n}")


def test_digits_asked_for_are_a_setting():
    third, decimal = parse("1/3"), parse("0.33")
    assert third is not None
    assert decimal is not None
    assert not matches(decimal, third)
    assert matches(decimal, third, Rules(decimal_digits=2))


@pytest.mark.parametrize(
    "hostile",
    [
        "5^{5^{5^{5^5}}}",
        "10**10**8",
        "(" * 300 + "1" + ")" * 300,
        "9" * 599,
        "2^" * 200 + "2",
        "x+" * 290 + "x",
        "\\frac" * 100,
        "1," * 290 + "1",
        "99999!!!!",
        "{" * 600,
        "\\boxed{" * 80,
    ],
)
def test_hostile_answers_take_no_time(hostile):
    started = time.process_time()
    parse(hostile)
    equivalent(hostile, f"{hostile}+1")
    grade(f"\\boxed{{{hostile}}}", "5")
    assert time.process_time() - started < 2


def test_nothing_that_is_written_is_run(tmp_path):
    canary = tmp_path / "canary"
    for text in (
        f"__import__('os').system('touch {canary}')",
        f"open('{canary}','w')",
        f'exec(\'open("{canary}","w")\')',
    ):
        equivalent(text, "1")
        grade(f"\\boxed{{{text}}}", "1")
    assert not canary.exists()


def test_threads_get_the_verdicts_of_one_thread():
    pairs = [(rf"\sqrt{{{n}}}+x", rf"x+{n}^{{1/2}}") for n in range(2, 40)]
    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(lambda pair: equivalent(*pair), pairs))
