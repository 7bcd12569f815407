"""The terms of one document as they enter the search index."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np
from xxhash import xxh3_64_intdigest

from headwater.search.text_terms import WORD_MARK, TextTerms

INDEX_VERSION = 2
"""Raise it with every change of the terms of a text (folding, stemming, cutting into words): workers then index the documents of
older segments again. Entries have no version: what waits for a segment during an upgrade counts as written by the new one."""
TITLE_WEIGHT = 2
MAX_COUNT = 255
KEY_MARK, TITLE_MARK = "\x1f", "\x1e"
"""They begin what no text contains: the value of a filter, and a term of the title."""


def term_hash(term: str) -> int:
    return xxh3_64_intdigest(term.encode("utf-8", "surrogatepass"))


def key_hash(key: str) -> int:
    """The hash of a filter's value, such as `source:wire`."""
    return term_hash(KEY_MARK + key)


def title_hash(term: str) -> int:
    return term_hash(TITLE_MARK + term)


@dataclass(frozen=True, slots=True)
class EntryTerms:
    """The terms of one document. `words` are for prefixes and misspellings; `postings` has the sorted hashes of all terms
    and keys, and how often each occurs."""

    words: tuple[str, ...]
    postings: bytes
    length: int


def entry_terms(text: TextTerms, keys: Iterable[str]) -> EntryTerms:
    """A term of the title counts twice."""
    title = text.fields[0]
    counts = dict(text.counts)
    for term, count in title.counts.items():
        counts[term] += (TITLE_WEIGHT - 1) * count
    words = text.sorted_terms
    marks = [*map(TITLE_MARK.__add__, title.counts), *map(KEY_MARK.__add__, set(keys))]
    hashes = chain(_term_hashes(words), map(term_hash, marks))
    postings = _pack_postings(hashes, [*map(counts.__getitem__, words), *repeat(1, len(marks))])
    length = (TITLE_WEIGHT - 1) * title.length + sum(part.length for part in text.fields)
    return EntryTerms(tuple(words), postings, length)


def _term_hashes(terms: Sequence[str]) -> Iterable[int]:
    """`term_hash` of each: encoded together, it costs no more to compute than to look up."""
    encoded = WORD_MARK.join(terms).encode("utf-8", "surrogatepass")
    return map(xxh3_64_intdigest, encoded.split(WORD_MARK.encode())) if terms else ()


def _pack_postings(hashes: Iterable[int], counts: Sequence[int]) -> bytes:
    """The hashes in order as 64-bit integers, least byte first, then a byte for each count."""
    numbers = np.fromiter(hashes, "<u8", len(counts))
    order = numbers.argsort()
    if max(counts, default=0) > MAX_COUNT:
        counts = [min(count, MAX_COUNT) for count in counts]
    return numbers[order].tobytes() + np.frombuffer(bytes(counts), np.uint8)[order].tobytes()
