"""What saves memory changes no result: activation checkpointing, offload, bfloat16."""

import pytest
import torch

from commons.errors import ConfigError
from lm.engine import start
from lm.recompute import blocks_of, recompute_blocks
from lm.sampling import sample
from lm.training import losses_of
from tests.lm.models import FAMILIES, llama
from tests.lm.supervised import digest, rows_of_step


def steps_of(engine, count=3):
    found = []
    for step in range(count):
        rows = rows_of_step(step)
        found.append(engine.step(losses_of(engine, rows, int(rows.targets_NT.sum()), 4), 3e-3).loss)
    return found


@pytest.mark.parametrize("stage", [0, 3])
def test_blocks_that_are_computed_again_give_the_same_bits(stage):
    plain, again = start(llama(), zero_stage=stage), start(llama(), zero_stage=stage, recompute=True)
    assert steps_of(again) == steps_of(plain)
    assert digest(again.plain_model()) == digest(plain.plain_model())


@pytest.mark.parametrize("family", FAMILIES)
def test_only_the_input_of_each_block_is_kept_for_the_backward_pass(family):
    def kept(model):
        sizes = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: sizes.append(t.numel()) or t, lambda t: t):
            model(torch.arange(20)[None] % 9, use_cache=False).logits.sum()
        return sum(sizes)

    plain, again = FAMILIES[family](), FAMILIES[family]()
    recompute_blocks(again)
    assert len(blocks_of(again)) == 2
    assert kept(again) < 0.7 * kept(plain)


def test_sampling_is_as_without_it():
    plain, again = llama(), llama()
    recompute_blocks(again)
    drawn = [
        sample(model, [[3, 4], [5]], outputs_per_prompt=2, max_new_tokens=5, temperature=1, seed=0, end_ids={1})
        for model in (plain, again)
    ]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_an_offloaded_optimiser_has_the_curve_of_one_that_is_not(stage, tmp_path):
    offloaded = start(llama(), zero_stage=stage, offload=True)
    assert steps_of(offloaded) == pytest.approx(steps_of(start(llama(), zero_stage=stage)), rel=1e-5)
    offloaded.save(tmp_path, 3)
    again = start(llama(seed=5), zero_stage=stage, offload=True)
    assert again.resume(tmp_path).step == 3
    assert digest(again.plain_model()) == digest(offloaded.plain_model())


def test_offload_without_zero_is_refused():
    with pytest.raises(ConfigError, match="zero_stage 1, 2 and 3"):
        start(llama(), offload=True)
