"""Images of formulas: LaTeX from the alternative text, else from the address of the server that drew it."""

import re
from collections.abc import Callable
from urllib.parse import unquote, unquote_plus

# Each image of a formula has one of these in its tag: a cheap test, since most images have none.
MARKS_WORDS = "tex math formula equation codecogs render? cht=tx forkosh eeimg ee_img tr_noresize"
MARKS = (*MARKS_WORDS.split(), 'alt="$', 'alt="\\(', 'alt="\\[')
CLASS = re.compile(
    r"(?i)(?:^|[\s_-])(?:latex|tex|math|mathjax|mathtex|mimetex|texmath|equation|formula|wirisformula|ee_img|tr_noresize|"
    r"mwe-math-fallback-image-(?:inline|display))(?:$|[\s_-])"
)
# Servers that draw the formula in their query (or path), and what stands before it.
SERVER = re.compile(
    r"(?i)codecogs\.com/|math-?tex(?:\.cgi)?\?|mimetex(?:\.cgi)?\?|latex\.php|/latex(?:render)?\?|[/.]latex\?|"
    r"equation\?tex=|[?&]cht=tx|/tex(?:\.cgi)?\?|texify|/render\?|math\.now\.sh|tex\.s2cms|latex2png|forkosh|"
    r"wikimedia\.org/api/rest_v1/media/math|upmath\.me|latexify|/formula\?|/latex_render|quicklatex|chart\?cht=tx"
)
PATH = re.compile(
    r"(?i)(?:tex\.s2cms\.ru|upmath\.me)/(?:svg|png|g)/(.+)|codecogs\.com/[a-z]+\.(?:latex|download)/(.+)|texify\.com/img/(.+?)(?:\.gif)?$"
)
PARAMETER = re.compile(
    r"(?i)(?:^|&(?:amp;)?)(?:latex|tex|chl|from|formula|math|eq|equation|texstring|expression)=([^&]*)"
)
OTHER_PARAMETERS = re.compile(r"^[A-Za-z_]{2,}=[^&]*(?:&[A-Za-z_]+=[^&]*)*$")
CODECOGS_NAMES = {"&space;": "%20", "&plus;": "%2B", "&hash;": "%23", "&amp;": "&"}
# Settings that stand before the formula in a query without names (mimeTeX, mathTeX, CodeCogs).
SETTINGS = re.compile(
    r"^\s*(?:\\(?:dpi|fn|bg|fg|opaque|large|small|tiny|huge|inline|LARGE|normalsize|footnotesize|png|gif|usepackage|reverse|parstyle|"
    r"textcolor|depth|density|formdata)(?![A-Za-z])(?:\\!)?\s*(?:\{[^{}]*\})?(?:_[a-z]+)?\s*|\d+\.?\d*\$)+"
)
LOOKS_LIKE_TEX = re.compile(
    r"[\\^_=<>+*/{}|]|^\s*\$|^\s*[A-Za-z0-9]{1,2}\s*$|^\s*-?[\d.,]+\s*$|^\s*[A-Za-z]\([A-Za-z, ]+\)\s*$"
)
COMMAND = re.compile(r"\\[A-Za-z]+|[\^_]\{|\\[,;!]")
ADDRESS = re.compile(r"^\s*(?:https?:|/|data:|www\.)|\.(?:png|gif|jpe?g|svg)\s*$")


def may_show_formula(markup: str) -> bool:
    """Whether an image with this start tag can show a formula at all."""
    lower = markup.partition(">")[0].lower()
    for mark in MARKS:  # noqa: SIM110  # as a generator it took three times as long, and pages hold many images
        if mark in lower:
            return True
    return False


def latex_of_image(get: Callable[[str], str | None]) -> str:
    """LaTeX of the image with these attributes; empty when it shows no formula."""
    source = get("src") or get("data-src") or get("data-lazy-src") or ""
    by_server = bool(source) and not source.startswith("data:") and SERVER.search(source) is not None
    by_class = CLASS.search(get("class") or "") is not None or get("eeimg") is not None
    alternative = get("alt") or ""
    if not (by_server or by_class):
        # Nothing but the alternative itself says so: it must leave no doubt.
        delimited = alternative.startswith(("$", "\\(", "\\[")) and len(alternative) > 2
        return alternative if delimited and COMMAND.search(alternative) else ""
    if alternative and LOOKS_LIKE_TEX.search(alternative) and not ADDRESS.search(alternative):
        return alternative
    return _latex_of_address(source) if by_server else ""


def _latex_of_address(source: str) -> str:
    """The formula in the address of an image server: a named parameter, else the path, else the whole query."""
    in_path = PATH.search(source)
    if in_path:
        return _without_settings(unquote(next(filter(None, in_path.groups()))))
    query = source.partition("?")[2].partition("#")[0]
    for name, character in CODECOGS_NAMES.items():
        query = query.replace(name, character)
    named = PARAMETER.search(query)
    if named:
        # In a field of a form a plus sign is a blank; servers that take the query as it stands mean a plus.
        return _without_settings(unquote_plus(named.group(1)))
    return "" if OTHER_PARAMETERS.match(query) else _without_settings(unquote(query))


def _without_settings(latex: str) -> str:
    return SETTINGS.sub("", latex).strip()
