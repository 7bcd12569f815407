"""The inverted index as arrays: which documents have a term, and how often. The same bytes on every database.

A *segment* is an immutable set of documents, at most 65,535, which are numbered by their positions in it. Its postings are
sorted by term and cut into pages of a fixed number of postings, so that a query reads only the pages of its terms. Terms are
64-bit hashes. A document that changes gets a new number in a later segment.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_DOCUMENTS = 65_535
PAGE_POSTINGS = 4_096

COLUMNS = np.dtype(
    [
        ("number", "<i8"),
        ("length", "<u4"),
        ("moment", "<i8"),
        ("quality", "<f4"),
        ("language", "<u2"),
        ("recipe", "<u2"),
    ]
)
"""What a segment knows of each document: number, length in words, moment in seconds, quality (-1: unknown), and the indexes
of its language and recipe in the names of the segment."""

Hashes = npt.NDArray[np.uint64]
Positions = npt.NDArray[np.uint16]
Counts = npt.NDArray[np.uint8]
Columns = npt.NDArray[np.void]
Array = npt.NDArray[Any]

NO_POSITIONS: Positions = np.zeros(0, dtype=np.uint16)
NO_COUNTS: Counts = np.zeros(0, dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class PostingArrays:
    """All postings of some documents. In a segment they are sorted by hash, then position."""

    hashes: Hashes
    positions: Positions
    counts: Counts

    def of(self, hashes: Iterable[int]) -> dict[int, tuple[Positions, Counts]]:
        """The postings of some terms, of arrays in any order."""
        wanted_terms = np.fromiter(hashes, dtype=np.uint64)
        where = np.flatnonzero(np.isin(self.hashes, wanted_terms))
        terms = self.hashes[where]
        return {
            int(term): (self.positions[mine], self.counts[mine])
            for term in np.unique(terms)
            if len(mine := where[terms == term])
        }


def join_entries(entries: Sequence[bytes]) -> PostingArrays:
    """The postings of documents that are in no segment yet, in the order of the documents."""
    sizes = [len(entry) // 9 for entry in entries]
    hashes = [np.frombuffer(entry, "<u8", size) for entry, size in zip(entries, sizes, strict=True)]
    counts = [
        np.frombuffer(entry, np.uint8, size, 8 * size) for entry, size in zip(entries, sizes, strict=True)
    ]
    positions = np.repeat(np.arange(len(entries), dtype=np.uint16), sizes)
    return PostingArrays(
        np.concatenate(hashes) if hashes else np.zeros(0, dtype=np.uint64),
        positions,
        np.concatenate(counts) if counts else NO_COUNTS,
    )


def sort_postings(arrays: PostingArrays) -> PostingArrays:
    order = np.lexsort((arrays.positions, arrays.hashes))
    return PostingArrays(arrays.hashes[order], arrays.positions[order], arrays.counts[order])


def merge_postings(parts: Sequence[tuple[PostingArrays, npt.NDArray[np.bool_]]]) -> PostingArrays:
    """The postings of several segments as one; each part says which of its documents are still there."""
    hashes, positions, counts, first = [], [], [], 0
    for arrays, live in parts:
        places = (np.cumsum(live) - 1 + first).astype(np.int64)
        remaining = live[arrays.positions]
        hashes.append(arrays.hashes[remaining])
        positions.append(places[arrays.positions[remaining]].astype(np.uint16))
        counts.append(arrays.counts[remaining])
        first += int(live.sum())
    return sort_postings(
        PostingArrays(np.concatenate(hashes), np.concatenate(positions), np.concatenate(counts))
    )


@dataclass(frozen=True, slots=True)
class Directory:
    """The first and the last term of each page."""

    first: Hashes
    last: Hashes

    def pages_of(self, terms: Sequence[int]) -> list[range]:
        """Of each term, the pages that may have it."""
        starts, ends = self.page_bounds(terms)
        return list(map(range, starts.tolist(), ends.tolist()))

    def page_bounds(self, terms: Sequence[int]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Of each term, the first page that may have it and the one after the last."""
        values = np.array(terms, dtype=np.uint64)
        return np.searchsorted(self.last, values, "left"), np.searchsorted(self.first, values, "right")

    def to_bytes(self) -> bytes:
        return self.first.astype("<u8").tobytes() + self.last.astype("<u8").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Directory":
        values = np.frombuffer(data, dtype="<u8")
        return cls(values[: len(values) // 2], values[len(values) // 2 :])


def write_pages(arrays: PostingArrays) -> tuple[Directory, list[bytes]]:
    """The pages of sorted postings, with their directory."""
    starts = range(0, len(arrays.hashes), PAGE_POSTINGS)
    first = arrays.hashes[np.array(starts, dtype=np.int64)] if starts else arrays.hashes
    last = (
        arrays.hashes[[min(start + PAGE_POSTINGS, len(arrays.hashes)) - 1 for start in starts]]
        if starts
        else first
    )
    return Directory(first, last), [_page(arrays, slice(start, start + PAGE_POSTINGS)) for start in starts]


def _page(arrays: PostingArrays, part: slice) -> bytes:
    terms, sizes = np.unique(arrays.hashes[part], return_counts=True)
    return b"".join(
        (
            np.array([len(terms)], dtype="<u4").tobytes(),
            terms.astype("<u8").tobytes(),
            sizes.astype("<u2").tobytes(),
            arrays.positions[part].astype("<u2").tobytes(),
            arrays.counts[part].tobytes(),
        )
    )


def read_page(data: bytes) -> tuple[Hashes, npt.NDArray[np.uint16], Positions, Counts]:
    """The distinct terms of a page, how many postings each has, and the postings."""
    size = int(np.frombuffer(data, "<u4", 1)[0])
    terms = np.frombuffer(data, "<u8", size, 4)
    sizes = np.frombuffer(data, "<u2", size, 4 + 8 * size)
    start = 4 + 10 * size
    postings = (len(data) - start) // 3
    positions = np.frombuffer(data, "<u2", postings, start)
    return terms, sizes, positions, np.frombuffer(data, np.uint8, postings, start + 2 * postings)


def page_key(segment: int, page: int) -> int:
    """The id of a page: those of a segment follow each other."""
    return (segment << 20) | page


def page_postings(data: bytes, term: int) -> tuple[Positions, Counts]:
    """The postings of a term in one page."""
    terms, sizes, positions, counts = read_page(data)
    index = int(np.searchsorted(terms, np.uint64(term)))
    if index == len(terms) or int(terms[index]) != term:
        return NO_POSITIONS, NO_COUNTS
    start = int(sizes[:index].sum(dtype=np.int64))
    part = slice(start, start + int(sizes[index]))
    return positions[part], counts[part]


def read_all_pages(pages: Iterable[bytes]) -> PostingArrays:
    parts = [read_page(page) for page in pages]
    if not parts:
        return PostingArrays(np.zeros(0, dtype=np.uint64), NO_POSITIONS, NO_COUNTS)
    return PostingArrays(
        np.concatenate([np.repeat(terms, sizes) for terms, sizes, _, _ in parts]),
        np.concatenate([positions for _, _, positions, _ in parts]),
        np.concatenate([counts for _, _, _, counts in parts]),
    )


def name_indexes(names: Sequence[str]) -> tuple[list[str], Array]:
    """The distinct names, and the index of each among them."""
    distinct = list(dict.fromkeys(names))
    index = {name: place for place, name in enumerate(distinct)}
    return distinct, np.array([index[name] for name in names], dtype=np.uint16)


def segment_parts(count: int, size: int) -> Iterator[slice]:
    """Slices of at most `size`."""
    yield from (slice(start, min(start + size, count)) for start in range(0, count, size))
