"""Multinomial regression over dense vectors and hashed words, by AdamW with a fixed seed, in NumPy alone."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float32]

BETAS, TINY = (0.9, 0.999), 1e-8
WARM_SHARE = 0.3
"""The rate rises for this share of the steps, then falls to zero."""


@dataclass(frozen=True)
class SparseRows:
    """Rows of few values: their positions and values, filled up with zeros; `width` is the number of columns."""

    positions: npt.NDArray[np.int64]
    values: Matrix
    width: int

    @classmethod
    def of(cls, texts: list[str], hashed: Callable[[list[str]], Matrix], block: int = 512) -> "SparseRows":
        """The rows of `hashed`, block by block, because all of them at once take gigabytes."""
        pairs = [
            (np.flatnonzero(row), row[np.flatnonzero(row)])
            for start in range(0, len(texts), block)
            for row in hashed(texts[start : start + block])
        ]
        most = max((len(places) for places, _ in pairs), default=1)
        positions = np.zeros((len(pairs), most), dtype=np.int64)
        values = np.zeros((len(pairs), most), dtype=np.float32)
        for number, (places, row_values) in enumerate(pairs):
            positions[number, : len(places)], values[number, : len(places)] = places, row_values
        return cls(positions, values, hashed([""]).shape[1])

    def where(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> "SparseRows":
        return SparseRows(self.positions[chosen], self.values[chosen], self.width)

    def product(self, weights: Matrix) -> Matrix:
        product: Matrix = np.einsum("rk,rkc->rc", self.values, weights[self.positions])
        return product

    def gradient(self, errors: Matrix) -> Matrix:
        places = self.positions.ravel()
        columns = [
            np.bincount(places, (self.values * error[:, None]).ravel(), self.width) for error in errors.T
        ]
        return np.stack(columns, axis=1).astype(np.float32)


@dataclass
class AdamW:
    """One parameter with its moments."""

    value: Matrix
    decay: float
    first: Matrix = field(init=False)
    second: Matrix = field(init=False)

    def __post_init__(self) -> None:
        self.first, self.second = np.zeros_like(self.value), np.zeros_like(self.value)

    def step(self, gradient: Matrix, rate: float, number: int) -> None:
        self.value *= 1 - rate * self.decay
        self.first += (1 - BETAS[0]) * (gradient - self.first)
        self.second += (1 - BETAS[1]) * (np.square(gradient) - self.second)
        mean, variance = self.first / (1 - BETAS[0] ** number), self.second / (1 - BETAS[1] ** number)
        self.value -= rate * mean / (np.sqrt(variance) + TINY)


def rates(highest: float, steps: int) -> Iterator[float]:
    """One cycle: up and down along a cosine."""
    warm = max(1, round(WARM_SHARE * steps))
    for number in range(steps):
        phase = 1 - number / warm if number < warm else (number - warm) / max(1, steps - warm)
        yield highest * (0.02 + 0.98 * (1 + float(np.cos(np.pi * phase))) / 2)


def softmax_errors(logits: Matrix, answers: npt.NDArray[np.int64], weights: Matrix) -> Matrix:
    """The gradient of the weighted cross-entropy by the logits."""
    errors = np.exp(logits - logits.max(axis=1, keepdims=True))
    errors /= errors.sum(axis=1, keepdims=True)
    errors[np.arange(len(answers)), answers] -= 1
    scaled: Matrix = errors * (weights / len(answers))[:, None]
    return scaled
