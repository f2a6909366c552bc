"""What GRPO buys over its start and over SFT continued for the same wall time, on three seeds.

`make bench NAME=rl_gain` makes the chain and the control of seeds 1, 2 and 3 (runs/tiny-1 to runs/tiny-3) where that
is not done; seed 0 is left out, since the recipe was chosen on it. It prints per seed the greedy accuracy of RL beside
the start and the control, maj@16 and pass@16 of each, and the paired 95% interval of RL minus start and RL minus
control, in and out of distribution.
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from commons.artifacts import Artifact, open_artifact
from eval.compare import comparisons

SEEDS = (1, 2, 3)
MODELS = ("base", "instruct", "control", "rl")


def run_of(seed: int) -> Path:
    """The run folder of a seed."""
    return Path("runs") / f"tiny-{seed}"


def evaluations(seed: int) -> dict[str, Artifact]:
    """The evaluations of a seed by model, made where they are missing."""
    target = ["all", "control", f"RUN={run_of(seed).name}", f"SEED={seed}"]
    subprocess.run(["make", "--no-print-directory", *target], check=True, stdout=subprocess.DEVNULL)
    return {model: open_artifact(run_of(seed) / "eval" / model, "evaluation") for model in MODELS}


def line(figure: str, value: float | list[float], unit: str, n: int, peer: str = "", peer_value: float = 0.0) -> str:
    """One JSON line of the benchmark protocol (README)."""
    ratio = value / peer_value if peer and isinstance(value, float) and peer_value else None
    row = {"figure": figure, "value": value, "unit": unit, "peer": peer or None}
    return json.dumps({**row, "peer_value": peer_value if peer else None, "ratio": ratio, "n": n})


def accuracies(seed: int, made: dict[str, Artifact]) -> Iterator[str]:
    """Greedy accuracy, maj@16 and pass@16 of each model in distribution."""
    for model, artifact in made.items():
        row = next(
            row for row in json.loads((artifact.path / "results.json").read_text()) if row["split"] == "in_distribution"
        )
        yield line(f"greedy_{model}_seed_{seed}", row["accuracy"], "fraction", row["n"])
        for name in ("maj_at_k", "pass_at_k"):
            yield line(f"{name[:-1]}16_{model}_seed_{seed}", row[name]["16"], "fraction", row["sampled_n"])


def gains(seed: int, made: dict[str, Artifact], before: str) -> Iterator[tuple[str, float, str]]:
    """(split, gain in points, JSON line) of RL over `before`, with its paired 95% interval."""
    for split, found in comparisons(made[before], made["rl"], seed=0).items():
        gain = 100 * found.gain
        name = f"rl_minus_{before}_{split}_seed_{seed}"
        yield split, gain, line(name, gain, "points", found.n)
        yield split, gain, line(f"{name}_ci95", [100 * bound for bound in found.ci95], "points", found.n)


def main() -> None:
    """Prints one JSON line per figure."""
    mean_gain: dict[str, list[float]] = {"instruct": [], "control": []}
    for seed in SEEDS:
        made = evaluations(seed)
        print(*accuracies(seed, made), sep="\n")
        for before, found in mean_gain.items():
            rows = list(gains(seed, made, before))
            found += [gain for split, gain, _ in rows if split == "in_distribution"][:1]
            print(*(text for _, _, text in rows), sep="\n", flush=True)
    over_start, over_control = mean(mean_gain["instruct"]), mean(mean_gain["control"])
    control = over_start - over_control
    print(line("mean_gain_of_rl", over_start, "points", len(SEEDS), "SFT continued for the same wall time", control))


if __name__ == "__main__":
    main()
