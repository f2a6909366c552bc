import pytest
import torch
from torch.nn.attention.flex_attention import flex_attention
from torch.nn.functional import scaled_dot_product_attention

from commons.errors import ConfigError
from lm.attention import block_mask, document_lengths, hidden_of_rows, reads_of
from lm.packing import Example, concatenate, rows_of_parts
from tests.lm.models import llama

PARTS = [[[3, 4, 5], [6, 7], [8, 9, 10]], [[11], [12, 13, 14, 15, 16, 17, 18]]]


def apart(model, parts) -> torch.Tensor:
    """Hidden states of each document read by itself."""
    rows = []
    for row in parts:
        alone = [model.base_model(input_ids=torch.tensor([part])).last_hidden_state[0] for part in row]
        rows.append(torch.cat(alone))
    return torch.stack(rows)


@pytest.mark.parametrize("kernel", ["sdpa", "eager"])
def test_documents_of_a_row_are_read_as_if_each_stood_alone(kernel):
    model = llama()
    model.set_attn_implementation(kernel)
    rows = rows_of_parts(PARTS, attend_across=False)
    torch.testing.assert_close(hidden_of_rows(model, rows), apart(model, PARTS), atol=1e-5, rtol=1e-5)


@pytest.mark.slow  # the import of torch's compiler, which warns of old parts of torch itself
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@torch.no_grad()
def test_flex_attention_reads_documents_as_if_each_stood_alone():
    model = llama()
    expected = apart(model, PARTS)
    model.set_attn_implementation("flex_attention")
    with torch.compiler.set_stance("force_eager"):
        found = hidden_of_rows(model, rows_of_parts(PARTS, attend_across=False))
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_the_block_mask_of_flex_is_the_mask_of_sdpa():
    examples = [Example(tuple(range(1, n + 1)), (True,) * n) for n in (100, 90, 60, 200, 30)]
    rows = concatenate(examples, 256, attend_across=False)
    torch.manual_seed(0)
    query, key, value = torch.randn(3, len(rows), 2, 256, 16)
    masked = scaled_dot_product_attention(query, key, value, attn_mask=rows.mask_N1TT)
    flex = flex_attention(query, key, value, block_mask=block_mask(rows.documents_NT))
    torch.testing.assert_close(flex, masked, atol=1e-5, rtol=1e-5)


def test_across_documents_a_row_is_one_text():
    model = llama()
    rows = rows_of_parts(PARTS, attend_across=True)
    one_text = model.base_model(input_ids=rows.tokens_NT).last_hidden_state
    torch.testing.assert_close(hidden_of_rows(model, rows), one_text)
    assert reads_of(rows, "flash_attention_2").mask is None


def test_flash_reads_all_rows_in_one_line_with_the_bounds_of_their_documents():
    reads = reads_of(rows_of_parts(PARTS, attend_across=False), "flash_attention_2")
    assert reads.mask is None
    assert reads.tokens.tolist() == [list(range(3, 19))]
    assert reads.positions.tolist() == [[0, 1, 2, 0, 1, 0, 1, 2, 0, 0, 1, 2, 3, 4, 5, 6]]
    assert reads.lengths["cu_seq_lens_q"].tolist() == [0, 3, 5, 8, 9, 16]
    assert reads.lengths["max_length_k"] == 7


def test_padding_is_a_document_of_its_own_for_flash():
    rows = concatenate([Example((1, 2), (True, True)), Example((3,), (True,))], 5, attend_across=False)
    assert document_lengths(rows.positions_NT)["cu_seq_lens_q"].tolist() == [0, 2, 3, 5]


def test_the_first_token_of_a_document_is_learned_only_across():
    assert rows_of_parts(PARTS, attend_across=True).targets_NT[0].tolist() == [False] + [True] * 7
    apart = rows_of_parts(PARTS, attend_across=False).targets_NT[0].tolist()
    assert apart == [False, True, True, False, True, False, True, True]


def test_a_kernel_that_cannot_be_told_is_refused():
    with pytest.raises(ConfigError, match="paged"):
        reads_of(rows_of_parts(PARTS, attend_across=False), "paged")
