"""`python -m eval.compare BEFORE AFTER`: the paired gain of one evaluation over another, by question."""

import sys
from collections.abc import Sequence
from pathlib import Path

from commons.artifacts import Artifact, open_artifact
from commons.errors import ArtifactError, ConfigError, ProjectError
from commons.shards import read_jsonl
from eval.items import IN_DISTRIBUTION, OUT_OF_DISTRIBUTION
from eval.significance import Paired, correct_by_id, paired

USAGE = "python -m eval.compare BEFORE AFTER, two evaluations as in runs/tiny/eval/instruct runs/tiny/eval/rl"


def comparisons(before: Artifact, after: Artifact, *, seed: int) -> dict[str, Paired]:
    """The paired gain in each split that both evaluations asked. Raises ArtifactError where the questions differ."""
    first, second = (list(read_jsonl(side.path / "samples.jsonl.zst")) for side in (before, after))
    found = {}
    for split in (IN_DISTRIBUTION, OUT_OF_DISTRIBUTION):
        one, other = correct_by_id(first, split), correct_by_id(second, split)
        if not one and not other:
            continue
        try:
            found[split] = paired(one, other, seed=seed)
        except ValueError as error:
            raise ArtifactError(
                f"{before.path} and {after.path} cannot be compared: {error}; "
                "evaluate both on the same questions with the same seed"
            ) from None
    return found


def line(split: str, found: Paired) -> str:
    """One comparison as a line for people."""
    low, high = (100 * bound for bound in found.ci95)
    return (
        f"{split.replace('_', ' '):<20}n {found.n:,}   {100 * found.before:.1f}% -> {100 * found.after:.1f}%   "
        f"gain {100 * found.gain:+.1f} points, 95% [{low:+.1f}, {high:+.1f}]   "
        f"{found.gained} gained, {found.lost} lost, p {found.p:.2g}"
    )


def main(arguments: Sequence[str]) -> int:
    """Exit code of the command."""
    try:
        if len(arguments) != 2:
            raise ConfigError(f"{len(arguments)} arguments; accepted: {USAGE}")
        before, after = (open_artifact(Path(argument), "evaluation") for argument in arguments)
        for split, found in comparisons(before, after, seed=0).items():
            print(line(split, found))
    except ProjectError as error:
        print(f"eval.compare: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
