"""How models and measures are drawn, and what the paper reports for the same step."""

from eval.svg import Look

MODEL_LOOKS = {
    "base": Look("#9aa7b4", "2 3", "triangle"),
    "instruct": Look("#4c8fd0", "7 3", "square"),
    "control": Look("#c08a2d", "1 4", "diamond"),
    "rl": Look("#8f1d14", "", "circle"),
    "run": Look("#4c8fd0", "7 3", "square"),
    "other": Look("#8f1d14", "", "circle"),
}
PLAIN = Look("#3f5b78", "", "circle")
SECOND = Look("#c0662d", "6 3", "square")
SERIES_LOOKS = (
    Look("#1f3a5f", "", "circle"),
    Look("#c0662d", "6 3", "square"),
    Look("#5f9ea0", "2 3", "diamond"),
    Look("#8a8f98", "8 2 2 2", "triangle"),
    Look("#7b3f61", "4 2", "circle"),
)

MODEL_NAMES = {
    "base": "base (continued pre-training)",
    "instruct": "instruct (SFT)",
    "control": "control (SFT continued)",
    "rl": "rl (GRPO)",
    "run": "run",
    "other": "other",
}
SPLIT_NAMES = {"in_distribution": "in distribution", "out_of_distribution": "out of distribution"}

# Table 5 of the paper, chain of thought then with tools: benchmark, split there, instruct, RL; 7B models, in percent
PAPER = (
    ("GSM8K, chain of thought", "in distribution", 82.9, 88.2),
    ("MATH, chain of thought", "in distribution", 46.8, 51.7),
    ("MGSM-zh, chain of thought", "out of distribution", 73.2, 79.6),
    ("CMATH, chain of thought", "out of distribution", 84.6, 88.8),
    ("GSM8K, tools", "out of distribution", 83.7, 86.7),
    ("MATH, tools", "out of distribution", 57.4, 58.8),
    ("MGSM-zh, tools", "out of distribution", 72.0, 78.4),
    ("CMATH, tools", "out of distribution", 84.3, 87.6),
)
