"""Elements that hold a formula: which they are, what their LaTeX is, and whether it stands on a line of its own.

Markup of MathML, KaTeX, MathJax 2 and 3, Wikipedia, pandoc, Sphinx, distill, GitLab, JATS and Quill; images have
their own module. A container is read as a small tree of its own; one that turns out to hold no formula is read as
ordinary markup (`None`).
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from lxml import etree

from corpus.text.asciimath import latex_of_asciimath
from corpus.text.images import latex_of_image
from corpus.text.mathml import latex_of_math
from corpus.text.mathml_elements import local_name

Element: TypeAlias = etree._Element
Get: TypeAlias = Callable[[str], str | None]
Found: TypeAlias = tuple[str, bool]

FORMULA_TAGS_WORDS = (
    "math m:math mml:math mjx-container asciimath d-math la-tex latex-js tex-math math-field amp-mathml inline-formula "
    "disp-formula"
)
FORMULA_TAGS = frozenset(FORMULA_TAGS_WORDS.split())
MAX_CHARACTERS = 10_000
OUTER_TAGS = frozenset({"p", "div", "table", "ul", "ol", "h1", "h2", "h3", "section", "article", "a"})
CODE_TAGS = frozenset({"code", "pre"})
CONSTRUCTS = {
    "script": "mathjax script",
    "math": "mathml",
    "mjx-container": "mathjax container",
    "asciimath": "asciimath",
}
# The whole class, or a word of it, that a container of a formula carries.
KATEX = frozenset({"katex", "katex-display"})
WIKIPEDIA = frozenset({"mwe-math-element", "mwe-math-fallback-source-inline", "texhtml"})
MATHJAX_WORDS = (
    "MathJax MathJax_Display MathJax_SVG MathJax_SVG_Display MathJax_CHTML MathJax_FullWidth MJXc-display mjx-chtml "
    "mjx-full-width MJX_Assistive_MathML MathJax_MathML MathJax_PlainSource MathJax_MathContainer"
)
MATHJAX = frozenset(MATHJAX_WORDS.split())
PREVIEW = frozenset({"MathJax_Preview", "MathJax_Error", "MathJax_Processing"})
WRITTEN_WORDS = "math tex latex math-tex math-inline math-display ql-formula ztext-math mathquill inline-math"
WRITTEN = frozenset(WRITTEN_WORDS.split())
CODE = frozenset({"language-math", "math-inline", "math-block", "math", "js-render-math"})
DATA_TAGS = frozenset({"span", "code", "pre"})
DATA = ("data-math-style", "data-tex", "data-latex")
SOURCES = (
    "data-latex",
    "data-tex",
    "data-math",
    "data-formula",
    "data-katex",
    "data-equation",
    "data-value",
    "data-expr",
)
LATEX = re.compile(r"\\[A-Za-z]|[\^_]")
DISPLAYED = re.compile(r"(?i)display|block|(?<![a-z])disp")
# Commands of TeX mathematics; beside quotes, semicolons or doubled backslashes stands a program that prints them.
TEX_COMMAND = re.compile(
    r"\\(?:[dt]?frac|sqrt|times|cdot|div|pm|leq?|geq?|neq|sum|int|prod|lim|infty|angle|overline|vec|pi|theta|alpha|beta|"
    r"gamma|delta|sigma|mu|lambda|left|right|mathbb|mathcal|text|approx|equiv|displaystyle|qquad|circ|cdots|ldots)"
    r"(?![A-Za-z])"
)
PROGRAM = re.compile(r"[\"';$`]|\\\\[a-z]|\\(?:documentclass|usepackage|newcommand|begin\{document)")
DELIMITED = re.compile(r"^\s*(?:\\\(|\\\[|\$|\\begin)")


class Sources(NamedTuple):
    """What MathJax 2 left on a page: scripts with the source of each formula, drawings that carry it."""

    scripts: bool
    drawings: bool


def sources_of(page: str) -> Sources:
    """Sources of a page."""
    return Sources(
        scripts="math/tex" in page or "math/mml" in page,
        drawings="data-mathml" in page or "MJX_Assistive" in page,
    )


def is_formula_container(tag: str, get: Get) -> bool:
    """Whether an element that begins may hold a formula."""
    if tag == "script":
        return "math/" in (get("type") or "").lower()
    class_ = get("class")
    if class_ and _class_kind(class_, tag in CODE_TAGS):
        return True
    return tag in DATA_TAGS and any(map(get, DATA))


def construct_of(tag: str, get: Get, sources: Callable[[], Sources]) -> str:
    """The kind of a container; `drawn` for one whose source stands beside it, which is dropped."""
    name = tag.rpartition(":")[2]
    if name in CONSTRUCTS:
        return CONSTRUCTS[name]
    kind = _class_kind(get("class") or "", name in CODE_TAGS)
    if (kind == "mathjax 2" and sources().scripts) or (kind == "preview" and any(sources())):
        return "drawn"
    return kind or "element"


def formula_of(element: Element, kind: str) -> Found | None:
    """(LaTeX, displayed) of a container; LaTeX is empty for what is to vanish; None when it is no formula."""
    if kind == "mathjax script":
        return _of_script(element)
    if kind == "mathml":
        return latex_of_math(element), _is_display_math(element)
    if kind == "asciimath":
        return latex_of_asciimath("".join(element.itertext())), False
    if kind == "preview":
        return None
    if kind == "element" and _is_more_than_a_formula(element):
        return None
    latex = _inside(element)
    display = _is_displayed(element)
    if latex:
        return latex, display
    text = "".join(element.itertext()).strip()
    if kind in ("katex", "mathjax 2", "mathjax container"):
        return text, display
    plain = not any(
        isinstance(child.tag, str) and child.tag not in ("br", "span") for child in element.iterdescendants()
    )
    if plain and (LATEX.search(text) or kind == "code") and not DELIMITED.match(text):
        return text, display
    return None


def _is_more_than_a_formula(element: Element) -> bool:
    """A class such as `math` may stand on a whole chapter."""
    tags = [local_name(node) for node in _elements(element)]
    several = sum(tag in ("math", "img") for tag in tags) > 1
    return several or not OUTER_TAGS.isdisjoint(tags[1:]) or len("".join(element.itertext())) > MAX_CHARACTERS


def is_tex_code(text: str) -> bool:
    """Whether the text of an element for code is a formula in TeX, as exercise frameworks write it."""
    command = TEX_COMMAND.search(text) if "\\" in text else None
    return command is not None and command.group() != text.strip() and PROGRAM.search(text) is None


def image_formula(get: Get) -> Found | None:
    """(LaTeX, displayed) of an image of a formula; None for any other image."""
    latex = latex_of_image(get)
    return (latex, _says_display(get("class") or "")) if latex else None


@lru_cache(maxsize=65536)
def _class_kind(class_: str, is_code: bool) -> str:
    words = frozenset(class_.split())
    for kind, names in (("katex", KATEX), ("wikipedia", WIKIPEDIA), ("mathjax 2", MATHJAX), ("preview", PREVIEW)):
        if words & names:
            return kind
    if is_code:
        return "code" if words & CODE else ""
    return "element" if words & WRITTEN else ""


def _of_script(element: Element) -> Found | None:
    kind = (element.get("type") or "").replace(" ", "").lower()
    text = "".join(element.itertext())
    if kind.startswith(("math/tex", "math/latex")):
        return text, "mode=display" in kind
    if kind.startswith("math/asciimath"):
        return latex_of_asciimath(text), "mode=display" in kind
    if kind.startswith("math/mml"):
        return _of_markup(text)
    return "", False


def _of_markup(text: str) -> Found:
    """The formula of MathML that stands as text, in a script or an attribute."""
    for node in _elements(etree.HTML(text) if text.strip() else None):
        if local_name(node) == "math":
            return latex_of_math(node), _is_display_math(node)
    return "", False


def _inside(element: Element) -> str:
    """LaTeX of a wrapper: an attribute that holds it, the MathML in it, a script in it, or an image's alternative."""
    nodes = list(_elements(element))
    for written in (_in_attributes, _in_mathml, _in_source, _in_image):
        for node in nodes:
            latex = written(node)
            if latex:
                return latex
    return ""


