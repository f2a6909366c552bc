"""Answer text -> one plain notation: no delimiters, no spacing macros, one sign for each relation, text in quotes.

What the plain notation holds beyond ASCII: ⦃⦄ set braces, ⟦a&b;;c&d⟧ a matrix, ≤ ≥ ≠ ≈ ∈ ∪ ∖ relations and sets,
"..." what stood in \\text{}, and a comma for every separator of a list ("and", "or", semicolons)."""

import re
from unicodedata import normalize

GREEK_WORDS = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau phi chi psi omega Gamma
    Delta Theta Lambda Xi Sigma Phi Psi Omega
"""
IGNORED = """
    left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr displaystyle textstyle scriptstyle
    limits nolimits rm bf it mathstrut strut boldsymbol hline phantom nobreak allowbreak
"""
FUNCTION_LIST = """
    sin cos tan cot sec csc arcsin arccos arctan log ln exp arcsec sinh cosh tanh max min cis
"""
GREEK_NAMES = GREEK_WORDS.split()
CHARACTERS = str.maketrans(
    {
        "²": "^2", "³": "^3", "⁴": "^4", "½": "\\frac{1}{2}", "¼": "\\frac{1}{4}", "¾": "\\frac{3}{4}", "−": "-",
        "–": "-", "—": "-", "×": "*", "·": "*", "⋅": "*", "∙": "*", "÷": "/", "√": "\\sqrt ", "π": "\\pi ", "，": ",",
        "、": ",", "；": ";", "。": ".", "：": ":", "⩽": "≤", "⩾": "≥", "≦": "≤", "≧": "≥", "º": "°", "˚": "°",
        "′": "'", "’": "'", "‘": "'", "“": " ", "”": " ", '"': " ", "℃": "°", "％": "%", "⟨": "(", "⟩": ")",
    }
    | {letter: f"\\{name} " for letter, name in zip("αβγδεζηθικλμνξρστφχψωΓΔΘΛΞΣΦΨΩ", GREEK_NAMES, strict=True)}
    | {chr(0x2460 + n): f"\\textcircled{{{n + 1}}}" for n in range(20)}
)  # fmt: skip
MACROS = (
    dict.fromkeys(IGNORED.split(), "")
    | dict.fromkeys(["quad", "qquad", "enspace", "thinspace", "space", "hfill"], " ")
    | dict.fromkeys(["le", "leq", "leqslant", "leqq"], "≤") | dict.fromkeys(["ge", "geq", "geqslant", "geqq"], "≥")
    | dict.fromkeys(["ne", "neq"], "≠") | dict.fromkeys(["approx", "approxeq", "simeq", "cong"], "≈")
    | dict.fromkeys(["cdot", "times", "ast", "cdotp"], "*")
    | dict.fromkeys(["frac", "dfrac", "tfrac", "cfrac"], "\\frac")
    | dict.fromkeys(["lvert", "rvert", "vert", "mid", "lVert", "rVert", "Vert"], "|")
    | dict.fromkeys(["ldots", "dots", "cdots", "dotsc", "dotsb"], "…") | dict.fromkeys(["dbinom", "tbinom"], "\\binom")
    | {"div": "/", "cup": "∪", "cap": "∩", "setminus": "∖", "backslash": "∖", "infty": "∞", "circ": "°", "degree": "°",
       "in": "∈", "pm": "±", "mp": "∓", "prime": "'", "lbrace": "⦃", "rbrace": "⦄", "lbrack": "[", "rbrack": "]",
       "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "colon": ":", "lt": "<", "gt": ">", "equiv": "≡",
       "emptyset": "∅", "varnothing": "∅", "dollar": "$", "percent": "%", "langle": "(", "rangle": ")", "land": ",",
       "lor": ",", "wedge": ",", "vee": ",", "newline": " ", "imath": "i", "sim": "≈", "to": "→",
       "iff": "⇔", "varepsilon": "\\epsilon", "vartheta": "\\theta", "varphi": "\\phi"}
)  # fmt: skip
SIGNS = {
    "{": "⦃", "}": "⦄", "!": "", ",": " ", ";": " ", ":": " ", ">": " ", " ": " ", "\n": " ", "$": "$", "%": "%",
    "(": "", ")": "", "[": "", "]": "", "#": "#", "&": "&", "|": "|", "_": "_", "/": "",
}  # fmt: skip
MACRO = re.compile(r"\\(?:([A-Za-z]+)\*?[ \t]*|([^A-Za-z]))")
TEXT = re.compile(
    r"\\(?:text|textbf|textit|textrm|textsf|texttt|textnormal|mbox|hbox|emph|mathrm|mathbf|mathit|mathsf|mathcal|"
    r"mathbb|mathfrak|operatorname|unit|underline)\*?(?:[ \t]*\{([^{}]*)\}|[ \t]+([A-Za-z]))"
)
ACCENT = re.compile(
    r"\\(dot|ddot|hat|widehat|vec|bar|tilde|overline|overrightarrow)[ \t]*(?:\{(\\?[A-Za-z]+)\}|([A-Za-z]))"
)
MATRIX = re.compile(
    r"(?:\\left\s*[\[(|.]|(?<!\\)[\[(])?\s*"
    r"\\begin\{([pbvBVs]?matrix|smallmatrix|array)\}\s*(?:\{[lcr| ]*\})?(.*?)\\end\{\1\}"
    r"\s*(?:\\right\s*[\])|.]|[\])])?",
    re.DOTALL,
)
CASES = re.compile(r"\\(?:begin|end)\{(?:cases|aligned|align\*?|gathered|equation\*?)\}")
TWICE = re.compile(r"\\\\(?=[A-Za-z])")
CONNECTED = "\x01"  # a connective, until it and the comma beside it have become one comma
AROUND_CONNECTED = re.compile(r"[\s,]*\x01[\s,]*")
CONNECTIVES = frozenset({"and", "or", "and/or", "und", "&", "或", "和", "或者"})
FUNCTION_WORDS = frozenset(FUNCTION_LIST.split())
LETTERS = re.compile(r"[A-Za-z]+")
PLAIN_CONNECTIVE = re.compile(r"(?<![A-Za-z])(?:and|or)(?![A-Za-z])|和|或者?")
DEGREE = re.compile(r"\^\s*(?:\{\s*°\s*\}|°)")
PRIME = re.compile(r"\^\s*(?:\{\s*('+)\s*\}|('))")
SIMPLE = re.compile(r"[0-9A-Za-z.()\[\]/*^ -]*")
ASCII_RELATIONS = {"<=": "≤", ">=": "≥", "!=": "≠", "==": "=", "=<": "≤", "~": " ", "**": "^", "<>": "≠"}
ASCII_RELATION = re.compile(r"<=|>=|!=|==|=<|<>|~|\*\*")
PREFIX = re.compile(r"(?<![A-Za-z.])(?:np|numpy|math|cmath|sp|sympy|mpmath)\.(?=[A-Za-z])")


def plain(text: str) -> str:
    """The text in plain notation; reading it again changes nothing that matters to `reading`."""
    if not text.isascii():
        text = normalize("NFKC", text.translate(CHARACTERS)).replace("，", ",").replace("−", "-")
    if "{,}" in text or "\\!" in text:
        text = re.sub(r",\s*\\!\s*", ",", text.replace("{,}", ","))
    if "\\" in text:
        text = _without_macros(text)
    text = ASCII_RELATION.sub(lambda found: ASCII_RELATIONS[found[0]], text)
    text = text.replace("$", "").replace(";;", "\0").replace(";", ",").replace("\0", ";;")
    if "and" in text or "or" in text or not text.isascii():
        text = PLAIN_CONNECTIVE.sub(CONNECTED, text)
    if CONNECTED in text:
        text = AROUND_CONNECTED.sub(",", text)
    if "." in text:
        text = PREFIX.sub("", text)
    return tidy(text)


def tidy(text: str) -> str:
    """Without spaces, emphasis and closing punctuation at the ends."""
    text = " ".join(text.split()).strip(" *`")
    while text and text[-1] in ".,:!。" and not text.endswith("!"):
        text = text[:-1].rstrip(" *`")
    return text.lstrip(",: ").strip() if text[:1] in (",", ":", " ") else text


def _without_macros(text: str) -> str:
    text = CASES.sub(" ", MATRIX.sub(_matrix, text)) if "\\begin" in text else TWICE.sub(r"\\", text)
    if "\\boxed" in text or "\\fbox" in text:
        text = re.sub(r"\\(?:boxed|fbox)\s*(?=\{)", "", text)
    text = ACCENT.sub(lambda found: f'{found[2] or found[3]}_{{"{found[1]}"}}', text)
    text = TEXT.sub(_text, text)
    text = MACRO.sub(_macro, text)
    if "°" in text:
        text = DEGREE.sub("°", text)
    return PRIME.sub(lambda found: found[1] or found[2], text) if "'" in text else text


def _matrix(found: re.Match[str]) -> str:
    rows = [row for row in re.split(r"\\\\(?:\[[^\]]*\])?", found[2].replace("\\hline", "")) if row.strip()]
    return f"⟦{';;'.join(rows)}⟧"


def _text(found: re.Match[str]) -> str:
    content = " ".join((found[1] if found[1] is not None else found[2]).replace("\\", " ").split())
    lowered = content.lower()
    if lowered in CONNECTIVES:
        return CONNECTED
    if lowered in FUNCTION_WORDS:
        return f"\\{lowered} "
    words = LETTERS.findall(content)
    if content.isupper() and content.isalpha() and content.isascii():
        return f" {content} "
    if all(len(word) == 1 for word in words) and content.isascii():
        return content if len(content) == 1 else f" {content} "
    if any(letter.isdigit() for letter in content):
        return f" {content} "
    if lowered.split()[0] in ("and", "or"):
        return f'{CONNECTED}"{content.split(maxsplit=1)[1]}"'
    return f' "{content}" '


def _macro(found: re.Match[str]) -> str:
    if found[1] is None:
        return SIGNS.get(found[2], " ")
    name = found[1]
    if name.startswith(("quad", "qquad")):
        return " " + name.lstrip("q").removeprefix("uad")  # \\quadx, written without its space
    replaced = MACROS.get(name, f"\\{name}")
    return f"{replaced} " if replaced[:1] == "\\" else replaced
