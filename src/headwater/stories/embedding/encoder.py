"""Texts to unit vectors on the processor, with onnxruntime alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.model.errors import Refused
from headwater.stories.embedding.building import MODEL, NAME, TOKENIZER, built
from headwater.stories.embedding.extra import needed

Matrix = npt.NDArray[np.float32]

BATCH = 32
LONGEST = 256


@dataclass(frozen=True, slots=True)
class Encoder:
    """A callable: one unit vector per text. The same set of texts gives the same vectors, in whatever order."""

    name: str
    session: Any
    tokenizer: Any
    batch: int = BATCH

    def __call__(self, texts: Sequence[str]) -> Matrix:
        ids = [found.ids for found in self.tokenizer.encode_batch([_whole(text) for text in texts])]
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for positions in _batches(ids, self.batch):
            vectors[positions] = self._encoded([ids[position] for position in positions])
        return vectors

    @property
    def dimension(self) -> int:
        return int(self.session.get_outputs()[0].shape[-1])

    def _encoded(self, rows: Sequence[Sequence[int]]) -> Matrix:
        asked = {given.name: given for given in self.session.get_inputs()}
        kind = np.int32 if "int32" in next(iter(asked.values())).type else np.int64
        ids, mask = _padded(rows, kind)
        told = {"ids": ids, "input_ids": ids, "mask": mask, "attention_mask": mask}
        feed = {name: told.get(name, np.zeros_like(ids)) for name in asked}
        return _pooled(self.session.run(None, feed)[0], mask)


def _whole(text: str) -> str:
    """Half characters, as broken pages have them, are none that a tokenizer knows."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _batches(ids: Sequence[Sequence[int]], size: int) -> Iterator[list[int]]:
    """Texts of like length together: padding is work for nothing. Order is by content, so that a batch is too."""
    order = sorted(range(len(ids)), key=lambda position: (len(ids[position]), ids[position]))
    for start in range(0, len(order), size):
        yield order[start : start + size]


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


def open_encoder(data: Path, model: Path | None = None, *, threads: int = 1) -> Encoder:
    """The built-in encoder, made in `data` at first use, or any other: a folder with an ONNX file and its tokenizer.

    One thread unless told: workers are processes, and they share the processors among themselves.
    """
    runtime, tokenizers = needed("onnxruntime"), needed("tokenizers")
    folder = model or built(data)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = runtime.InferenceSession(
        str(_file(folder, MODEL, f"onnx/{MODEL}")), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = tokenizers.Tokenizer.from_file(str(_file(folder, TOKENIZER)))
    tokenizer.enable_truncation(LONGEST)
    tokenizer.no_padding()
    return Encoder(model.name if model else NAME, session, tokenizer)


def _file(folder: Path, *names: str) -> Path:
    found = [folder / name for name in names if (folder / name).exists()]
    if not found:
        raise Refused("no_model", f"{folder} holds no {names[0]}; give a folder with a model as ONNX")
    return found[0]
