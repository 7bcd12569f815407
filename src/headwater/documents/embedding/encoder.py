"""Encodes texts as unit vectors on the CPU, with onnxruntime alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.documents.embedding.build import BUILTIN_ENCODERS, MULTILINGUAL, build_encoder
from headwater.documents.embedding.language_tables import LanguageTables, load_language_tables, text_language
from headwater.documents.embedding.models import locate_model, open_model, require_package

Matrix = npt.NDArray[np.float32]

BATCH_TOKENS = 1024
"""Tokens per batch, padding included: intermediate results stay in the CPU cache."""

MAX_TOKENS = 256
POOLED_OUTPUT = "sentence_embedding"


@dataclass(frozen=True, slots=True)
class Encoder:
    """Returns one unit vector per text. The vectors do not depend on the order of the texts.

    `tables` bring the vectors of all languages into one space. Without `languages`, those of the texts are detected.
    """

    name: str
    session: Any
    tokenizer: Any
    batch_tokens: int = BATCH_TOKENS
    tables: LanguageTables | None = None

    def __call__(self, texts: Sequence[str], languages: Sequence[str] | None = None) -> Matrix:
        if self.tables is None:
            return self.plain_vectors(texts)
        if languages is None:
            languages = [text_language(text) for text in texts]
        return self.tables.align(self.plain_vectors(texts), texts, languages)

    def plain_vectors(self, texts: Sequence[str]) -> Matrix:
        """The vectors of the network alone."""
        ids = [
            encoding.ids
            for encoding in self.tokenizer.encode_batch([_without_surrogates(text) for text in texts])
        ]
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for positions in _batches(ids, self.batch_tokens):
            vectors_of_batch = self._encode([ids[position] for position in positions])
            if vectors.shape[1] != vectors_of_batch.shape[1]:
                vectors = np.zeros((len(texts), vectors_of_batch.shape[1]), dtype=np.float32)
            vectors[positions] = vectors_of_batch
        return vectors

    @property
    def dimension(self) -> int:
        """0 if the graph does not say."""
        size = self._output.shape[-1]
        return size if isinstance(size, int) else 0

    def _encode(self, rows: Sequence[Sequence[int]]) -> Matrix:
        inputs = {argument.name: argument for argument in self.session.get_inputs()}
        integer = np.int32 if "int32" in next(iter(inputs.values())).type else np.int64
        ids, mask = _pad(rows, integer)
        arrays = {"ids": ids, "input_ids": ids, "mask": mask, "attention_mask": mask}
        feed = {name: arrays.get(name, np.zeros_like(ids)) for name in inputs}
        return _pool(self.session.run([self._output.name], feed)[0], mask)

    @property
    def _output(self) -> Any:
        """The output with one vector per text, if the graph names it; otherwise the first output."""
        outputs = self.session.get_outputs()
        return next((output for output in outputs if output.name == POOLED_OUTPUT), outputs[0])


def _without_surrogates(text: str) -> str:
    """Replace lone surrogates of broken pages, which a tokenizer rejects."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _batches(ids: Sequence[Sequence[int]], batch_tokens: int) -> Iterator[list[int]]:
    """Texts of similar length together, to save padding; ordered by content, so that batches are deterministic."""
    batch: list[int] = []
    for position in sorted(range(len(ids)), key=lambda position: (len(ids[position]), ids[position])):
        if batch and (len(batch) + 1) * len(ids[position]) > batch_tokens:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _pad(rows: Sequence[Sequence[int]], kind: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    ids = np.zeros((len(rows), max(len(row) for row in rows)), dtype=kind)
    mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return ids, mask


def _pool(output: npt.NDArray[Any], mask: npt.NDArray[Any]) -> Matrix:
    """Unit vectors; a graph with one vector per token has their mean taken first. A vector with NaN or infinite values, which would
    spoil every comparison, becomes zero."""
    if output.ndim == 3:
        output = (output * mask[:, :, None]).sum(axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.linalg.norm(output, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        output, lengths = (
            np.where(np.isfinite(lengths), output, 0),
            np.where(np.isfinite(lengths), lengths, 0),
        )
    vectors: Matrix = (output / np.maximum(lengths, 1e-12)).astype(np.float32)
    return vectors


def encoder_name(data: Path, model: str | Path | None = None) -> str:
    """The name that `open_encoder` gives the encoder, without opening it."""
    builtin = MULTILINGUAL if model is None else BUILTIN_ENCODERS.get(str(model))
    return builtin.name if builtin else locate_model(str(model), data)[0]


def open_encoder(
    data: Path, model: str | Path | None = None, *, threads: int = 1, max_tokens: int = MAX_TOKENS
) -> Encoder:
    """A built-in encoder, built in `data` at first use, or another model that `locate_model` finds; without `model` the
    multilingual one.

    One thread by default, because workers are processes that share the CPUs. At most `max_tokens` tokens of a text are
    read.
    """
    for package in ("onnxruntime", "tokenizers"):  # before the encoder is built
        require_package(package)
    builtin = MULTILINGUAL if model is None else BUILTIN_ENCODERS.get(str(model))
    name, folder = (
        locate_model(str(model), data) if builtin is None else (builtin.name, build_encoder(data, builtin))
    )
    session, tokenizer = open_model(folder, threads)
    tokenizer.enable_truncation(max_tokens)
    tables = load_language_tables() if builtin is MULTILINGUAL else None
    return Encoder(name, session, tokenizer, tables=tables)
