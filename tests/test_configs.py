import re
from pathlib import Path

import pytest

from commons.config import fields_of, load_config
from commons.stage import main
from pipelines.recipe import RECIPE
from pipelines.stages import DECLARED_IN, stage_of

ROOT = Path(__file__).resolve().parent.parent
MODULE_OF = {step.target: step.module for step in RECIPE} | {"control": "sft"}
DRAW_NOTHING = ("lm.import_model", "pretrain.tokenise")
SHIPPED = sorted((ROOT / "configs").glob("*/*.toml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_shipped_config_loads(path):
    load_config(stage_of(MODULE_OF[path.stem]).config, [path], [])


@pytest.mark.parametrize("size", ["tiny", "small", "paper"])
def test_each_size_has_a_config_for_each_target(size):
    assert {path.stem for path in SHIPPED if path.parent.name == size} >= {step.target for step in RECIPE}


@pytest.mark.parametrize("module", DECLARED_IN)
def test_help_shows_inputs_and_every_field_with_unit_and_source(module, capsys):
    stage = stage_of(module)
    assert main(stage, ["--help"]) == 0
    text = capsys.readouterr().out
    for name in (*stage.needs, *stage.takes):
        assert f"--{name} PATH" in text
    for key, field in fields_of(stage.config):
        assert re.search(r"\[[^\[\];]+; [^\[\]]+\]$", field.description or ""), f"{module} {key}: {field.description!r}"
        assert f"{key} = " in text or f"{key} = (required)" in text


@pytest.mark.parametrize("module", DECLARED_IN)
def test_each_config_table_is_small_and_seeded(module):
    config = stage_of(module).config
    assert len(config.model_fields) <= 16
    assert ("seed" in config.model_fields) != (module in DRAW_NOTHING)
