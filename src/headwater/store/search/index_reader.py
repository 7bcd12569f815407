"""Reads the search index: segments and their codes once per process, pages of postings for each query."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from sqlalchemy import Connection, Engine, select

from headwater.search.entry_terms import term_hash
from headwater.search.postings import (
    COLUMNS,
    MAX_DOCUMENTS,
    PAGE_POSTINGS,
    Columns,
    Counts,
    Directory,
    Positions,
    PostingArrays,
    join_entries,
    page_key,
    page_postings,
    segment_parts,
)
from headwater.search.scoring import SegmentPostings
from headwater.search.vector_codes import Codes
from headwater.store.in_list import in_list
from headwater.store.schema.search import (
    IS_WAITING,
    search_codes,
    search_entries,
    search_pages,
    search_segments,
)
from headwater.store.search.segments import ENTRY_FIELDS, entry_columns

COMMON_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Segment:
    """An immutable part of the index; one of waiting entries has their postings instead of a directory, and the id 0."""

    id: int
    columns: Columns
    languages: Sequence[str]
    recipes: Sequence[str]
    language_counts: Sequence[int]
    directory: Directory | None = None
    arrays: PostingArrays | None = None


@dataclass(slots=True)
class _ProcessCache:
    """What a process has read: segments by id, size and length, codes by segment and model. Segments do not change; codes are
    replaced when vectors are added."""

    segments: dict[tuple[int, int, int], Segment] = field(default_factory=dict)
    codes: dict[tuple[int, str], tuple[int, Codes]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)


_CACHES: WeakKeyDictionary[Engine, _ProcessCache] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class IndexReader:
    """The index as one transaction sees it."""

    connection: Connection
    segments: tuple[Segment, ...]
    documents: int
    length: int

    @property
    def languages(self) -> list[str]:
        return list(dict.fromkeys(name for segment in self.segments for name in segment.languages))

    @property
    def common_languages(self) -> list[str]:
        """Without those of a few documents, which may be detected wrongly."""
        counts: Counter[str] = Counter()
        for segment in self.segments:
            counts.update(dict(zip(segment.languages, segment.language_counts, strict=True)))
        return [name for name, count in counts.items() if count >= COMMON_SHARE * self.documents]

    def estimate(self, terms: Iterable[int]) -> int:
        """At least how many documents have one of the terms, without reading their postings."""
        listed = list(terms)
        counts = np.zeros(len(listed), dtype=np.int64)
        for segment in self.segments:
            if segment.directory is not None:
                starts, ends = segment.directory.page_bounds(listed)
                counts += np.maximum(ends - starts - 2, 0) * PAGE_POSTINGS
        return int(counts.max(initial=0))

    def first_affordable(self, terms: Sequence[int], pages: int) -> int:
        """How many of the terms, from the first on, can be read with so many pages; at least one."""
        costs = np.zeros(len(terms), dtype=np.int64)
        for segment in self.segments:
            if segment.directory is None:
                continue
            starts, ends = segment.directory.page_bounds(terms)
            # A page that an earlier term needs, too, is read once.
            _, firsts = np.unique(starts, return_index=True)
            costs += np.maximum(ends - starts - 1, 0)
            np.add.at(costs, firsts, 1)
        return max(1, int(np.searchsorted(np.cumsum(costs), pages, side="right")))

    def occurring(self, terms: Iterable[int]) -> set[int]:
        """Those of the terms that a document has."""
        return {term for segment in self.read(terms) for term in segment.postings}

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many documents each term occurs."""
        hashes = {term: term_hash(term) for term in terms}
        segments = self.read(hashes.values())
        return {
            term: sum(len(segment.postings[value][0]) for segment in segments if value in segment.postings)
            for term, value in hashes.items()
        }

    def read(self, terms: Iterable[int]) -> list[SegmentPostings]:
        """Every segment with its postings of these terms."""
        hashes = list(terms)
        pages = {
            (segment.id, term): numbers
            for segment in self.segments
            if segment.directory is not None
            for term, numbers in zip(hashes, segment.directory.pages_of(hashes), strict=True)
        }
        keys = {page_key(segment, page) for (segment, _), numbers in pages.items() for page in numbers}
        stored = self._read_pages(keys)
        return [
            SegmentPostings(
                segment.columns,
                segment.languages,
                segment.recipes,
                segment.arrays.of(hashes)
                if segment.arrays is not None
                else {
                    term: postings
                    for term in hashes
                    if len((postings := _join(segment.id, term, pages[segment.id, term], stored))[0])
                },
            )
            for segment in self.segments
        ]

    def _read_pages(self, keys: set[int]) -> dict[int, bytes]:
        if not keys:
            return {}
        query = select(search_pages.c.id, search_pages.c.postings).where(
            in_list(search_pages.c.id, sorted(keys))
        )
        return {row.id: bytes(row.postings) for row in self.connection.execute(query)}

    def codes(self, model: str) -> dict[int, Codes]:
        """The codes of this model by segment."""
        cache = _cache_of(self.connection.engine)
        query = select(search_codes.c.segment_id, search_codes.c.size).where(search_codes.c.model == model)
        entries = {segment.id: len(segment.columns) for segment in self.segments}
        sizes = {
            row.segment_id: row.size for row in self.connection.execute(query) if row.segment_id in entries
        }
        with cache.lock:
            missing = [
                segment
                for segment, size in sizes.items()
                if cache.codes.get((segment, model), (0, None))[0] != size
            ]
            columns = (search_codes.c.segment_id, search_codes.c.size, search_codes.c.codes)
            for segment in missing:
                chosen = select(*columns).where(
                    search_codes.c.model == model, search_codes.c.segment_id == segment
                )
                row = self.connection.execute(chosen).one()
                codes = np.frombuffer(row.codes, dtype="<u8").reshape(-1, entries[segment])
                cache.codes[segment, model] = (row.size, codes)
            return {segment: cache.codes[segment, model][1] for segment in sizes}


