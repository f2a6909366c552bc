"""Bytes of a page -> text, as browsers do (WHATWG). A page is never lost for its charset: what cannot be decoded
becomes U+FFFD.

Order: byte-order mark, HTTP header, meta tag in the first 1024 bytes, meta tag further on (as Firefox does), UTF-8 if
the bytes are valid, detection.
"""

import codecs
import re
from collections.abc import Iterator

import webencodings
from resiliparse.parse.encoding import detect_encoding

PRESCAN_BYTES = 1024
LATE_BYTES = 1 << 16  # a head full of scripts can push the meta tag this far
HEADER = re.compile(r"""(?i)charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))""")
BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
TAG = re.compile(rb"""<!--.*?-->|<!--.*\Z|<meta[\s/]+((?:[^>"']|"[^"]*"|'[^']*')*)>|<\?xml\s([^>]*)\?>""", re.I | re.S)
ATTRIBUTE = re.compile(rb"""([^\s/=>"']+)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?""")
XML_ENCODING = re.compile(rb"""\bencoding\s*=\s*["']([^"']*)["']""")
# The standard's decoders know more characters than Python's of the same name.
PYTHON_NAMES = {
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "euc-jp": "euc_jis_2004",
    "iso-8859-8-i": "iso8859-8",
    "x-mac-cyrillic": "mac_cyrillic",
    "macintosh": "mac_roman",
    "windows-874": "cp874",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
}
# Browsers refuse these for reasons of security; here the text counts.
REFUSED_BY_BROWSERS = {"hz-gb-2312": "hz", "iso-2022-kr": "iso2022_kr", "iso-2022-cn": "gb18030"}
# The detector's names that are no labels of the standard.
DETECTOR_NAMES = {
    "euc_jp": "euc-jp",
    "euc_kr": "euc-kr",
    "cp949": "euc-kr",
    "iso2022_jp": "iso-2022-jp",
    "mac-cyrillic": "x-mac-cyrillic",
    "mac_cyrillic": "x-mac-cyrillic",
    "big5hkscs": "big5",
    "cp932": "shift_jis",
    "johab": "",
}
USER_DEFINED = "x-user-defined"


def decode(body: bytes, content_type: str) -> str:
    """The text of `body`, without control characters."""
    for bom, name in BOMS:
        if body.startswith(bom):
            return _clean(body[len(bom) :].decode(name, errors="replace"))
    name = charset_of(body, content_type)
    if name == USER_DEFINED:
        return _clean("".join(chr(byte if byte < 0x80 else 0xF700 + byte) for byte in body))
    return _clean(body.decode(name, errors="c1" if name.startswith("cp125") else "replace"))


def charset_of(body: bytes, content_type: str) -> str:
    """Python's name of the charset of a body without byte-order mark (or `x-user-defined`)."""
    named = HEADER.search(content_type)
    found = _known(next(filter(None, named.groups()), "")) if named else ""
    # A header that says UTF-16 over a page written in single bytes would make it unreadable.
    if found and (not found.startswith("utf-16") or b"\x00" in body[:PRESCAN_BYTES]):
        return found
    for label in _meta_labels(body):
        if found := _of_meta(label):
            return found
    return "utf-8" if _is_nearly_utf_8(body) else _detected(body)


def _is_nearly_utf_8(body: bytes) -> bool:
    """Whether a body is UTF-8 but for a few bytes, as of a character cut in two: no other charset looks like that."""
    text = body.decode("utf-8", errors="replace")
    bad = text.count("\ufffd")
    return bad == 0 or bad * 4 < sum(character > "\x7f" for character in text) - bad


def _detected(body: bytes) -> str:
    """What the bytes look like, among the charsets that browsers know; windows-1252 as the last resort."""
    found = (detect_encoding(body, html5_compatible=False) or "").lower()
    name = _known(DETECTOR_NAMES.get(found, found))
    return name if name and name != "utf-8" else "cp1252"


def _known(label: str) -> str:
    """Python's name for a label of the standard's table, or empty."""
    label = label.strip(" \t\r\n\f").lower()
    if label in REFUSED_BY_BROWSERS:
        return REFUSED_BY_BROWSERS[label]
    found = webencodings.lookup(label)
    if found is None or found.name == "replacement":
        return ""
    return PYTHON_NAMES.get(found.name, found.name.replace("windows-", "cp"))


def _of_meta(label: str) -> str:
    """A tag that could be read as ASCII is not in UTF-16, and the standard reads x-user-defined as windows-1252."""
    found = _known(label)
    if found.startswith("utf-16"):
        return "utf-8"
    return "cp1252" if found == USER_DEFINED else found


def _meta_labels(body: bytes) -> Iterator[str]:
    """The labels that meta tags outside comments give, those of the first 1024 bytes first."""
    head = body[:LATE_BYTES]
    for match in TAG.finditer(head):
        tag, declaration = match.groups()
        if tag is not None:
            yield from _meta_label(tag)
        elif declaration is not None and match.start() == 0 and (found := XML_ENCODING.search(declaration)):
            yield found.group(1).decode("ascii", "replace")


def _meta_label(attributes: bytes) -> Iterator[str]:
    """The label of one meta tag: `charset`, or `content` where `http-equiv` is content-type."""
    values: dict[str, str] = {}
    for name, *forms in ATTRIBUTE.findall(attributes):
        value = next(filter(None, forms), b"").decode("ascii", "replace")
        values.setdefault(name.decode("ascii", "replace").lower(), value)
    if values.get("charset"):
        yield values["charset"]
    elif values.get("http-equiv", "").strip().lower() == "content-type":
        found = HEADER.search(values.get("content", ""))
        yield next(filter(None, found.groups()), "") if found else ""


def _as_c1(error: UnicodeError) -> tuple[str, int]:
    """The few bytes that windows-125x leaves free are control characters in the standard."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(map(chr, error.object[error.start : error.end])), error.end


def _clean(text: str) -> str:
    return CONTROL.sub(" ", text)


codecs.register_error("c1", _as_c1)
