"""Bytes of a page -> text. A page is never lost for its charset: what cannot be decoded becomes U+FFFD."""

import codecs
import re

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

META_BYTES = 4096
META = re.compile(rb"""(?i)<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""")
HEADER = re.compile(r"""(?i)charset\s*=\s*["']?\s*([\w.:-]+)""")
BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
# The standard's gbk decoder is the gb18030 one; Python's gbk knows fewer characters.
WIDER = {"gbk": "gb18030", "gb2312": "gb18030", "big5": "big5hkscs", "euc-kr": "cp949", "shift_jis": "cp932"}


def decode(body: bytes, content_type: str) -> str:
    """The text of `body`: byte-order mark > HTTP header > meta tag > detection; no control characters."""
    for bom, name in BOMS:
        if body.startswith(bom):
            return _clean(body[len(bom) :].decode(name, errors="replace"))
    return _clean(body.decode(charset_of(body, content_type), errors="replace"))


def charset_of(body: bytes, content_type: str) -> str:
    """Python's name of the charset of a body without byte-order mark; unknown names are passed over."""
    header = HEADER.search(content_type)
    meta = META.search(body[:META_BYTES])
    named = [header.group(1) if header else "", meta.group(1).decode("ascii", "replace") if meta else ""]
    for name in filter(None, named):
        known = map_encoding_to_html5(name, fallback_utf8=False)
        # A page that could be searched for an ASCII meta tag is not in UTF-16, whatever the tag says.
        if known and not known.startswith("utf-16"):
            return WIDER.get(known, known)
    found = detect_encoding(body) or "utf-8"
    return WIDER.get(found, found)


def _clean(text: str) -> str:
    return CONTROL.sub(" ", text)
