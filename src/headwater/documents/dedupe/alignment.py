"""Where two token sequences say the same, and what stands on both sides of a place where they do not.

Runs of shared 3-grams are found wherever they moved to, so that reordered paragraphs still match. A gap is a short
stretch between two runs that follow one another in both documents: there one text replaced what the other says.
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
    """Half-open token ranges, one in each document; at most one of them is empty."""

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
    old, new = shingle_hashes(earlier, size), shingle_hashes(later, size)
    places = _follow(old, new, _first_places(old, new))
    runs = _runs(places, size)
    return Alignment(
        earlier=_covered(_first_places(new, old) >= 0, len(earlier), size),
        later=_covered(places >= 0, len(later), size),
        gaps=tuple(_gaps(runs, len(earlier), len(later))),
    )


def _first_places(haystack: Hashes, needles: Hashes) -> NDArray[np.int64]:
    """For every needle its first position in the haystack, or -1."""
    order = np.argsort(haystack, kind="stable")
    ordered = haystack[order]
    found = np.minimum(np.searchsorted(ordered, needles), len(ordered) - 1)
    return np.where(ordered[found] == needles, order[found], -1)


def _follow(old: Hashes, new: Hashes, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """A gram that occurs several times is matched where the run before it goes on, if it goes on there."""
    broken = np.flatnonzero((places[1:] >= 0) & (places[:-1] >= 0) & (places[1:] != places[:-1] + 1)) + 1
    for start in broken.tolist():
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
    where = places[hits]
    cuts = np.flatnonzero((np.diff(hits) != 1) | (np.diff(where) != 1)) + 1
    bounds = np.concatenate(([0], cuts, [len(hits)]))
    firsts, lengths = bounds[:-1], np.diff(bounds) + size - 1
    rows = zip(where[firsts].tolist(), hits[firsts].tolist(), lengths.tolist(), strict=True)
    return [_Run(*row) for row in rows]


def _covered(hits: Flags, length: int, size: int) -> Flags:
    covered = np.zeros(length, dtype=bool)
    for offset in range(size):
        covered[offset : offset + len(hits)] |= hits
    return covered


def _gaps(runs: list[_Run], old_length: int, new_length: int) -> list[Gap]:
    fences = [_Run(0, 0, 0), *runs, _Run(old_length, new_length, 0)]
    found = []
    for before, after in pairwise(fences):
        left, right = before.earlier + before.length, before.later + before.length
        old, new = after.earlier - left, after.later - right
        if old < 0 or new < 0:  # a word repeated at the seam belongs to both runs
            shift = min(old, new)
            if shift < -SHINGLE:
                continue
            left, right, old, new = left + shift, right + shift, old - shift, new - shift
        if old + new > 0 and old <= GAP_LIMIT and new <= GAP_LIMIT:
            found.append(Gap((left, left + old), (right, right + new)))
    return found
