"""What a stage that runs model-written programs may be told about them: evaluation, rewards, rejection sampling."""

from typing import Literal

from pydantic import Field

from commons.config import Config
from commons.sandbox import Limits, Sandbox


class SandboxConfig(Config):
    """Limits of one program that the model wrote; in tool form those of each of its blocks."""

    wall_seconds: float = Field(10.0, gt=0)
    """Time after which a program is ended. [seconds; the paper's evaluation code]"""
    cpu_seconds: int = Field(10, ge=1)
    """Processor time of one program. [seconds; ours]"""
    memory_mib: int = Field(512, ge=128)
    """Address space of one program; Python with SymPy takes 80 of it. [MiB; ours]"""
    output_bytes: int = Field(10_000, ge=100)
    """Output of one program, and of its errors; one that prints more is ended. [bytes; ours]"""
    min_isolation: str = Field("L1", pattern="^L[0-3]$")
    """Weakest isolation level under which programs are run at all. [-; ours]"""
    workers: int = Field(2, ge=1, json_schema_extra={"identity": False})
    """Programs that run at the same time. [programs; ours]"""

    def limits(self) -> Limits:
        """The limits as the sandbox takes them."""
        memory = self.memory_mib * 1024 * 1024
        return Limits(self.wall_seconds, self.cpu_seconds, memory, self.output_bytes)

    def sandbox(self) -> Sandbox:
        """A sandbox under these limits; it starts with its first program."""
        return Sandbox(self.limits(), workers=self.workers, min_isolation=self.min_isolation)


class ToolConfig(Config):
    """The tool-integrated loop: the model writes a program, reads what it printed, and goes on."""

    rounds: int = Field(2, ge=1)
    """Rounds of generation; each ends with a program that is run. [rounds; the paper's evaluation code]"""
    shown_characters: int = Field(100, ge=10)
    """Characters of an output that the model reads: its first and its last half. [characters; same code]"""
    state: Literal["kept", "replayed"] = "kept"
    """`kept`: names live on in one process. `replayed`: each program is a fresh process that runs all earlier ones
    without their printing lines first, as in the paper. [-; ours, the paper's code]"""
    errors: Literal["last_line", "traceback"] = "last_line"
    """What is read of a program that failed: how and its last line, or the whole traceback behind `Runtime errors:`,
    cut like an output, as in the paper. [-; ours, the paper's code]"""
