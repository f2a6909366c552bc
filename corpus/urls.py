"""URL keys, domains and path prefixes: pure text, no list of suffixes, no network."""

import re
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

# Parameters that name a visit or a visitor, never a page.
TRACKING = re.compile(
    r"(?i)^(utm_\w+|gclid|dclid|fbclid|msclkid|yclid|mc_[ce]id|igshid|_ga|_gl|spm|"
    r"phpsessid|jsessionid|sessionid|session_id|sid|aspsessionid\w*|cfid|cftoken)$"
)
SESSION_IN_PATH = re.compile(r"(?i);(jsessionid|sid)=[^/?]*")
DEFAULT_PORTS = {"http": 80, "https": 443}


def url_key(url: str) -> str | None:
    """The part of a URL that names the page, or None when it is no web address.

    Host lower-cased, path and query as they are (`/a/pcL4f` and `/a/pCL4f` are two pages, `%2F` stays), no scheme,
    no user, no default port, no fragment, no parameters of TRACKING.
    """
    try:
        parts = urlsplit(url.strip().strip("<>").strip())
        host, port = _host(parts), parts.port
    except ValueError:
        return None
    if parts.scheme.lower() not in DEFAULT_PORTS or not host:
        return None
    address = host if port in (None, DEFAULT_PORTS[parts.scheme.lower()]) else f"{host}:{port}"
    query = _query(parts.query)
    return address + (SESSION_IN_PATH.sub("", parts.path) or "/") + (f"?{query}" if query else "")


def domain_of(key: str) -> str:
    """Section 2.1, "pages sharing the same base URL": the host of a URL key, without `www.`.

    The host, not the registrable domain: every user of github.io or blogspot.com is a domain of their own.
    """
    return key.split("/", 1)[0].removeprefix("www.")


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


def _host(parts: SplitResult) -> str:
    return (parts.hostname or "").rstrip(".").lower()


def _query(query: str) -> str:
    """The query as it was written, unless a parameter has to go."""
    if not query:
        return ""
    pairs = parse_qsl(query, keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if not TRACKING.match(name)]
    return query if len(kept) == len(pairs) else urlencode(kept)
