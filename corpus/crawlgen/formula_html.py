"""The ways in which web pages write one formula."""

import html
import urllib.parse
from collections.abc import Callable, Iterator

from corpus.crawlgen.formula import MARKED, Node, parse

TAGS = {"number": "mn", "name": "mi", "operator": "mo", "function": "mi", "words": "mtext"}
CONTAINERS = {"fraction": "mfrac", "root": "msqrt", "power": "msup", "index": "msub", "indexed power": "msubsup"}


def mathml(node: Node) -> str:
    """Presentation MathML of a formula's tree, without the outer `math`."""
    if node.kind in TAGS:
        return f"<{TAGS[node.kind]}>{html.escape(node.text, quote=False)}</{TAGS[node.kind]}>"
    if node.kind == "space":
        return '<mspace width="0.3em"></mspace>'
    inside = "".join(mathml(part) for part in node.parts)
    if node.kind == "row":
        return f"<mrow>{inside}</mrow>"
    if node.kind == "binomial":
        return f'<mrow><mo>(</mo><mfrac linethickness="0">{inside}</mfrac><mo>)</mo></mrow>'
    return f"<{CONTAINERS[node.kind]}>{inside}</{CONTAINERS[node.kind]}>"


def plain_html(node: Node) -> str:
    """A formula in characters, with `sup` and `sub`, as pages write it that know no formula language."""
    parts = [plain_html(part) for part in node.parts]
    if node.kind == "row":
        return "".join(_joined(node.parts, parts))
    if node.kind == "fraction":
        return "/".join(_in_brackets(part, text) for part, text in zip(node.parts, parts, strict=True))
    if node.kind == "root":
        return f"√{_in_brackets(node.parts[0], parts[0])}"
    if node.kind == "binomial":
        return f"C({parts[0]}, {parts[1]})"
    if node.kind == "power" and parts[1] == "°":
        return f"{parts[0]}°"
    if node.kind == "power":
        return f"{parts[0]}<sup>{parts[1]}</sup>"
    if node.kind == "index":
        return f"{parts[0]}<sub>{parts[1]}</sub>"
    if node.kind == "indexed power":
        return f"{parts[0]}<sub>{parts[1]}</sub><sup>{parts[2]}</sup>"
    if node.kind == "function":
        return f"{node.text} "
    return html.escape(node.text, quote=False)


def _joined(nodes: tuple[Node, ...], texts: list[str]) -> Iterator[str]:
    """Spaces around the signs between two values, none after the sign of a value, one after a comma."""
    value_before = False
    for node, text in zip(nodes, texts, strict=True):
        between = node.kind == "operator" and (node.text in "=<>≤≥≠≡≈→∈⇒∼" or (value_before and node.text in "+-×÷·±"))
        yield f" {text} " if between else f"{text} " if node.text == "," else text
        value_before = node.kind != "operator" or node.text in ")!"


def _in_brackets(node: Node, text: str) -> str:
    return f"({text})" if node.kind == "row" else text


def _dollar(latex: str, display: bool) -> str:
    mark = "$$" if display else "$"
    return f"{mark}{html.escape(latex, quote=False)}{mark}"


def _paren(latex: str, display: bool) -> str:
    left, right = (r"\[", r"\]") if display else (r"\(", r"\)")
    return f"{left}{html.escape(latex, quote=False)}{right}"


def _script(latex: str, display: bool) -> str:
    preview = f'<span class="MathJax_Preview">{plain_html(parse(latex))}</span>'
    return f'{preview}<script type="math/tex{"; mode=display" if display else ""}">{latex}</script>'


def _math(latex: str, display: bool, annotation: str = "") -> str:
    tree = mathml(parse(latex))
    if annotation:
        note = html.escape(annotation, quote=False)
        tree = f'<semantics><mrow>{tree}</mrow><annotation encoding="application/x-tex">{note}</annotation></semantics>'
    block = ' display="block"' if display else ""
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"{block}>{tree}</math>'


def _mjx(latex: str, display: bool) -> str:
    block = ' display="true"' if display else ""
    return (
        f'<mjx-container class="MathJax" jax="CHTML"{block}><mjx-math class="MJX-TEX" aria-hidden="true">'
        f'{plain_html(parse(latex))}</mjx-math><mjx-assistive-mml unselectable="on">{_math(latex, display)}'
        "</mjx-assistive-mml></mjx-container>"
    )


def _katex(latex: str, display: bool) -> str:
    seen = plain_html(parse(latex))
    inner = (
        f'<span class="katex"><span class="katex-mathml">{_math(latex, display, latex)}</span>'
        f'<span class="katex-html" aria-hidden="true"><span class="base">{seen}</span></span></span>'
    )
    return f'<span class="katex-display">{inner}</span>' if display else inner


def _plain(latex: str, display: bool) -> str:
    seen = plain_html(parse(latex)).strip()
    return f'<span class="formula">{seen}</span>' if display else seen


def _image(latex: str, display: bool) -> str:
    name = f"{sum(map(ord, latex)) * len(latex):08x}"
    size = "display" if display else "inline"
    return f'<img class="latex {size}" src="/cache/tex/{name}.png" alt="{html.escape(latex)}" title="">'


def _image_url(latex: str, display: bool) -> str:
    size = r"\large " if display else ""
    return f'<img src="https://latex.codecogs.com/png.image?{urllib.parse.quote(size + latex)}" border="0" alt="">'


def _wiki(latex: str, display: bool) -> str:
    styled = rf"{{\displaystyle {latex}}}"
    kind = "display" if display else "inline"
    return (
        f'<span class="mwe-math-element"><span class="mwe-math-mathml-{kind} mwe-math-mathml-a11y" '
        'style="display: none;">'
        f'{_math(latex, display, styled)}</span><img src="/media/math/render/svg/{len(latex):04d}" '
        f'class="mwe-math-fallback-image-{kind}" aria-hidden="true" alt="{html.escape(styled)}"></span>'
    )


FORMS: dict[str, Callable[[str, bool], str]] = {
    "dollar": _dollar,
    "paren": _paren,
    "script": _script,
    "mjx": _mjx,
    "katex": _katex,
    "mathml": _math,
    "plain": _plain,
    "image": _image,
    "image-url": _image_url,
    "wiki": _wiki,
}


def render_text(text: str, form: str) -> str:
    """HTML of a text whose formulas are marked: the words escaped, each formula in the given form."""
    pieces: list[str] = []
    end = 0
    for found in MARKED.finditer(text):
        pieces.append(html.escape(text[end : found.start()], quote=False))
        display = found[1] is None
        pieces.append(FORMS[form](found[2] if display else found[1], display))
        end = found.end()
    pieces.append(html.escape(text[end:], quote=False))
    return "".join(pieces)
