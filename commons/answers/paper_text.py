"""The text rules of the `paper` grader: how an answer is normalised before it is compared, and where lists are cut."""

import re

UNIT_AT_END = re.compile(r"\\text\s*\{[^{}]*\}\s*$")
FRACTION = re.compile(r"^(-?\d+)/(\d+)$")
BARE_FRAC = re.compile(r"\\frac(?:(\d)(\d)|(\d)\{|\{([^{}]*)\}(\d))")
BARE_ROOT = re.compile(r"\\sqrt(\w)")
BARE_TAN = re.compile(r"\\tan(\w)")
ZERO_DECIMALS = re.compile(r"(\d+)\.0*(?=[^\d]|$)")
LEADING_POINT = re.compile(r"(?<!\d)\.(\d)")
AND = re.compile(r"\\text\s*\{\s*and\s*\}")
DELETED = (
    "\n",
    "\\!",
    "\\left",
    "\\right",
    "^{\\circ}",
    "^\\circ",
    "\\$",
    "$",
    "\\mbox",
    "\\mathrm",
    "\\mathbf",
    "\\cdot",
)


def plain_answer(text: str) -> str:
    """The normalised text. Its faults are part of the paper's numbers: \\cdot vanishes, j becomes i."""
    text = UNIT_AT_END.sub("", text.strip())
    for name in ("\\tfrac", "\\dfrac", "\\cfrac"):
        text = text.replace(name, "\\frac")
    for deleted in DELETED:
        text = text.replace(deleted, "")
    text = text.replace("\\%", "%").replace("infinity", "\\infty").replace("+\\infty", "\\infty")
    if "\\infty" not in text:
        text = text.replace("inf", "\\infty")
    if "j" in text and "i" not in text:
        text = text.replace("j", "i")
    text = ZERO_DECIMALS.sub(r"\1", text) if re.search(r"\d\.0+(?!\d)", text) else text
    text = LEADING_POINT.sub(r"0.\1", text)
    text = BARE_FRAC.sub(_braced, text)
    text = BARE_TAN.sub(r"\\tan{\1}", BARE_ROOT.sub(r"\\sqrt{\1}", text))
    text = text.replace(" ", "").rstrip(".")
    found = FRACTION.match(text)
    return f"\\frac{{{found[1]}}}{{{found[2]}}}" if found else text


def _braced(found: re.Match[str]) -> str:
    if found[1]:
        return f"\\frac{{{found[1]}}}{{{found[2]}}}"
    return f"\\frac{{{found[3]}}}{{" if found[3] else f"\\frac{{{found[4]}}}{{{found[5]}}}"


def split_list(text: str, question: str) -> list[str]:
    """Several answers in one text: at \\text{and}, and at commas where the question asks for that and no bracket is."""
    parts = AND.split(text)
    if "separated by commas" in question and not any(bracket in text for bracket in "()[]"):
        parts = [piece for part in parts for piece in part.split(",")]
    return [part.strip().strip(",") for part in parts if part.strip().strip(",")] or [text.strip()]


def split_outermost(text: str, signs: str) -> list[str]:
    """The parts between these signs where they stand outside of all brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and letter in signs:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]
