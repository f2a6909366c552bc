"""Personal data in the finished text: e-mail and IP addresses, counted always and replaced when the config says so.

Replaced by names and addresses that are reserved for examples (RFC 2606, 5737, 3849), so that the text still reads
and nobody is reached. What is not looked for: names, telephone numbers, postal addresses.
"""

import re
from dataclasses import dataclass
from ipaddress import ip_address

EMAIL = re.compile(
    r"(?<![\w.+%/-])[A-Za-z0-9][\w.+%-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![\w@-])", re.ASCII
)
IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w])(?!\.\d)", re.ASCII)
IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f]{1,4}(?:::?[0-9A-Fa-f]{1,4}){2,7}(?:::)?(?![\w:])", re.ASCII)
EXAMPLE_EMAIL, EXAMPLE_IPV4, EXAMPLE_IPV6 = "name@example.org", "192.0.2.1", "2001:db8::1"
# Four small numbers with points between them are the number of a section or a version in most pages that have them.
SMALL_NUMBER = 32


@dataclass(frozen=True, slots=True)
class Masked:
    """A text after masking, and how many e-mail and IP addresses it had."""

    text: str
    emails: int
    ip_addresses: int


def masked(text: str, *, emails: bool, ip_addresses: bool) -> Masked:
    """The text with its e-mail and public IP addresses counted, and replaced where the flag says so."""
    found = {"emails": 0, "ip_addresses": 0}

    def replace(match: re.Match[str], kind: str, example: str, wanted: bool) -> str:
        found[kind] += 1
        return example if wanted else match[0]

    if "@" in text:
        text = EMAIL.sub(lambda one: _kept(one) or replace(one, "emails", EXAMPLE_EMAIL, emails), text)
    text = IPV4.sub(
        lambda one: one[0] if not is_public_ipv4(one[0]) else replace(one, "ip_addresses", EXAMPLE_IPV4, ip_addresses),
        text,
    )
    if "::" in text or text.count(":") >= 7:
        text = IPV6.sub(
            lambda one: one[0] if not _is_public(one[0]) else replace(one, "ip_addresses", EXAMPLE_IPV6, ip_addresses),
            text,
        )
    return Masked(text, found["emails"], found["ip_addresses"])


def is_public_ipv4(text: str) -> bool:
    """Whether four numbers are an address that somebody may have, and not a section, a version or a private one."""
    return _is_public(text) and max(map(int, text.split("."))) >= SMALL_NUMBER


def _is_public(text: str) -> bool:
    try:
        return ip_address(text).is_global
    except ValueError:
        return False


def _kept(match: re.Match[str]) -> str:
    """The address itself when its domain is reserved for examples, else nothing."""
    domain = match[0].rpartition("@")[2].lower()
    return match[0] if re.search(r"(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$", domain) else ""
