"""Texts to unit vectors on the processor, with onnxruntime alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.documents.embedding.build import MODEL, NAME, TOKENIZER, build_encoder
from headwater.documents.embedding.models import locate_model, require_package
from headwater.model.errors import Refused

Matrix = npt.NDArray[np.float32]

ROOM = 1024
"""So many words are read at once, padding included: what becomes of them in between stays in the processor's cache."""

LONGEST = 256
WHOLE = "sentence_embedding"
FILES = (MODEL, f"onnx/{MODEL}", "model_quantized.onnx", "onnx/model_quantized.onnx")


@dataclass(frozen=True, slots=True)
class Encoder:
    """A callable: one unit vector per text. The same set of texts gives the same vectors, in whatever order."""

    name: str
    session: Any
    tokenizer: Any
    room: int = ROOM

    def __call__(self, texts: Sequence[str]) -> Matrix:
        ids = [found.ids for found in self.tokenizer.encode_batch([_whole(text) for text in texts])]
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for positions in _batches(ids, self.room):
            found = self._encoded([ids[position] for position in positions])
            if vectors.shape[1] != found.shape[1]:
                vectors = np.zeros((len(texts), found.shape[1]), dtype=np.float32)
            vectors[positions] = found
        return vectors

    @property
    def dimension(self) -> int:
        """0 for a graph that does not say."""
        size = self._output.shape[-1]
        return size if isinstance(size, int) else 0

    def _encoded(self, rows: Sequence[Sequence[int]]) -> Matrix:
        asked = {given.name: given for given in self.session.get_inputs()}
        kind = np.int32 if "int32" in next(iter(asked.values())).type else np.int64
        ids, mask = _padded(rows, kind)
        told = {"ids": ids, "input_ids": ids, "mask": mask, "attention_mask": mask}
        feed = {name: told.get(name, np.zeros_like(ids)) for name in asked}
        return _pooled(self.session.run([self._output.name], feed)[0], mask)

    @property
    def _output(self) -> Any:
        """Of several the one that is a vector per text already; else the first."""
        given = self.session.get_outputs()
        return next((one for one in given if one.name == WHOLE), given[0])


def _whole(text: str) -> str:
    """Half characters, as broken pages have them, are none that a tokenizer knows."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _batches(ids: Sequence[Sequence[int]], room: int) -> Iterator[list[int]]:
    """Texts of like length together: padding is work for nothing. Order is by content, so that a batch is too."""
    batch: list[int] = []
    for position in sorted(range(len(ids)), key=lambda position: (len(ids[position]), ids[position])):
        if batch and (len(batch) + 1) * len(ids[position]) > room:
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _padded(rows: Sequence[Sequence[int]], kind: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    ids = np.zeros((len(rows), max(len(row) for row in rows)), dtype=kind)
    mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return ids, mask


def _pooled(found: npt.NDArray[Any], mask: npt.NDArray[Any]) -> Matrix:
    """Of another model, whose graph ends with one vector per word: their mean, at unit length."""
    if found.ndim == 3:
        found = (found * mask[:, :, None]).sum(axis=1)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    made: Matrix = (found / np.maximum(lengths, 1e-12)).astype(np.float32)
    return made


def open_encoder(
    data: Path, model: str | Path | None = None, *, threads: int = 1, longest: int = LONGEST
) -> Encoder:
    """The built-in encoder, made in `data` at first use, or any other: a folder with an ONNX file and its tokenizer, or
    whatever else `located` finds.

    One thread unless told: workers are processes, and they share the processors among themselves. Of a text no more than
    `longest` pieces of words are read.
    """
    runtime, tokenizers = require_package("onnxruntime"), require_package("tokenizers")
    name, folder = (NAME, build_encoder(data)) if model is None else locate_model(model, data)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = runtime.InferenceSession(
        str(model_file(folder, *FILES)), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = tokenizers.Tokenizer.from_file(str(model_file(folder, TOKENIZER)))
    tokenizer.enable_truncation(longest)
    tokenizer.no_padding()
    return Encoder(name, session, tokenizer)


def model_file(folder: Path, *names: str) -> Path:
    """The first of these that the folder has."""
    found = [folder / name for name in names if (folder / name).exists()]
    if not found:
        raise Refused("no_model", f"{folder} holds no {names[0]}; give a folder with a model as ONNX")
    return found[0]
