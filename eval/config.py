"""What an evaluation may be told."""

from pydantic import Field

from commons.config import Config
from commons.sandbox import Limits


class SandboxConfig(Config):
    """Limits of one program that the model wrote."""

    wall_seconds: float = Field(10.0, gt=0)
    """Time after which a program is ended. [seconds; the paper's evaluation code]"""
    cpu_seconds: int = Field(10, ge=1)
    """Processor time of one program. [seconds; ours]"""
    memory_mib: int = Field(512, ge=64)
    """Address space of one program. [MiB; ours]"""
    min_isolation: str = Field("L1", pattern="^L[0-3]$")
    """Weakest isolation level under which programs are run at all. [-; ours]"""
    workers: int = Field(2, ge=1, json_schema_extra={"identity": False})
    """Programs that run at the same time. [programs; ours]"""

    def limits(self) -> Limits:
        """The limits as the sandbox takes them."""
        return Limits(self.wall_seconds, self.cpu_seconds, self.memory_mib * 1024 * 1024)


class EvalConfig(Config):
    """Greedy accuracy on many questions, majority votes and pass rates on fewer."""

    label: str = Field("instruct", pattern="^[a-z][a-z0-9_-]*$")
    """Name of the model in the report; `base` is asked with worked examples instead of the chat form. [-; ours]"""
    seed: int = Field(0, ge=0)
    """Seed of the choice of questions and of sampling. [-; ours]"""
    greedy_questions: int = Field(5000, ge=1)
    """In-distribution questions answered greedily. [questions; ours]"""
    greedy_questions_per_group: int = Field(500, ge=0)
    """Out-of-distribution questions of each family and setting answered greedily. [questions; ours]"""
    sampled_questions: int = Field(500, ge=0)
    """In-distribution questions that are sampled K times. [questions; ours]"""
    sampled_questions_per_group: int = Field(0, ge=0)
    """Out-of-distribution questions of each family and setting that are sampled K times. [questions; ours]"""
    samples_per_question: int = Field(64, ge=1)
    """K: outputs drawn for one question. [outputs; figure 7]"""
    temperature: float = Field(0.7, gt=0)
    """Sampling temperature of the K outputs; accuracy is greedy. [-; figure 7]"""
    max_new_tokens: int = Field(1024, ge=1)
    """Length limit of an output, in tool form of each round. [tokens; the paper's evaluation code]"""
    max_rounds: int = Field(2, ge=1)
    """Rounds of generation in tool form; each ends with a program that is run. [rounds; the paper's evaluation code]"""
    few_shot_examples: int = Field(8, ge=0)
    """Worked examples before the question when the label is `base`; fewer where they do not fit. [examples; table 2]"""
    rows_at_once: int = Field(256, ge=1)
    """Outputs generated together. [outputs; ours]"""
    sandbox: SandboxConfig = SandboxConfig()
    """Limits of model-written programs. [-; ours]"""
