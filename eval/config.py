"""What an evaluation may be told."""

from pydantic import Field

from commons.config import Config
from commons.sandbox_config import SandboxConfig, ToolConfig


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
    few_shot_examples: int = Field(8, ge=0)
    """Worked examples before the question when the label is `base`; fewer where they do not fit. [examples; table 2]"""
    rows_at_once: int = Field(256, ge=1)
    """Outputs generated together. [outputs; ours]"""
    tool: ToolConfig = ToolConfig()
    """The loop of tool form. [-; ours]"""
    sandbox: SandboxConfig = SandboxConfig()
    """Limits of model-written programs. [-; ours]"""