def _in_attributes(node: Element) -> str:
    for name in SOURCES:
        if node.get(name) and (name != "data-value" or "ql-formula" in (node.get("class") or "")):
            return str(node.get(name))
    return _of_markup(node.get("data-mathml") or "")[0]


def _in_mathml(node: Element) -> str:
    if local_name(node) == "tex-math":
        return "".join(node.itertext())
    return latex_of_math(node) if local_name(node) == "math" else ""


def _in_source(node: Element) -> str:
    is_script = local_name(node) == "script" and "math/tex" in (node.get("type") or "")
    return (node.text or "") if is_script or local_name(node) == "annotation" else ""


def _in_image(node: Element) -> str:
    return (node.get("alt") or "") if local_name(node) == "img" else ""


def _elements(element: Element | None) -> Iterator[Element]:
    if element is not None:
        yield from (node for node in element.iter() if isinstance(node.tag, str))


def _is_displayed(element: Element) -> bool:
    if element.get("display") in ("true", "block") or element.get("data-math-style") == "display":
        return True
    if element.get("mode") == "display" or "block" in element.attrib:
        return True
    nodes = list(_elements(element))
    if local_name(element) == "disp-formula" or any(_says_display(node.get("class") or "") for node in nodes):
        return True
    return any(_is_display_math(node) for node in nodes if local_name(node) == "math")


@lru_cache(maxsize=65536)
def _says_display(class_: str) -> bool:
    return any(DISPLAYED.search(word) for word in class_.split() if "inline" not in word)


def _is_display_math(element: Element) -> bool:
    return element.get("display") == "block" or element.get("mode") == "display"