def open_index(connection: Connection) -> IndexReader:
    cache = _cache_of(connection.engine)
    query = select(search_segments.c.id, search_segments.c.size, search_segments.c.length)
    rows = connection.execute(query.order_by(search_segments.c.id)).all()
    with cache.lock:
        current = {(row.id, row.size, row.length) for row in rows}
        for key in set(cache.segments) - current:  # also one that a restored database has under the same id
            del cache.segments[key]
            for code_key in [code_key for code_key in cache.codes if code_key[0] == key[0]]:
                del cache.codes[code_key]
        for key in current - set(cache.segments):
            cache.segments[key] = _read_segment(connection, key[0])
        segments = [cache.segments[row.id, row.size, row.length] for row in rows]
    waiting = _read_waiting(connection)
    return IndexReader(
        connection,
        (*segments, *waiting),
        sum(row.size for row in rows) + sum(len(segment.columns) for segment in waiting),
        sum(row.length for row in rows)
        + sum(int(segment.columns["length"].sum(dtype=np.int64)) for segment in waiting),
    )


def _cache_of(engine: Engine) -> _ProcessCache:
    return _CACHES.setdefault(engine, _ProcessCache())


def _read_segment(connection: Connection, segment: int) -> Segment:
    row = connection.execute(select(search_segments).where(search_segments.c.id == segment)).one()
    columns = np.frombuffer(row.entries, dtype=COLUMNS)
    directory = Directory.from_bytes(bytes(row.directory))
    return Segment(
        row.id,
        columns,
        row.names["languages"],
        row.names["recipes"],
        _count_languages(columns, row.names["languages"]),
        directory,
    )


def _count_languages(columns: Columns, languages: Sequence[str]) -> list[int]:
    return [int(count) for count in np.bincount(columns["language"], minlength=len(languages))]


def _read_waiting(connection: Connection) -> list[Segment]:
    columns = (search_entries.c[name] for name in ("id", *ENTRY_FIELDS, "postings"))
    query = select(*columns).where(IS_WAITING).order_by(search_entries.c.id)
    rows = connection.execute(query).all()
    segments = []
    for part in segment_parts(len(rows), MAX_DOCUMENTS):
        entries, names = entry_columns(rows[part])
        arrays = join_entries([bytes(row.postings or b"") for row in rows[part]])
        segments.append(
            Segment(
                0,
                entries,
                names["languages"],
                names["recipes"],
                _count_languages(entries, names["languages"]),
                None,
                arrays,
            )
        )
    return segments


def _join(segment: int, term: int, pages: range, stored: dict[int, bytes]) -> tuple[Positions, Counts]:
    parts = [page_postings(stored[page_key(segment, page)], term) for page in pages]
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.zeros(0, dtype=np.uint16), np.zeros(0, dtype=np.uint8)
    return np.concatenate([p for p, _ in parts]), np.concatenate([c for _, c in parts])
