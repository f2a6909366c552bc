"""One loss curve, however a step is cut up or laid out."""

import pytest
import torch

from commons.metrics import read_metrics
from lm.engine import start
from lm.packing import Example, Rows, concatenate, full_rows
from lm.training import train
from tests.lm.models import VOCABULARY, llama


def examples_of(step):
    generator = torch.Generator().manual_seed(step)
    found = []
    for _ in range(10):
        length = int(torch.randint(4, 20, (), generator=generator))
        tokens = tuple(torch.randint(VOCABULARY, (length,), generator=generator).tolist())
        found.append(Example(tokens, (False, False) + (True,) * (length - 2)))
    return found


def packed(step):
    return concatenate(examples_of(step), 32, attend_across=False)


def padded(step):
    alone = [concatenate([example], 32, attend_across=False) for example in examples_of(step)]
    tokens, learned, documents = (
        torch.cat([getattr(rows, name) for rows in alone]) for name in ("tokens_NT", "learned_NT", "documents_NT")
    )
    return Rows(tokens, learned, documents, False)


def eight_rows(step):
    generator = torch.Generator().manual_seed(step)
    return full_rows(torch.randint(VOCABULARY, (8, 16), generator=generator).tolist())


def curve(folder, rows_of_step, rows_per_micro_batch):
    train(
        start(llama()),
        rows_of_step,
        lambda step: 3e-3,
        steps=5,
        rows_per_micro_batch=rows_per_micro_batch,
        checkpoints=folder / "steps",
        save_every=10,
        logs=folder / "logs",
    )
    rows = read_metrics(folder / "logs")
    return [row["loss"] for row in rows], [row["grad_norm"] for row in rows], [row["tokens"] for row in rows]


def test_examples_side_by_side_in_a_row_learn_what_padded_ones_do(tmp_path):
    assert len(packed(0)) < len(padded(0)) == 10
    together, alone = (curve(tmp_path / rows.__name__, rows, 4) for rows in (packed, padded))
    assert together[0] == pytest.approx(alone[0], rel=1e-5)
    assert together[1] == pytest.approx(alone[1], rel=1e-4)
    assert together[2] == alone[2]


def test_one_micro_batch_of_eight_is_two_of_four_is_eight_of_one(tmp_path):
    curves = [curve(tmp_path / str(rows), eight_rows, rows) for rows in (8, 4, 1)]
    for other in curves[1:]:
        assert other[0] == pytest.approx(curves[0][0], rel=1e-5)
        assert other[1] == pytest.approx(curves[0][1], rel=1e-4)
