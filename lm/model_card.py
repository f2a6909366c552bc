"""The model card: README.md of a finished checkpoint, made from its lineage. It lies inside the digest."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from transformers import PreTrainedModel

from commons.artifacts import Artifact
from commons.cards import how_it_was_made
from commons.config import Config
from commons.files import write_atomic

CARD = "README.md"
USE = """```python
from transformers import AutoModelForCausalLM, AutoTokenizer

model = AutoModelForCausalLM.from_pretrained(FOLDER)
tokenizer = AutoTokenizer.from_pretrained(FOLDER)
```
"""


def write_model_card(
    folder: Path,
    model: PreTrainedModel,
    command: str,
    about: str,
    config: Config,
    inputs: Mapping[str, Artifact],
    counts: Mapping[str, Any],
) -> None:
    """Writes the card of the checkpoint in `folder` that `command` made."""
    parts = (
        "---\nlibrary_name: transformers\npipeline_tag: text-generation\nlicense: unknown\n---\n",
        f"# Checkpoint of `{command}`\n",
        f"{about} Made by the recipe of DeepSeekMath (arXiv 2402.03300).\n",
        USE,
        *_shape(model),
        *_lineage(inputs),
        *_counts(counts),
        "## Limits\n\nIts answers are not checked by anyone. The rights to the text that it was trained on were not "
        "cleared, nor was personal data looked for here; the cards of the inputs say what is in them.\n",
        how_it_was_made(command, config, {name: artifact.digest for name, artifact in inputs.items()}),
    )
    write_atomic(folder / CARD, "\n".join(parts))


def _shape(model: PreTrainedModel) -> Iterator[str]:
    config = model.config
    parameters = sum(getattr(parameter, "ds_numel", parameter.numel()) for parameter in model.parameters())
    yield "## Model\n"
    yield "| what | value |\n|---|---|"
    yield f"| architecture | {type(model).__name__} |"
    yield f"| parameters | {parameters:,} |"
    yield f"| blocks, width, heads | {config.num_hidden_layers}, {config.hidden_size}, {config.num_attention_heads} |"
    yield f"| vocabulary | {config.vocab_size:,} tokens |"
    yield f"| context | {config.max_position_embeddings:,} tokens |\n"


def _lineage(inputs: Mapping[str, Artifact]) -> Iterator[str]:
    yield "## Lineage\n"
    yield "| input | made by | digest | from |\n|---|---|---|---|"
    for name, artifact in sorted(inputs.items()):
        plan = artifact.manifest.plan if artifact.manifest else None
        made_by = f"`{plan.stage}`" if plan else "not made here"
        parents = ", ".join(f"{key} `{digest[:12]}`" for key, digest in sorted(plan.inputs.items())) if plan else ""
        yield f"| `{name}` | {made_by} | `{artifact.digest}` | {parents or '-'} |"
    yield ""


def _counts(counts: Mapping[str, Any]) -> Iterator[str]:
    yield "## What it was trained on, and what was measured\n"
    yield f"```json\n{json.dumps(counts, indent=1, sort_keys=True, ensure_ascii=False)}\n```\n"
