"""Vectors as codes of one bit per dimension: an eighth of a byte instead of four. Codes propose candidates, which are then
compared by their whole vectors. A million documents need 64 MB for 512 dimensions."""

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]
Codes = npt.NDArray[np.uint64]
"""One column per document, one row per 64 dimensions: so a scan reads memory in order, which is ten times as fast. All bits
are 0 for a document without a vector."""


def encode_bits(vectors: Matrix) -> Codes:
    """The signs of the values, 64 in a word. A dimension is 1 for a positive value."""
    bits = np.packbits(vectors > 0, axis=1, bitorder="little")
    padding = -bits.shape[1] % 8
    padded = np.pad(bits, ((0, 0), (0, padding))) if padding else np.ascontiguousarray(bits)
    return np.ascontiguousarray(padded.view("<u8").T)


def code_distances(codes: Codes, query: Codes) -> npt.NDArray[np.uint16]:
    """In how many dimensions the sign differs from that of the query, a single code."""
    distances = np.zeros(codes.shape[1], dtype=np.uint16)
    for row, value in zip(codes, query[:, 0], strict=True):
        distances += np.bitwise_count(row ^ value)
    return distances


def smallest(values: npt.NDArray[np.uint16], count: int) -> npt.NDArray[np.intp]:
    """The places of the smallest values; ties at the border by place."""
    if len(values) <= count:
        return np.arange(len(values))
    border = int(
        np.searchsorted(np.cumsum(np.bincount(values)), count)
    )  # faster than sorting, for small numbers
    below = np.flatnonzero(values < border)
    return np.concatenate([below, np.flatnonzero(values == border)[: count - len(below)]])


def unit_length(vectors: Matrix) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    result: Matrix = vectors / np.maximum(lengths, 1e-12)
    return result


def store_vectors(vectors: Matrix) -> list[bytes]:
    """Each unit vector in one byte per dimension, after its scale; the cosine changes by less than .001."""
    scales = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-12) / 127
    values = np.rint(vectors / scales).astype(np.int8)
    return [scale.astype("<f4").tobytes() + row.tobytes() for scale, row in zip(scales, values, strict=True)]


def read_vectors(stored: list[bytes]) -> Matrix:
    if not stored:
        return np.zeros((0, 0), dtype=np.float32)
    rows = np.frombuffer(b"".join(stored), dtype=np.uint8).reshape(len(stored), -1)
    scales = np.ascontiguousarray(rows[:, :4]).view("<f4")
    return unit_length(np.ascontiguousarray(rows[:, 4:]).view(np.int8).astype(np.float32) * scales)
