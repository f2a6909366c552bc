"""Pieces of LaTeX put in a line."""

import re
from collections.abc import Sequence

ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+$")
DOTS = re.compile(r"\.\.\.|(?:\s*\\cdot(?![a-z])\s*){3}")


def joined(parts: Sequence[str]) -> str:
    """The parts in a line; a blank only where two would run together."""
    line = ""
    for part in parts:
        if not part:
            continue
        before, after = line[-1:], part[0]
        glued = (after.isalpha() and ENDS_IN_COMMAND.search(line)) or (before.isdigit() and after.isdigit())
        line += (" " if glued else "") + part
    return trimmed(DOTS.sub(lambda match: " \\cdots " if "c" in match.group() else "\\dots ", line))


def trimmed(latex: str) -> str:
    """Without white space at its ends; the blank of a last `\\ ` stays."""
    bare = latex.strip()
    return bare + " " if bare.endswith("\\") and latex.endswith(" ") and not bare.endswith("\\\\") else bare
