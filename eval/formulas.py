"""LaTeX in the text of models, drawn as MathML: which pieces of a text are formulas, and their checked markup."""

import re
from collections.abc import Iterable
from xml.etree import ElementTree

from latex2mathml.converter import convert

# Read by Python and by the browser alike. A dollar opens before a sign and closes after one, and no digit follows:
# "from $5 to $9" are prices.
FORMULA = (
    r"\$\$[^$]{1,2000}?\$\$|\\\[[\s\S]{1,2000}?\\\]|\\\([\s\S]{1,1000}?\\\)"
    r"|\$(?![\s$])[^$\n]{1,400}?(?<![\s\\])\$(?!\d)"
    r"|\\boxed\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
)
PIECE = re.compile(FORMULA)
DELIMITERS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
DISPLAYED = ("$$", "\\[")
NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
TAGS_WORDS = (
    "math mrow mi mn mo ms mtext mspace msup msub msubsup munder mover munderover mfrac msqrt mroot mstyle mtable mtr "
    "mtd mpadded mphantom menclose merror mmultiscripts mprescripts none"
)
TAGS = frozenset(TAGS_WORDS.split())
ATTRIBUTES_WORDS = (
    "display mathvariant stretchy fence separator accent accentunder linethickness columnalign rowspacing "
    "columnspacing columnlines rowlines width height depth voffset lspace rspace minsize maxsize notation scriptlevel "
    "displaystyle movablelimits largeop symmetric form mathcolor mathsize"
)
ATTRIBUTES = frozenset(ATTRIBUTES_WORDS.split())
PLAIN_VALUE = re.compile(r"[\w .#%+-]{0,60}")
SIZES = frozenset(
    ("width", "height", "depth", "voffset", "lspace", "rspace", "minsize", "maxsize", "linethickness", "mathsize")
)
PLAIN_SIZE = re.compile(r"-?\d?(\.\d{1,5})?(em|ex|pt|px|%)?|-?\d+%")  # what LaTeX's own spaces and braces need
TURNS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # an entity in a formula becomes one of these
LONGEST = 2000  # characters of a formula that is converted


def mathml_of_texts(texts: Iterable[str], *, most: int) -> dict[str, str]:
    """Markup of each formula that stands in the texts, by how it stands there, for the `most` that come first.

    A formula that cannot be converted has none: its source is shown."""
    found: dict[str, str] = {}
    tried: set[str] = set()
    for text in texts:
        for piece in PIECE.findall(text):
            if piece not in tried and len(tried) < most:
                tried.add(piece)
                markup = mathml(piece)
                if markup:
                    found[piece] = markup
    return found


def mathml(piece: str) -> str:
    """The markup of one formula with its delimiters; empty where it cannot be converted or holds more than MathML."""
    if len(piece) > LONGEST:
        return ""
    latex = piece
    for opening, closing in DELIMITERS:
        if piece.startswith(opening) and piece.endswith(closing):
            latex = piece[len(opening) : -len(closing)]
            break
    display = "block" if piece.startswith(DISPLAYED) else "inline"
    try:
        tree = ElementTree.fromstring(convert(latex, display=display))
    except Exception:  # noqa: BLE001  # foreign LaTeX through a foreign parser: the source is shown instead
        return ""
    return _checked(tree)


def _checked(tree: ElementTree.Element) -> str:
    for element in tree.iter():
        element.tag = str(element.tag).removeprefix(NAMESPACE)
        if element.tag not in TAGS or TURNS.search(f"{element.text or ''}{element.tail or ''}"):
            return ""
        for name, value in list(element.attrib.items()):
            fits = PLAIN_SIZE if name in SIZES else PLAIN_VALUE
            if name not in ATTRIBUTES or not fits.fullmatch(value):
                del element.attrib[name]
    return ElementTree.tostring(tree, encoding="unicode")
