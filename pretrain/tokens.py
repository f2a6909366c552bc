"""Documents -> one stream of tokens per source -> fixed-length sequences, each a pure function of its number."""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from transformers import PreTrainedTokenizerFast

from commons.errors import DataError
from commons.files import atomic_file, write_json
from commons.seeds import np_rng
from commons.shards import read_jsonl, write_jsonl
from pretrain.sources import Document, is_heldout

TOKENS, ENDS, HELDOUT, ABOUT = "tokens.u32", "ends.i64", "heldout.jsonl.zst", "about.json"
DOCUMENTS_AT_ONCE = 256

T = TypeVar("T")


class TokenStream:
    """The endless stream of one source's tokens: every document once in each epoch, in a new order each epoch."""

    def __init__(self, tokens: npt.NDArray[np.uint32], ends: npt.NDArray[np.int64], seed: int) -> None:
        """`tokens` holds the documents one after the other, `ends` where each one ends; both may lie on disk."""
        self._tokens, self._ends, self._seed = tokens, ends, seed
        self._orders: dict[int, tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = {}

    def __len__(self) -> int:
        return len(self._tokens)

    def sequence(self, index: int, length: int) -> list[int]:
        """Tokens `index * length` to `(index + 1) * length` of the stream; epochs run into each other."""
        taken: list[int] = []
        while len(taken) < length:
            epoch, position = divmod(index * length + len(taken), len(self._tokens))
            order, ends = self._order(epoch)
            place = int(np.searchsorted(ends, position, side="right"))
            stop = int(self._ends[order[place]])
            begin = stop - int(ends[place] - position)
            taken.extend(self._tokens[begin : min(stop, begin + length - len(taken))].tolist())
        return taken

    def _order(self, epoch: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The documents in the order of an epoch, and where each ends there. Two epochs can be needed at a time."""
        if epoch not in self._orders:
            order = np_rng(self._seed, "epoch", epoch).permutation(len(self._ends))
            lengths = np.diff(self._ends, prepend=0)
            self._orders = {kept: value for kept, value in self._orders.items() if kept == epoch - 1}
            self._orders[epoch] = (order, np.cumsum(lengths[order]))
        return self._orders[epoch]


def write_tokens(
    folder: Path,
    documents: Iterable[Document],
    tokenizer: PreTrainedTokenizerFast,
    *,
    heldout_per_mille: int,
    heldout_bytes: int,
) -> None:
    """Tokenises a source into `folder`; does nothing when that was done already.

    Held-out documents are never trained on; of their texts the first `heldout_bytes` are kept to be measured on.
    """
    if (folder / ABOUT).exists():
        return
    digest, ends, heldout = sha256(), [0], _Heldout(heldout_bytes)
    counts = {"documents": 0, "bytes": 0}
    with atomic_file(folder / TOKENS) as file:
        for block in _blocks(documents, DOCUMENTS_AT_ONCE):
            digest.update("".join(document.id for document in block).encode())
            kept = [document.text for document in block if not is_heldout(document.id, heldout_per_mille)]
            heldout.add(document.text for document in block if is_heldout(document.id, heldout_per_mille))
            counts["documents"] += len(kept)
            counts["bytes"] += sum(len(text.encode()) for text in kept)
            for encoding in tokenizer.backend_tokenizer.encode_batch(kept, add_special_tokens=False):
                file.write(np.array([*encoding.ids, tokenizer.eos_token_id], dtype="<u4").tobytes())
                ends.append(ends[-1] + len(encoding.ids) + 1)
    with atomic_file(folder / ENDS) as file:
        file.write(np.array(ends[1:], dtype="<i8").tobytes())
    write_jsonl(folder / HELDOUT, ({"text": text} for text in heldout.texts))
    about = {**counts, "tokens": ends[-1], "heldout_documents": heldout.documents, "sha256": digest.hexdigest()}
    write_json(folder / ABOUT, about)


def open_tokens(folder: Path, seed: int) -> TokenStream:
    """The stream of a source that `write_tokens` wrote, read from disk as it is needed."""
    if not (folder / TOKENS).stat().st_size:
        raise DataError(f"source `{folder.name}` of the mixture holds no text: give it a share of 0 or more to read")
    ends = np.fromfile(folder / ENDS, dtype="<i8")
    return TokenStream(np.memmap(folder / TOKENS, dtype="<u4", mode="r"), ends, seed)


def open_heldout(folder: Path) -> list[str]:
    """The held-out texts of a source."""
    return [row["text"] for row in read_jsonl(folder / HELDOUT)]


def read_about(folder: Path) -> dict[str, Any]:
    """Counts of a source, and `sha256` over the ids of its documents in order, which names its text."""
    about: dict[str, Any] = json.loads((folder / ABOUT).read_bytes())
    return about


class _Heldout:
    """Counts all held-out documents and keeps the first texts, up to a number of bytes."""

    def __init__(self, limit_bytes: int) -> None:
        self.documents, self.texts, self._room = 0, list[str](), limit_bytes

    def add(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.documents += 1
            if self._room > 0:
                self.texts.append(text)
                self._room -= len(text.encode())


def _blocks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while block := list(islice(iterator, size)):
        yield block
