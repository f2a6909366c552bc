"""What an evaluation may be told."""

from typing import Literal

from pydantic import Field

from commons.config import Config
from commons.sandbox_config import SandboxConfig, ToolConfig

Setting = Literal["few_shot_cot", "few_shot_pot", "zero_shot_cot", "zero_shot_tool"]
TEN = (
    "gsm8k", "math", "ocw", "sat", "mmlu_stem", "cmath", "gaokao_mathcloze", "gaokao_mathqa", "mgsm_zh", "minif2f",
)  # fmt: skip


class BenchmarksConfig(Config):
    """Published benchmarks, asked where `--benchmarks` names a folder of them or `hub` says where they are."""

    names: tuple[str, ...] = TEN
    """Benchmarks that are asked, each where its setting has a prompt. [-; the ten of tables 2, 3 and 5]"""
    settings: tuple[Setting, ...] = ("zero_shot_cot", "zero_shot_tool")
    """How they are asked: `few_shot_cot` and `few_shot_pot` for a base model. [-; tables 2, 3 and 5]"""
    tool_names: tuple[str, ...] = ("gsm8k", "math", "mgsm_zh", "cmath")
    """Of them, those asked in tool form. [-; table 5]"""
    questions: int = Field(0, ge=0)
    """Questions of each benchmark and setting answered greedily; 0 takes all. [questions; ours]"""
    sampled_questions: int = Field(0, ge=0)
    """Questions of each benchmark in `cot` form that are sampled K times. [questions; ours]"""
    hub: dict[str, str] = Field(default_factory=dict)
    """Benchmarks that `datasets` reads, as in gsm8k = "openai/gsm8k:main:test"; a folder will do. [-; ours]"""
    checker: tuple[str, ...] = ()
    """Command that checks one Isabelle file, whose path is put behind it: exit code 0 says proved, 1 not proved, and
    any other that it could not be checked. Without it proofs are not graded. [-; ours]"""
    checker_seconds: float = Field(600.0, gt=0)
    """Time that the check of one file may take. [seconds; ours]"""


class ModelConfig(Config):
    """A model other than a checkpoint of ours: of the hub, or served where `url` is set."""

    hub: str = ""
    """Model on the hub, NAME[@REVISION], instead of `--model`. [-; ours]"""
    chat_template: bool = False
    """Ask in the chat form of the model's own tokenizer, where it has one. [-; ours]"""
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    """Numbers of a model in this process. [-; ours]"""
    cache: str = Field("", json_schema_extra={"identity": False})
    """Folder of generations that several evaluations share; empty: each its own, gone with its work. [-; ours]"""
    url: str = ""
    """Address of an OpenAI-compatible server, as in http://127.0.0.1:8000/v1; empty for none. [-; ours]"""
    served: str = ""
    """Name under which it serves the model. [-; ours]"""
    revision: str = ""
    """What tells these weights from others served under that name: part of the key of each generation. [-; ours]"""
    api: Literal["completions", "chat"] = "completions"
    """`completions`: the prompt is written here. `chat`: the server's own chat template writes it. [-; ours]"""
    key_variable: str = "OPENAI_API_KEY"
    """Environment variable that holds the key, when the server wants one. [-; ours]"""
    concurrency: int = Field(16, ge=1, json_schema_extra={"identity": False})
    """Requests under way at a time. [requests; ours]"""
    attempts: int = Field(6, ge=1, json_schema_extra={"identity": False})
    """How often one sample is asked for before it counts as failed. [attempts; ours]"""
    backoff_seconds: float = Field(1.0, ge=0, json_schema_extra={"identity": False})
    """Pause after the first failure; it doubles with each. [seconds; ours]"""
    longest_pause_seconds: float = Field(60.0, gt=0, json_schema_extra={"identity": False})
    """Longest pause, also where the server asks for more. [seconds; ours]"""
    timeout_seconds: float = Field(600.0, gt=0, json_schema_extra={"identity": False})
    """Time without a byte after which a request has failed. [seconds; ours]"""
    allowed_failures: float = Field(0.0, ge=0, lt=1)
    """Share of samples that may fail before the evaluation is refused; a rerun asks for them again. [fraction; ours]"""


class EvalConfig(Config):
    """Greedy accuracy on many questions, majority votes and pass rates on fewer."""

    label: str = Field("instruct", pattern="^[a-z][a-z0-9_-]*$")
    """Name of the model in the report; `base` is asked with worked examples instead of the chat form. [-; ours]"""
    seed: int = Field(0, ge=0)
    """Seed of the choice of questions and of sampling. [-; ours]"""
    protocol: Literal["paper", "strict"] = "strict"
    """Whose verdict counts and whose limits hold; `paper` refuses limits that are not the paper's. [-; ours]"""
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
    benchmarks: BenchmarksConfig = BenchmarksConfig()
    """Published benchmarks. [-; ours]"""
    model: ModelConfig = ModelConfig()
    """A model of the hub or of a server. [-; ours]"""
    tool: ToolConfig = ToolConfig()
    """The loop of tool form. [-; ours]"""
    sandbox: SandboxConfig = SandboxConfig()
    """Limits of model-written programs. [-; ours]"""
