from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from commons.errors import DataError
from pretrain.sources import Document, document, is_heldout
from pretrain.tokens import TokenStream, open_heldout, open_tokens, read_about, write_tokens


def stream_of(documents: list[list[int]], seed: int = 0) -> TokenStream:
    tokens = np.array([token for ids in documents for token in ids], dtype=np.uint32)
    return TokenStream(tokens, np.cumsum([len(ids) for ids in documents]), seed)


def letters() -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.WordLevel({"<end>": 0, "a": 1, "b": 2, "c": 3, "?": 4}, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", unk_token="?")


def test_an_epoch_visits_every_token_once_and_keeps_documents_whole():
    stream = stream_of([[1, 1, 0], [2, 0], [3, 3, 3, 3, 0]])  # 10 tokens: two sequences of 5 are one epoch
    epoch = stream.sequence(0, 5) + stream.sequence(1, 5)
    assert sorted(epoch) == [0, 0, 0, 1, 1, 2, 3, 3, 3, 3]
    assert sorted("".join(map(str, epoch)).split("0")) == ["", "11", "2", "3333"]


def test_a_sequence_runs_over_into_the_next_epoch_which_has_an_order_of_its_own():
    documents = [[number, 0] for number in range(1, 21)]
    stream = stream_of(documents)
    tokens = [token for index in range(14) for token in stream.sequence(index, 6)]  # 84 tokens, 40 in an epoch
    first, second = tokens[:40], tokens[40:80]
    assert sorted(first) == sorted(second)
    assert first != second


def test_a_sequence_is_the_same_whatever_was_read_before_it():
    documents = [[number, number, 0] for number in range(1, 12)]
    in_turn = stream_of(documents)
    all_of_them = [in_turn.sequence(index, 7) for index in range(30)]
    assert all_of_them[29] == stream_of(documents).sequence(29, 7)
    assert all_of_them[3] == in_turn.sequence(3, 7)


def test_a_sequence_longer_than_a_source_repeats_it():
    assert stream_of([[1, 0]]).sequence(0, 5) == [1, 0, 1, 0, 1]


def test_written_tokens_end_each_document_and_leave_out_what_is_held_out(tmp_path: Path):
    documents = [document(text) for text in ("a b", "c", "b b b", "a", "c c")]
    write_tokens(tmp_path, iter(documents), letters(), heldout_per_mille=500, heldout_bytes=100)
    kept = [each for each in documents if not is_heldout(each.id, 500)]
    about = read_about(tmp_path)
    assert 0 < len(kept) < 5
    assert about["documents"] == len(kept)
    assert about["heldout_documents"] == 5 - len(kept)
    assert open_heldout(tmp_path) == [each.text for each in documents if is_heldout(each.id, 500)]
    assert about["tokens"] == sum(len(each.text.split()) + 1 for each in kept)
    assert open_tokens(tmp_path, 0).sequence(0, about["tokens"]).count(0) == len(kept)


def test_tokens_are_written_once_and_then_found(tmp_path: Path):
    write_tokens(tmp_path, iter([document("a")]), letters(), heldout_per_mille=1, heldout_bytes=100)

    def unread():
        raise AssertionError("the source is read a second time")
        yield

    write_tokens(tmp_path, unread(), letters(), heldout_per_mille=1, heldout_bytes=100)


def test_a_source_without_text_is_refused_by_its_name(tmp_path: Path):
    write_tokens(tmp_path / "code", iter([]), letters(), heldout_per_mille=1, heldout_bytes=100)
    with pytest.raises(DataError, match="`code`"):
        open_tokens(tmp_path / "code", 0)


def test_the_held_out_share_follows_the_hash_of_the_text():
    ids = [document(str(number)).id for number in range(10_000)]
    assert 150 < sum(is_heldout(each, 20) for each in ids) < 250
    assert is_heldout("00000000" + "f" * 56, 1)
    assert not is_heldout("ffffffff" + "0" * 56, 999)
    assert not is_heldout(f"{int(0.02 * 2**32) + 1:08x}", 20)


def test_a_larger_held_out_share_holds_the_smaller_one():
    ids = [document(str(number)).id for number in range(1000)]
    assert {each for each in ids if is_heldout(each, 10)} <= {each for each in ids if is_heldout(each, 20)}


def test_the_id_of_a_document_is_that_of_its_text():
    assert document("x") == Document("2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", "x")


def test_a_sequence_is_cut_where_documents_end():
    stream = stream_of([[1, 1, 0], [2, 0], [3, 3, 3, 3, 0]])
    for index in range(6):
        parts = stream.parts(index, 4)
        assert [token for part in parts for token in part] == stream.sequence(index, 4)
        assert all(0 not in part[:-1] for part in parts)
        assert all(part[-1] == 0 for part in parts[:-1])
