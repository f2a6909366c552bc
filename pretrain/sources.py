"""Section 2.3: the sources of the mixture, each as a stream of documents in a fixed order of its own."""

import hashlib
import platform
import sysconfig
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import TypeAlias

from commons.artifacts import read_manifest
from commons.seeds import rng
from commons.shards import read_parquet
from pretrain.papers import latex_paper
from pretrain.programs import algebra_program
from pretrain.texts import texts_of

NOT_LIBRARY = frozenset({"site-packages", "dist-packages", "test", "tests", "idle_test", "__pycache__"})
# most of a codec or of lib2to3 is tables, and nobody learns to write code from them
TABLES = frozenset({"encodings", "lib2to3", "pydoc_data", "turtledemo"})


@dataclass(frozen=True, slots=True)
class Document:
    """One text to train on. `id` is the sha256 of the text, so equal texts fall on the same side of a split."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Tokenised:
    """A source whose tokens lie in a folder already."""

    folder: Path


Source: TypeAlias = Iterator[Document] | Tokenised


def document(text: str) -> Document:
    """The document of a text, its id computed."""
    return Document(hashlib.sha256(text.encode()).hexdigest(), text)


def is_heldout(document_id: str, per_mille: int) -> bool:
    """Whether a document is kept for measuring and never trained on; it depends on its text alone, not on a seed."""
    return int(document_id[:8], 16) * 1000 < per_mille << 32


def pages(folder: Path, seed: int) -> Iterator[Document]:
    """The pages of a corpus artifact's folder: its files in order, the rows of each file shuffled."""
    for path in sorted(folder.glob("*.parquet")):
        texts = read_parquet(path, columns=["text"]).column("text").to_pylist()
        rng(seed, "pages", path.name).shuffle(texts)
        yield from map(document, texts)


def own_texts(path: Path) -> Iterator[Document]:
    """The texts of a user's own file or folder, which replaces a generated source."""
    return map(document, texts_of(path))


def library_source(seed: int) -> Iterator[Document]:
    """Python's standard library as installed here, one document a file, in shuffled order.

    It stands where the paper has GitHub code (docs/deviations.md). The text depends on the Python version, which
    `library_version` names; its digest is among the counts of the stage.
    """
    root = Path(sysconfig.get_paths()["stdlib"])
    names = [path.relative_to(root) for path in root.rglob("*.py")]
    names = sorted(name for name in names if not (NOT_LIBRARY | TABLES) & set(name.parts))
    rng(seed, "library").shuffle(names)
    for name in names:
        try:
            yield document((root / name).read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue  # a handful of files in other encodings test the decoders


def library_version() -> str:
    """Implementation and version of the Python whose library is read."""
    return f"{platform.python_implementation()} {platform.python_version()}"


def generated(write: Callable[[Random], str], seed: int) -> Iterator[Document]:
    """Endless documents of a generator, each from its own random stream."""
    for number in count():
        yield document(write(rng(seed, write.__name__, number)))


def first_bytes(documents: Iterable[Document], limit: int) -> Iterator[Document]:
    """Documents until their texts hold `limit` bytes; at least one."""
    taken = 0
    for each in documents:
        yield each
        taken += len(each.text.encode())
        if taken >= limit:
            return


def mixture_sources(
    names: Collection[str], *, corpus: Path, own: Mapping[str, Path], limit_bytes: int, seed: int
) -> dict[str, Source]:
    """Section 2.3: the named sources, each up to `limit_bytes` of text; what is in `own` replaces that of its name."""
    ready = {name for name in names if name in own and is_tokenised(own[name])}
    texts = [name for name in names if name not in ready]
    read = document_sources(texts, corpus=corpus, own=own, limit_bytes=limit_bytes, seed=seed)
    return {name: Tokenised(own[name]) if name in ready else read[name] for name in names}


def document_sources(
    names: Iterable[str], *, corpus: Path, own: Mapping[str, Path], limit_bytes: int, seed: int
) -> dict[str, Iterator[Document]]:
    """The named sources that are text."""
    read: dict[str, Callable[[], Iterator[Document]]] = {
        "corpus": lambda: pages(corpus / "pages", seed),
        "general": lambda: pages(corpus / "general", seed),
        "algebra": lambda: generated(algebra_program, seed),
        "papers": lambda: generated(latex_paper, seed),
        "code": lambda: library_source(seed),
    }
    return {name: first_bytes(own_texts(own[name]) if name in own else read[name](), limit_bytes) for name in names}


def is_tokenised(folder: Path) -> bool:
    """Whether a source is an artifact of `pretrain.tokenise`."""
    manifest = read_manifest(folder)
    return manifest is not None and manifest.plan.kind == "tokens"
