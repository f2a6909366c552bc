"""LaTeX as it comes out: without the delimiters, comments, entities and size commands that sites wrap around it."""

import html
import re

DELIMITERS = (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"))
OPENINGS = tuple(opening for opening, _ in DELIMITERS)
CDATA = re.compile(r"%?\s*<!\[CDATA\[|%?\s*\]\]>")
COMMENT = re.compile(r"(?<!\\)%[^\n]*(?:\n|$)")
ENTITY = re.compile(r"&(?:lt|gt|amp|quot|nbsp|#39|#x27|apos);")
INVISIBLE = re.compile("[\u200b-\u200d\u2060\ufeff\u00ad]")
WRAPPER = re.compile(r"\\begin\{(equation\*?|displaymath|math)\}\s*(.*?)\s*\\end\{\1\}", re.S)
STYLE = re.compile(r"\\(?:display|text)style(?![A-Za-z])\s*")
DEFINITION = re.compile(
    r"\\(?:(?:re|provide)?newcommand|def|Declare(?:MathOperator|PairedDelimiter)|definecolor|let|require|newenvironment)"
    r"(?![A-Za-z])"
)
DEFINITIONS = re.compile(
    r"\\(?:(?:(?:re)?newcommand|providecommand|DeclareMathOperator)\*?\s*(?:\{\s*\\[A-Za-z]+\s*\}|\\[A-Za-z]+)"
    r"\s*(?:\[\d\]\s*)*(?:\[[^\]]*\]\s*)?"
    r"|def\s*\\[A-Za-z]+(?:#\d)*\s*)\{((?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)\}"
    r"|\\DeclarePairedDelimiter\s*\\[A-Za-z]+(?:\s*\{[^{}]*\}){2}|\\definecolor(?:\s*\{[^{}]*\}){3}"
    r"|\\require\s*\{[^{}]*\}|\\let\s*\\[A-Za-z]+\s*=?\s*\\?[A-Za-z]+"
)


def clean_latex(latex: str) -> str:
    """One formula in normal form; empty for an empty one and for one that only defines macros."""
    text = CDATA.sub(" ", latex) if "[CDATA[" in latex else latex
    if "&" in text and ENTITY.search(text):
        text = ENTITY.sub(lambda match: html.unescape(match.group()), text)
    if "\n" in text and "%" in text:
        text = COMMENT.sub("\n", text)
    text = " ".join((text if text.isascii() else INVISIBLE.sub("", text)).split())
    text = _unwrapped(text)
    wrapped = WRAPPER.fullmatch(text) if text.startswith("\\begin") else None
    text = wrapped.group(2) if wrapped else text
    if "\\" not in text:
        return text
    if DEFINITION.search(text):
        text = " ".join(DEFINITIONS.sub(" ", text).split())
        text = "" if DEFINITION.match(text) else text
    return text.removesuffix("\\").strip() if _ends_in_odd_backslashes(text) else text


def _unwrapped(text: str) -> str:
    if text.startswith(OPENINGS):
        for opening, closing in DELIMITERS:
            inner = text[len(opening) : -len(closing)]
            wrapped = len(text) > len(opening + closing) and text.startswith(opening) and text.endswith(closing)
            if wrapped and (opening not in inner or opening == "$"):
                text = inner.strip()
    if "style" not in text:
        return text
    styled = STYLE.match(text)
    if text.startswith("{") and STYLE.match(text, 1) and _closing_brace(text) == len(text) - 1:
        return STYLE.sub("", text[1:-1].strip(), count=1).strip()
    return text[styled.end() :].strip() if styled else text


def _closing_brace(text: str) -> int:
    """Where the brace that opens `text` is closed; -1 when it is not."""
    depth = 0
    escaped = False
    for position, character in enumerate(text):
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character in "{}":
            depth += 1 if character == "{" else -1
            if not depth:
                return position
    return -1


def _ends_in_odd_backslashes(text: str) -> bool:
    return bool(text) and (len(text) - len(text.rstrip("\\"))) % 2 == 1
