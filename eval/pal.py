"""Program form of a base model: what it wrote behind solved examples, made into one program that prints its answer."""

import re

from commons.prompts import fences

DEFINES = re.compile(r"^def solution\(", re.MULTILINE)
IMPORT = re.compile(r"^\s*(?:import|from)\s", re.MULTILINE)
ANSWER = re.compile(r"^answer\s*=", re.MULTILINE)


def pal_program(text: str) -> str | None:
    """The program, or None where there is none. Two kinds of examples are known: `def solution()` that returns the
    answer, and a block that sets `answer`, with its imports in a block of their own behind it, which run first."""
    blocks = [fence.body for fence in fences(text) if fence.closed and fence.language in ("", "python", "py")]
    if not blocks:
        return f"{text.strip()}\nprint(solution())\n" if DEFINES.search(text) else None
    body, *others = blocks
    imports = [block for block in others if IMPORT.search(block)]
    source = "\n".join([*imports, body])
    if DEFINES.search(body):
        return f"{source}\nprint(solution())\n"
    return f"{source}\nprint(answer)\n" if ANSWER.search(body) else f"{source}\n"
