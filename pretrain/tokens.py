"""Documents -> one stream of tokens per source -> fixed-length sequences, each a pure function of its number."""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from transformers import PreTrainedTokenizerFast

from commons.errors import ArtifactError, DataError
from commons.files import atomic_file, write_json
from commons.seeds import np_rng
from commons.shards import read_jsonl, write_jsonl
from pretrain.encoding import blocks, encoded, tokenizer_digest
from pretrain.sources import Document, Tokenised, is_heldout

TOKENS, ENDS, HELDOUT, ABOUT = "tokens.u32", "ends.i64", "heldout.jsonl.zst", "about.json"
DOCUMENTS_AT_ONCE = 256


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
        return list(chain.from_iterable(self.parts(index, length)))

    def parts(self, index: int, length: int) -> list[list[int]]:
        """The same tokens, cut where one document ends and the next one begins."""
        parts, taken = [], 0
        while taken < length:
            epoch, position = divmod(index * length + taken, len(self._tokens))
            order, ends = self._order(epoch)
            place = int(np.searchsorted(ends, position, side="right"))
            stop = int(self._ends[order[place]])
            begin = stop - int(ends[place] - position)
            parts.append(self._tokens[begin : min(stop, begin + length - taken)].tolist())
            taken += len(parts[-1])
        return parts

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
    documents: Iterable[Document] | Tokenised,
    tokenizer: PreTrainedTokenizerFast,
    *,
    heldout_per_mille: int,
    heldout_bytes: int,
    workers: int = 1,
) -> None:
    """Tokenises a source into `folder`; does nothing when that was done already by the same tokenizer.

    Held-out documents are never trained on; of their texts the first `heldout_bytes` are kept to be measured on.
    `workers` processes tokenise blocks of documents; the files are the same whatever their number. A source that is
    tokenised already is linked.
    """
    named = tokenizer_digest(tokenizer)
    if (folder / ABOUT).exists():
        _require_tokenizer(folder, named)
        return
    if isinstance(documents, Tokenised):
        _require_tokenizer(documents.folder, named)
        for name in (TOKENS, ENDS, HELDOUT, ABOUT):  # the last one says that the others are there
            link = folder / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to((documents.folder / name).resolve())
        return
    digest, ends, heldout = sha256(), [0], _Heldout(heldout_bytes)
    counts = {"documents": 0, "bytes": 0}

    def trained_on() -> Iterator[list[str]]:
        for block in blocks(documents, DOCUMENTS_AT_ONCE):
            digest.update("".join(document.id for document in block).encode())
            kept = [document.text for document in block if not is_heldout(document.id, heldout_per_mille)]
            heldout.add(document.text for document in block if is_heldout(document.id, heldout_per_mille))
            counts["documents"] += len(kept)
            counts["bytes"] += sum(len(text.encode()) for text in kept)
            yield kept

    with atomic_file(folder / TOKENS) as file:
        for tokens, lengths in encoded(trained_on(), tokenizer, workers):
            file.write(tokens)
            for length in lengths:
                ends.append(ends[-1] + length)
    with atomic_file(folder / ENDS) as file:
        file.write(np.array(ends[1:], dtype="<i8").tobytes())
    write_jsonl(folder / HELDOUT, ({"text": text} for text in heldout.texts))
    about = {**counts, "tokens": ends[-1], "heldout_documents": heldout.documents, "sha256": digest.hexdigest()}
    write_json(folder / ABOUT, about | {"tokenizer": named})


def _require_tokenizer(folder: Path, named: str) -> None:
    found = json.loads((folder / ABOUT).read_bytes())["tokenizer"]
    if found != named:
        raise ArtifactError(
            f"the tokens in {folder} were written by another tokenizer ({found[:12]}, the model's is {named[:12]}): "
            "make them again with the model's own"
        )


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
    return {name: value for name, value in about.items() if name != "tokenizer"}


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
