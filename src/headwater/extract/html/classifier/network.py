"""The block network: the probability that a block is part of the page's own text. Trained by `training/`, run with NumPy.

The first layer uses the features of the block itself. Each further layer adds its neighbours, the elements around it, the
blocks that look like it, and the page as a whole.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from headwater.extract.html.classifier.features import BlockTable

Array = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]
BlockClassifier = Callable[[BlockTable], Array]

_MODEL = "model.npz"
RANGES = 3
_ONE_THREAD = 250_000


@dataclass(frozen=True, slots=True)
class Layer:
    weights: Array
    bias: Array
    step: int


@dataclass(frozen=True, slots=True)
class BlockNetwork:
    low: Array
    high: Array
    weights: Array
    bias: Array
    style: Array
    layers: tuple[Layer, ...]
    leave: Array
    leave_bias: float

    def __call__(self, blocks: BlockTable) -> Array:
        """One probability per block: the mean over the styles in which the page is read."""
        count, features = blocks.matrix.shape
        slices = _slices(count, *self.weights.shape)
        x = slices.reshape(-1, features)[:count]
        np.maximum(blocks.matrix, self.low, out=x)
        np.minimum(x, self.high, out=x)
        entered = _product(slices, self.weights, count) + self.bias
        around = _Around(blocks, entered.shape[1])
        return _mean(
            [
                self._probabilities(np.maximum(entered + style * self.style, 0), around)
                for style in blocks.styles
            ]
        )

    def _probabilities(self, hidden: Array, around: "_Around") -> Array:
        for layer in self.layers:
            slices = around.of(hidden, layer.step)
            inner = slices.shape[2]
            page = (np.add.reduce(hidden, axis=0) / np.float32(len(hidden))) @ layer.weights[inner:]
            change = _product(slices, layer.weights[:inner], len(hidden))
            change += page + layer.bias
            hidden += np.maximum(change, 0, out=change)
        logits = np.einsum("ij,j->i", hidden, self.leave) + self.leave_bias
        return np.asarray(1 / (1 + np.exp(-logits)), np.float32)


def _mean(opinions: list[Array]) -> Array:
    mean: Array = np.mean(opinions, axis=0, dtype=np.float32) if len(opinions) > 1 else opinions[0]
    return mean


def _slices(count: int, inner: int, outer: int) -> Array:
    """Room for the rows of a matrix, in slices so small that the linear-algebra library starts no threads for their products.

    Threads that wait for such small work cost several times the CPU of the work.
    """
    height = max(1, _ONE_THREAD // (inner * outer))
    return np.zeros((-(-count // height), height, inner), np.float32)


def _product(slices: Array, right: Array, count: int) -> Array:
    """The product of the first rows in these slices."""
    joined: Array = np.matmul(slices, right).reshape(-1, right.shape[1])
    return joined[:count]


class _Around:
    """The inputs of a block from the other blocks; the indexes are computed once per page."""

    def __init__(self, blocks: BlockTable, width: int) -> None:
        alike, count = blocks.alike, len(blocks.words)
        self.first, self.last = blocks.first, blocks.last
        self.shares = (1 / (blocks.last - blocks.first)).astype(np.float32)[:, :, None]
        self.order, self.starts, self.group = alike.order, alike.starts, alike.number
        self.sizes = alike.sizes()[:, None].astype(np.float32)
        self.total = np.zeros((count + 1, width), np.float32)
        self.slices = _slices(count, width * (4 + RANGES), width)

    def of(self, hidden: Array, step: int) -> Array:
        width = hidden.shape[1]
        columns = self.slices.reshape(-1, 4 + RANGES, width)[: len(hidden)]
        columns[:, 0] = hidden
        columns[:step, 1] = 0
        columns[step:, 1] = hidden[:-step]
        columns[-step:, 2] = 0
        columns[:-step, 2] = hidden[step:]
        np.add.accumulate(hidden, axis=0, out=self.total[1:])
        # `take` needs a fifth of the time of an index in brackets.
        inside = self.total.take(self.last, axis=0) - self.total.take(self.first, axis=0)
        inside *= self.shares
        columns[:, 3 : 3 + RANGES] = inside.swapaxes(0, 1)
        alike = np.add.reduceat(hidden.take(self.order, axis=0), self.starts, axis=0) / self.sizes
        columns[:, 3 + RANGES] = alike.take(self.group, axis=0)
        return self.slices


@dataclass(frozen=True, slots=True)
class Ensemble:
    """Several networks, trained separately: their mean is wrong less often than any of them."""

    networks: tuple[BlockNetwork, ...]

    def __call__(self, blocks: BlockTable) -> Array:
        return _mean([network(blocks) for network in self.networks])


def load_ensemble(file: IO[bytes]) -> Ensemble:
    with np.load(file) as stored:
        arrays = {name: stored[name] for name in stored.files}
    members = sorted({name.split(".")[0] for name in arrays})
    return Ensemble(
        tuple(
            _network({name: arrays[f"{member}.{name}"] for name in _names(arrays, member)})
            for member in members
        )
    )


def _names(arrays: Mapping[str, npt.NDArray[Any]], member: str) -> list[str]:
    return [name.removeprefix(f"{member}.") for name in arrays if name.startswith(f"{member}.")]


def _network(stored: Mapping[str, npt.NDArray[Any]]) -> BlockNetwork:
    layers = tuple(
        Layer(_full(stored[f"layer{number}"]), _full(stored[f"layer{number}_bias"]), int(step))
        for number, step in enumerate(stored["steps"])
    )
    return BlockNetwork(
        _full(stored["low"]),
        _full(stored["high"]),
        _full(stored["enter"]),
        _full(stored["enter_bias"]),
        _full(stored["style"]),
        layers,
        _full(stored["leave"]),
        float(stored["leave_bias"]),
    )


def _full(stored: npt.NDArray[np.generic]) -> Array:
    return np.asarray(stored, np.float32)


@cache
def default_classifier() -> Ensemble:
    """The networks of this package."""
    with (files("headwater.extract.html.classifier") / _MODEL).open("rb") as file:
        return load_ensemble(file)
