"""The alignment of two token sequences: shared runs, and the gaps between them.

Runs of shared 3-grams are found wherever they moved, so that reordered paragraphs still match. A gap is a short stretch
between two runs that follow each other in both documents: there one text replaced a part of the other.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from headwater.documents.dedupe.minhash import SHINGLE, shingle_hashes
from headwater.documents.dedupe.tokens import Flags, Hashes

GAP_LIMIT = 8

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Gap:
    """Half-open token ranges, one in each document; at most one is empty."""

    earlier: Span
    later: Span


@dataclass(frozen=True, slots=True)
class Alignment:
    earlier: Flags
    later: Flags
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, slots=True)
class _Run:
    earlier: int
    later: int
    length: int


def align(earlier: Hashes, later: Hashes) -> Alignment:
    size = min(SHINGLE, len(earlier), len(later))
    if not size:
        return Alignment(np.zeros(len(earlier), dtype=bool), np.zeros(len(later), dtype=bool), ())
    earlier_grams, later_grams = shingle_hashes(earlier, size), shingle_hashes(later, size)
    first = _first_positions(earlier_grams, later_grams)
    is_shared = first >= 0
    shared = np.sort(later_grams[is_shared])
    runs = _runs(_continue_runs(earlier_grams, later_grams, first), size)
    return Alignment(
        earlier=_covered(_is_among(earlier_grams, shared), len(earlier), size),
        later=_covered(is_shared, len(later), size),
        gaps=tuple(_gaps(runs, len(earlier), len(later))),
    )


def _first_positions(haystack: Hashes, needles: Hashes) -> NDArray[np.int64]:
    """The first position of every needle in the haystack, or -1. Needles in order are found in a third of the time."""
    order, order_of_needles = np.argsort(haystack), np.argsort(needles)
    ordered, needles_in_order = haystack[order], needles[order_of_needles]
    places = np.minimum(np.searchsorted(ordered, needles_in_order), len(ordered) - 1)
    is_found = ordered[places] == needles_in_order
    positions = np.full(len(needles), -1)
    if is_found.any():
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        order[starts] = np.minimum.reduceat(order, starts)
        positions[order_of_needles[is_found]] = order[places[is_found]]
    return positions


def _is_among(values: Hashes, ordered: Hashes) -> Flags:
    """Which values are among others, which are sorted: mostly few."""
    if not len(ordered):
        return np.zeros(len(values), dtype=bool)
    places = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    among: Flags = ordered[places] == values
    return among


def _continue_runs(old: Hashes, new: Hashes, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Match a repeated gram at the place where the run before it continues, if it does."""
    breaks = np.flatnonzero((places[1:] >= 0) & (places[:-1] >= 0) & (places[1:] != places[:-1] + 1)) + 1
    for start in breaks.tolist():
        position, place = start, int(places[start - 1]) + 1
        while (
            position < len(new)
            and place < len(old)
            and places[position] != place
            and new[position] == old[place]
        ):
            places[position] = place
            position, place = position + 1, place + 1
    return places


def _runs(places: NDArray[np.int64], size: int) -> list[_Run]:
    hits = np.flatnonzero(places >= 0)
    if not len(hits):
        return []
    places = places[hits]
    cuts = np.flatnonzero((np.diff(hits) != 1) | (np.diff(places) != 1)) + 1
    bounds = np.concatenate(([0], cuts, [len(hits)]))
    firsts, lengths = bounds[:-1], np.diff(bounds) + size - 1
    rows = zip(places[firsts].tolist(), hits[firsts].tolist(), lengths.tolist(), strict=True)
    return [_Run(*row) for row in rows]


def _covered(hits: Flags, length: int, size: int) -> Flags:
    covered = np.zeros(length, dtype=bool)
    for offset in range(size):
        covered[offset : offset + len(hits)] |= hits
    return covered


def _gaps(runs: list[_Run], old_length: int, new_length: int) -> list[Gap]:
    bounds = [_Run(0, 0, 0), *runs, _Run(old_length, new_length, 0)]
    gaps = []
    for before, after in pairwise(bounds):
        earlier_end, later_end = before.earlier + before.length, before.later + before.length
        earlier_size, later_size = after.earlier - earlier_end, after.later - later_end
        if earlier_size < 0 or later_size < 0:  # a word repeated at the boundary belongs to both runs
            shift = min(earlier_size, later_size)
            if shift < -SHINGLE:
                continue
            earlier_end, later_end, earlier_size, later_size = (
                earlier_end + shift,
                later_end + shift,
                earlier_size - shift,
                later_size - shift,
            )
        if earlier_size + later_size > 0 and earlier_size <= GAP_LIMIT and later_size <= GAP_LIMIT:
            gaps.append(Gap((earlier_end, earlier_end + earlier_size), (later_end, later_end + later_size)))
    return gaps
