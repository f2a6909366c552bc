"""What a GRPO run may be told; the paper's value is the default wherever it states one."""

from pydantic import Field

from commons.config import Config
from lm.optimiser import AdamW
from rl.heldout import HeldOutConfig


class ObjectiveConfig(Config):
    """The constants of Eq. 3 and 4."""

    kl_weight: float = Field(0.04, ge=0)
    """beta of Eq. 3: weight of the distance to the reference. [-; section 4.2]"""
    clip: float = Field(0.2, gt=0, lt=1)
    """epsilon of Eq. 3; never binds with one update per step. [-; ours, the paper states none]"""
    max_log_ratio: float = Field(20.0, gt=0, le=80)
    """Log-ratio to the reference at which Eq. 4 is cut, so that exp does not overflow. [nats; ours]"""


class RewardConfig(Config):
    """Which rewards count."""

    rule_weight: float = Field(1.0, ge=0)
    """Weight of the rule: 1 for a correct answer, else 0. [-; section 5.2.1]"""
    model_weight: float = Field(0.0, ge=0)
    """Weight of the reward model's probability of correct; above 0 needs --reward-model. [-; ours]"""


class OptimizerConfig(AdamW):
    """AdamW of the policy."""

    learning_rate: float = Field(1e-6, gt=0)
    """Learning rate of the policy, constant after the warm-up. [-; section 4.2]"""
    warmup_updates: int = Field(0, ge=0)
    """Updates of linear warm-up. [updates; ours, the paper states none]"""
    weight_decay: float = Field(0.0, ge=0)
    """AdamW weight decay; 0 because Eq. 3 has its own pull, to the reference. [-; ours]"""


class RLConfig(Config):
    """Algorithm 1 with outcome supervision."""

    seed: int = Field(0, ge=0)
    """Seed of question order and sampling. [-; ours]"""
    iterations: int = Field(1, ge=1)
    """Outer iterations; the reference becomes the policy at the start of each. [iterations; Algorithm 1]"""
    steps_per_iteration: int = Field(100, ge=1)
    """Exploration steps of one outer iteration. [steps; ours, the paper states none]"""
    questions_per_step: int = Field(16, ge=1)
    """Questions asked in a step; times group_size it is the batch of 1024 outputs. [questions; section 4.2]"""
    group_size: int = Field(64, gt=1)
    """G: outputs sampled for one question. [outputs; section 4.2]"""
    updates_per_step: int = Field(1, ge=1)
    """mu: policy updates on the outputs of one step. [updates; section 4.2]"""
    max_output_tokens: int = Field(1024, ge=1)
    """Length limit of an output. [tokens; section 4.2]"""
    temperature: float = Field(1.0, gt=0)
    """Sampling temperature; log-probabilities are taken at the same one. [-; ours, the paper states none]"""
    batch_tokens: int = Field(16_384, ge=1)
    """Padded tokens in one forward pass of an update: one question and some of its outputs. [tokens; ours]"""
    patience: int = Field(20, ge=1)
    """Steps in a row that teach nothing before the run stops. [steps; ours]"""
    keep_logprobs: bool = False
    """Write the sampled tokens' log-probabilities into the rollout files as well. [-; ours]"""
    checkpoint_every: int = Field(10, ge=1, json_schema_extra={"identity": False})
    """Steps between checkpoints to resume from. [steps; ours]"""
    objective: ObjectiveConfig = ObjectiveConfig()
    """Constants of Eq. 3. [-; section 4.1]"""
    reward: RewardConfig = RewardConfig()
    """Weights of the rewards. [-; section 5.2.1]"""
    held_out: HeldOutConfig = HeldOutConfig()
    """What is measured on held-out questions while training. [-; ours]"""
    optimizer: OptimizerConfig = OptimizerConfig()
    """Optimiser of the policy. [-; section 4.2]"""
