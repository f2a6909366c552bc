"""The DOM pass that saves mathematics: every construct that holds a formula becomes one opaque word.

Extractors of main content throw away what they take for markup, scripts or hidden boxes, which is where formulas
live. A word such as `mathzq12zq` survives them; `put_back` then writes the LaTeX in its place.
Nodes are collected before any is changed: a tree that is edited while it is walked loses some of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit

from lxml import etree

from corpus.mathml import latex_of_math

Element: TypeAlias = etree._Element

WORD = re.compile(r"\s*mathzq(\d+)(d?)zq\s*")
RENDERED_CLASSES = (
    "MathJax_Preview MathJax MathJax_Display MathJax_SVG MathJax_SVG_Display MathJax_CHTML MJXc-display "
    "MJX_Assistive_MathML mjx-chtml"
)
RENDERED_BY_MATHJAX = RENDERED_CLASSES.split()
FORMULA_CLASS = re.compile(
    r"(?i)(?:^|[\s_-])(?:latex|tex|math|mathjax|mathtex|mimetex|equation|wirisformula)(?:$|[\s_-])"
)
FORMULA_SOURCE = re.compile(
    r"(?i)codecogs\.com|mathtex|mimetex|latex\.php|[/.]latex\?|equation\?tex=|[?&]cht=tx|/tex\?|texify"
)
FORMULA_PARAMETERS = ("latex", "tex", "chl", "formula", "math", "eq")
LOOKS_LIKE_TEX = re.compile(r"[\\^_=<>+*/{}]|^\s*\$|^\s*[A-Za-z0-9]\s*$")
MACROS = re.compile(
    r"(\\\(|\\\[|\${1,2})\s*\\(?:re|provide)?(?:newcommand|command|def|DeclareMathOperator)\b.*?(?:\\\)|\\\]|\${1,2})",
    re.S,
)
ORDINALS_WORDS = "st nd rd th e er re ème º ª tm ®"
ORDINALS = frozenset(ORDINALS_WORDS.split())
SCRIPT_LENGTH = 24


@dataclass(slots=True)
class Formulas:
    """The formulas of one page in the order in which they were met."""

    latex: list[str] = field(default_factory=list)

    def word_for(self, latex: str, *, display: bool) -> str:
        """The word that stands for a formula until `put_back`; nothing for an empty one."""
        cleaned = clean_latex(latex)
        if not cleaned:
            return ""
        self.latex.append(cleaned)
        return f" mathzq{len(self.latex) - 1}{'d' if display else ''}zq "

    def put_back(self, text: str) -> str:
        """`text` with LaTeX for every word: `$..$` in a line, `$$..$$` on a line of its own."""

        def written(match: re.Match[str]) -> str:
            latex = self.latex[int(match.group(1))]
            if match.group(2):
                return f"\n$${latex}$$\n"
            before = " " if match.group(0)[:1].isspace() else ""
            after = " " if match.group(0)[-1:].isspace() else ""
            return f"{before}${latex}${after}"

        return WORD.sub(written, text)


def clean_latex(latex: str) -> str:
    """One formula without the delimiters, comments and size commands that sites wrap around it."""
    text = re.sub(r"%?\s*<!\[CDATA\[|%?\s*\]\]>", " ", latex)
    text = re.sub(r"(?<!\\)%[^\n]*\n", "\n", text)
    text = " ".join(text.split())
    for opening, closing in (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")):
        if len(text) > len(opening + closing) and text.startswith(opening) and text.endswith(closing):
            text = text[len(opening) : -len(closing)].strip()
    wrapped = re.fullmatch(r"\{\\(?:display|text)style\s(.*)\}", text)
    text = wrapped.group(1) if wrapped else re.sub(r"^\\(?:display|text)style\s+", "", text)
    return "" if re.match(r"\\(?:re)?newcommand\b", text) else text.strip()


def save_formulas(tree: Element) -> Formulas:
    """Replaces each mathematical construct of `tree` by a word, in place, and returns what the words stand for."""
    found = Formulas()
    for element, latex, display in _constructs(tree):
        _replace(element, found.word_for(latex, display=display))
    for element in list(tree.iter("sub", "sup")):
        _write_script(element)
    for element in list(tree.iter()):
        if isinstance(element.tag, str) and element.text and "command" in element.text:
            element.text = MACROS.sub(" ", element.text)
    return found


def remove_hidden(tree: Element) -> None:
    """Drops what the page itself hides, and TeX macro boxes: call it after the formulas are saved."""
    hidden = "//*[@hidden or @id='latex-macros' or contains(translate(@style,' ',''),'display:none')]"
    for element in tree.xpath(hidden):
        if element.tag not in ("html", "body") and not WORD.search("".join(element.itertext())):
            _replace(element, " ")


def _constructs(tree: Element) -> Iterator[tuple[Element, str, bool]]:
    """(element, LaTeX, whether displayed), outermost constructs first; what an earlier one held is gone by then."""
    yield from _mathjax_scripts(tree)
    for element in tree.xpath(_has_class("mwe-math-element")):
        classes = "".join(element.xpath(".//@class"))
        yield element, _latex_inside(element), "-display" in classes
    for element in tree.xpath(_has_class("katex-display")):
        yield element, _latex_inside(element), True
    for element in tree.xpath(_has_class("katex")):
        yield element, _latex_inside(element), False
    for element in list(tree.iter("mjx-container")):
        latex = _latex_inside(element)
        if latex:
            yield element, latex, element.get("display") in ("true", "block")
    for element in list(tree.iter("math")):
        yield element, latex_of_math(element), element.get("display") == "block" or element.get("mode") == "display"
    for element in list(tree.iter("img")):
        latex = _latex_of_image(element)
        if latex:
            yield element, latex, False


def _mathjax_scripts(tree: Element) -> Iterator[tuple[Element, str, bool]]:
    scripts = tree.xpath("//script[starts-with(@type,'math/')]")
    if scripts:
        rendered = " or ".join(f"contains(concat(' ',@class,' '),' {name} ')" for name in RENDERED_BY_MATHJAX)
        for element in tree.xpath(f"//*[{rendered}]"):
            _replace(element, "")
    for element in scripts:
        kind = (element.get("type") or "").replace(" ", "").lower()
        if kind.startswith("math/tex"):
            yield element, element.text or "", "mode=display" in kind
        elif kind.startswith("math/mml") and element.text:
            yield element, latex_of_math(etree.HTML(element.text)), '<math display="block"' in element.text


def _latex_inside(element: Element) -> str:
    """LaTeX of a wrapper: of the MathML in it, else the alternative text of its image."""
    for math in element.iter("math"):
        latex = latex_of_math(math)
        if latex:
            return latex
    for annotation in element.iter("annotation"):
        if annotation.text:
            return str(annotation.text)
    for image in element.iter("img"):
        return image.get("alt") or ""
    own = "".join(element.itertext()).strip() if "katex" in (element.get("class") or "") else ""
    return element.get("data-latex") or element.get("data-tex") or own


def _latex_of_image(image: Element) -> str:
    alternative, source = image.get("alt") or "", image.get("src") or image.get("data-src") or ""
    by_source = bool(FORMULA_SOURCE.search(source))
    if not by_source and not FORMULA_CLASS.search(image.get("class") or ""):
        return ""
    if LOOKS_LIKE_TEX.search(alternative) and not alternative.startswith(("http:", "https:", "/")):
        return alternative
    return _latex_of_query(source) if by_source else ""


def _latex_of_query(source: str) -> str:
    query = urlsplit(source).query
    named = parse_qs(query.replace("+", "%2B") if "codecogs" in source else query)
    for name in FORMULA_PARAMETERS:
        if name in named:
            return named[name][0]
    return unquote(query)


def _write_script(element: Element) -> None:
    """`x<sup>2</sup>` becomes x^2; foot-note marks and ordinals stay as they are."""
    text = "".join(element.itertext()).strip()
    plain = not any(isinstance(child.tag, str) and child.tag in ("a", "img") for child in element.iter())
    if plain and text and len(text) <= SCRIPT_LENGTH and text.lower() not in ORDINALS:
        mark = "^" if element.tag == "sup" else "_"
        _replace(element, mark + (text if len(text) == 1 else f"{{{text}}}"))


def _replace(element: Element, text: str) -> None:
    """Puts `text` where `element` stood; the text after the element stays."""
    parent = element.getparent()
    if parent is None:
        return
    after = text + (element.tail or "")
    before = element.getprevious()
    if before is None:
        parent.text = (parent.text or "") + after
    else:
        before.tail = (before.tail or "") + after
    element.tail = None
    parent.remove(element)


def _has_class(name: str) -> str:
    return f"//*[contains(concat(' ',@class,' '),' {name} ')]"
