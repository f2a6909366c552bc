"""URL keys, domains and path prefixes: pure text; suffixes come from a pinned package, nothing is ever fetched."""

import re
from collections.abc import Iterator
from functools import cache
from ipaddress import IPv6Address, ip_address
from urllib.parse import SplitResult, unquote, urlsplit

import idna
from publicsuffixlist import PublicSuffixList

# Parameters that name a visit, a visitor or the way they came, never a page.
TRACKING = re.compile(
    r"(?i)^(utm_\w+|_ga|_gl|gclid|gclsrc|gbraid|wbraid|dclid|fbclid|msclkid|yclid|ttclid|twclid|igshid|li_fat_id|"
    r"mc_[ce]id|mkt_tok|_hsenc|_hsmi|hsctatracking|vero_id|oly_(anon|enc)_id|spm|"
    r"phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id|session_key|sessid|oscsid|zenid|cfid|cftoken|"
    r"login_?id|auth_token|access_token)$"
)
# Names that are a session only when the value looks like one: `sid=story-7` and `s=olympiad` name pages.
SHORT_SESSION = re.compile(r"(?i)^(sid|s|session|token|auth|login)=[0-9a-f]{16,}$")
# Says where a link stood when a campaign parameter stands beside it; alone it may name a branch or a chapter.
BESIDE_CAMPAIGN = frozenset({"ref", "referer", "referrer"})
SESSION_IN_PATH = re.compile(r"(?i);(jsessionid|phpsessid|sid)=[^/;]*|/\([sf]\([0-9a-z]{16,}\)\)(?=/|$)")
DEFAULT_PORTS = (None, 80, 443)
SCHEMES = ("http", "https")
HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
IN_PATH_AND_QUERY = UNRESERVED | frozenset(b":/?#[]@!$&'()*+,;=")


def url_key(url: str) -> str | None:
    """The part of a URL that names the page, or None when it is no web address; never raises.

    Host in lower case and IDNA form; path and query keep their letters (`/a/pcL4f` and `/a/pCL4f` are two pages),
    `/../` resolved, escapes in one form without decoding reserved characters (`%2F` stays), parameters in order of
    their names. No scheme, user, default port, fragment, tracking or session parameters.
    """
    try:
        parts = urlsplit(_with_slashes(url.strip().strip("<>").strip()))
        host, port = _host(parts), parts.port
    except ValueError:
        return None
    if parts.scheme.lower() not in SCHEMES or not host:
        return None
    address = host if port in DEFAULT_PORTS else f"{host}:{port}"
    query = _query(_escaped(parts.query))
    return address + _path(_escaped(parts.path)) + (f"?{query}" if query else "")


def domain_of(key: str) -> str:
    """Section 2.1, "pages sharing the same base URL": the host of a URL key, without `www.`.

    The host, not the registrable domain: every user of github.io or blogspot.com is a domain of their own.
    """
    return key.split("/", 1)[0].removeprefix("www.")


def registrable_domain(key: str) -> str:
    """The part of the host that somebody registered: `a.co.uk` of `www.a.co.uk/x`, `ann.github.io` of `ann.github.io`.

    Private suffixes of the public suffix list count. A suffix itself, an IP address or a bare name is its own domain.
    """
    host = re.sub(r":\d+$", "", key.split("/", 1)[0])
    if host.startswith("[") or host.replace(".", "").isdigit():
        return host
    return _suffixes().privatesuffix(host) or host


def path_prefixes(key: str, *, depth: int) -> list[str]:
    """The domain and the folders above a page, shallow first: `a.org`, `a.org/maths`, `a.org/maths/2020`."""
    path = key.split("?", 1)[0].split("/")
    folders = [part for part in path[1:-1] if part][:depth]
    domain = domain_of(key)
    return ["/".join([domain, *folders[:count]]) for count in range(len(folders) + 1)]


def is_under(key: str, prefix: str) -> bool:
    """Whether a page lies at or below `prefix`, counted in whole path segments."""
    address = key.removeprefix("www.")
    return address == prefix or address.startswith(prefix.rstrip("/") + "/")


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()  # the list inside the package, read at the first use in each process


def _with_slashes(url: str) -> str:
    """The URL with `\\` before the query as `/`, as browsers read it."""
    before, mark, query = url.partition("?")
    return before.replace("\\", "/") + mark + query


def _host(parts: SplitResult) -> str:
    """The host as it stands in a key. Raises ValueError for what is none."""
    host = unquote(parts.hostname or "").lower().rstrip(".")
    if ":" in host and "%" not in host:
        address = ip_address(host)
        return f"[{address}]" if isinstance(address, IPv6Address) else str(address)
    if not host.isascii():
        host = idna.encode(host, uts46=True).decode().rstrip(".")
    if host and not HOST.fullmatch(host):
        raise ValueError(f"{host!r} is no host name")
    return host


def _escaped(text: str) -> str:
    """One spelling of the escapes: unreserved characters bare, all others that need it as `%XX` in capitals."""
    pieces = ESCAPE.split(text)
    for at in range(0, len(pieces), 2):
        pieces[at] = _encoded(pieces[at])
    for at in range(1, len(pieces), 2):
        byte = int(pieces[at], 16)
        pieces[at] = chr(byte) if byte in UNRESERVED else f"%{byte:02X}"
    return "".join(pieces)


def _encoded(text: str) -> str:
    """Text without escapes: what may not stand in a URL, a lone `%` among it, becomes `%XX` of its UTF-8 bytes."""
    return "".join(
        chr(byte) if byte in IN_PATH_AND_QUERY else f"%{byte:02X}" for byte in text.encode("utf-8", "replace")
    )


def _path(path: str) -> str:
    """RFC 3986, 5.2.4: the path without `.` and `..`, and without a session; never above the root, never empty."""
    kept: list[str] = []
    segments = SESSION_IN_PATH.sub("", path).split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments and segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _query(query: str) -> str:
    """The parameters that name the page, sorted by name; those of one name stay in their order."""
    return "&".join(sorted(_page_parameters(query.split("&")), key=_name))


def _page_parameters(parameters: list[str]) -> Iterator[str]:
    campaign = any(_name(parameter).lower().startswith("utm_") for parameter in parameters)
    for parameter in parameters:
        name = _name(parameter)
        beside = campaign and name.lower() in BESIDE_CAMPAIGN
        if parameter and not (TRACKING.match(name) or SHORT_SESSION.match(parameter) or beside):
            yield parameter


def _name(parameter: str) -> str:
    return parameter.split("=", 1)[0]
