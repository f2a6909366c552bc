"""What the paper reports for its own 7B models, and in which way a run differs from how those were measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Published:
    """One accuracy of the paper in percent."""

    table: str
    model: str
    benchmark: str
    setting: str
    percent: float


PAPER_TOKENS = 1024  # length limit of the official evaluation


def _table(table: str, model: str, setting: str, figures: Mapping[str, float]) -> tuple[Published, ...]:
    return tuple(Published(table, model, name, setting, value) for name, value in figures.items())


# Tables 2, 3 and 5 of the paper; `base` is asked with solved examples, the others without
PUBLISHED = (
    *_table(
        "table 2",
        "base",
        "cot",
        {"gsm8k": 64.2, "math": 36.2, "ocw": 15.4, "sat": 84.4, "mmlu_stem": 56.5},
    ),
    *_table("table 2", "base", "cot-zh", {"cmath": 71.7, "gaokao_mathcloze": 20.3, "gaokao_mathqa": 35.3}),
    *_table("table 3", "base", "pot", {"gsm8k": 66.9, "math": 31.4}),
    *_table("table 3", "base", "cot", {"minif2f_valid": 25.8, "minif2f": 24.6}),
    *_table("table 5", "instruct", "cot", {"gsm8k": 82.9, "math": 46.8}),
    *_table("table 5", "instruct", "cot-zh", {"mgsm_zh": 73.2, "cmath": 84.6}),
    *_table("table 5", "instruct", "tool", {"gsm8k": 83.7, "math": 57.4}),
    *_table("table 5", "instruct", "tool-zh", {"mgsm_zh": 72.0, "cmath": 84.3}),
    *_table("table 5", "rl", "cot", {"gsm8k": 88.2, "math": 51.7}),
    *_table("table 5", "rl", "cot-zh", {"mgsm_zh": 79.6, "cmath": 88.8}),
    *_table("table 5", "rl", "tool", {"gsm8k": 86.7, "math": 58.8}),
    *_table("table 5", "rl", "tool-zh", {"mgsm_zh": 78.4, "cmath": 87.6}),
)


def published(benchmark: str, setting: str, *, few_shot: bool | None) -> tuple[Published, ...]:
    """The paper's accuracies on a benchmark in a setting: of base behind solved examples, of instruct and rl without.

    Of all models where the paper has none that was asked so, or where it is not known how it was asked (None)."""
    found = [one for one in PUBLISHED if (one.benchmark, one.setting) == (benchmark, setting)]
    alike = [one for one in found if few_shot is not None and few_shot == (one.model == "base")]
    return tuple(alike or found)


def differences(protocol: Mapping[str, Any], *, few_shot: bool | None, parameters: int | None) -> list[str]:
    """In which ways a run was not measured as the paper's models were, each in a few words; none where it was."""
    found = []
    if protocol.get("name") != "paper":
        found.append(f"protocol {protocol.get('name', 'unknown')}, not paper")
    if protocol.get("grader", "strict") != "paper":
        found.append("our strict grader, not the official one")
    if few_shot is None:
        found.append("solved examples unknown (4 to 8 in tables 2 and 3, none in table 5)")
    limit = protocol.get("greedy", {}).get("max_new_tokens", PAPER_TOKENS)
    if limit != PAPER_TOKENS:
        found.append(f"outputs of at most {limit:,} tokens, not {PAPER_TOKENS:,}")
    form = protocol.get("prompt_form")
    if form not in (None, "paper", "official"):
        found.append(f"prompt form {form}")
    if parameters is None:
        found.append("another model of unknown size, not one of 7B")
    elif not 6.5e9 < parameters < 7.5e9:
        found.append(f"a model of {parameters / 1e6:,.1f}M parameters, not one of 7B")
    return found
