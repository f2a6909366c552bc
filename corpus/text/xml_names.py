"""Names and text of HTML made such that a tree takes them."""

import re
from collections.abc import Mapping
from functools import lru_cache

NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@lru_cache(maxsize=4096)
def xml_name(name: str) -> str:
    """A name that a tree takes: without prefix and without what HTML allows and XML does not."""
    return "x" * (not name[:1].isalpha()) + re.sub(r"[^\w.-]", "", name.rpartition(":")[2])


def xml_attributes(attributes: Mapping[str, str]) -> dict[str, str]:
    """Attributes that a tree takes."""
    return {xml_name(name): xml_text(value) for name, value in attributes.items()}


def xml_text(text: str) -> str:
    """Text without the characters that XML does not have."""
    return NOT_XML.sub("", text)
