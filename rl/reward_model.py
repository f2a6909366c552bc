"""The outcome reward model: a base model with one number at the last token of a solution (section 4.2, Math-Shepherd).

Letters in shapes: B solutions, T tokens of the longest one with its question, H hidden size.
"""

from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from commons.errors import ArtifactError
from lm.checkpoints import load_model, save_checkpoint
from lm.logprobs import Batch, hidden_states, to_batches

HEAD = "head.safetensors"


class RewardModel(nn.Module):
    """The log-odds that a solution is correct, read from the last hidden state of the whole solution."""

    def __init__(self, backbone: PreTrainedModel) -> None:
        """A head of zeros: before training every solution is as likely right as wrong, whatever the seed."""
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(backbone.config.hidden_size, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, batch: Batch) -> Tensor:
        """Log-odds of correct for each question-solution pair.  -> [B]"""
        hidden_BTH = hidden_states(self.backbone, batch.tokens_BT)
        last_BH = hidden_BTH[torch.arange(len(batch.places), device=hidden_BTH.device), batch.lengths_B - 1]
        log_odds_B1: Tensor = self.head(last_BH.to(self.head.weight.dtype))
        return log_odds_B1.float().squeeze(-1)


def outcome_loss(log_odds_B: Tensor, correct_B: Tensor) -> Tensor:
    """Binary cross-entropy of each whole solution, the outcome loss of Math-Shepherd.  -> [B]"""
    return binary_cross_entropy_with_logits(log_odds_B, correct_B, reduction="none")


@torch.no_grad()
def scores(
    model: RewardModel,
    pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
    *,
    token_budget: int,
    device: torch.device | str = "cpu",
) -> list[float]:
    """The probability of being correct for each (question tokens, solution tokens) pair, in the order given."""
    found = [0.0] * len(pairs)
    for batch in to_batches(pairs, token_budget=token_budget, device=device):
        for place, score in zip(batch.places, torch.sigmoid(model(batch)).tolist(), strict=True):
            found[place] = score
    return found


def save_reward_model(folder: Path, model: RewardModel, tokenizer: PreTrainedTokenizerFast) -> None:
    """Writes the backbone as a Hugging Face folder and the head beside it."""
    save_checkpoint(folder, model.backbone, tokenizer)
    save_file({name: value.contiguous() for name, value in model.head.state_dict().items()}, folder / HEAD)


def load_reward_model(folder: Path) -> RewardModel:
    """The reward model in `folder`, frozen, its head checked key by key so that no random head can slip in."""
    if not (folder / HEAD).is_file():
        raise ArtifactError(f"no {HEAD} in {folder}: a reward model is made by `python -m rl.reward`")
    model = RewardModel(load_model(folder))
    model.head.load_state_dict(load_file(folder / HEAD), strict=True)
    return model.eval().requires_grad_(requires_grad=False)
