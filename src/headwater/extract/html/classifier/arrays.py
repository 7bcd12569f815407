"""Small arrays made with few calls: for a page of two hundred blocks a call of NumPy costs more than what it computes."""

import struct
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from headwater.extract.html.flatten import MOST_BLOCKS

Array = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

_FURTHEST = MOST_BLOCKS + 2


def number_rows(*columns: list[int]) -> Numbers:
    """Lists of the same length as the rows of one array that cannot be changed; `struct` packs them in a third of the time of NumPy."""
    joined: list[int] = []
    for column in columns:
        joined += column
    return np.frombuffer(struct.pack(f"{len(joined)}q", *joined), np.int64).reshape(len(columns), -1)


@cache
def _logarithms() -> Array:
    return np.log1p(np.arange(_FURTHEST)).astype(np.float32)


@cache
def _signed_logarithms() -> Array:
    return np.concatenate([-_logarithms()[:0:-1], _logarithms()])


def log_counts(count: int) -> Array:
    """The logarithms of 1 + 0, 1 + 1, and so on: so many."""
    return _logarithms()[:count]


def logs_of(numbers: Numbers) -> Array:
    """The logarithms of 1 + each number, none of them larger than the number of blocks of a page."""
    return _logarithms().take(numbers)


def distances_from(place: int, count: int) -> Array:
    """How far each of so many blocks stands behind a place, as a logarithm with a sign."""
    start = _FURTHEST - 1 - place
    return _signed_logarithms()[start : start + count]


@dataclass(frozen=True, slots=True)
class Groups:
    """Which entries have the same key: the `number` of each entry's group; the entries in the `order` of their groups, and where
    in it each group `starts`."""

    number: Numbers
    order: Numbers
    starts: Numbers

    def sums(self, values: Array) -> npt.NDArray[Any]:
        """The sum of each group."""
        return np.bincount(self.number, values)

    def sizes(self) -> Numbers:
        return np.bincount(self.number)


def group_alike(keys: Numbers) -> Groups:
    """What `numpy.unique` finds out, without its checks."""
    order = keys.argsort(kind="stable")
    ordered = keys.take(order)
    is_new = np.empty(len(keys), bool)
    is_new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    number = np.empty(len(keys), np.int64)
    number[order] = np.add.accumulate(is_new, dtype=np.int64) - 1
    return Groups(number, order, np.flatnonzero(is_new))


def flag_rows(masks: Numbers) -> npt.NDArray[np.uint8]:
    """The bits of 64-bit masks as 64 rows, the lowest first."""
    octets = np.ascontiguousarray(masks.view(np.uint8).reshape(-1, 8).T)
    return np.unpackbits(octets, axis=0, bitorder="little")
