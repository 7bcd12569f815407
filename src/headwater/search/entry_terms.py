"""The terms of one document as they enter the search index. Without NumPy, because every worker writes them."""

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from xxhash import xxh3_64_intdigest

from headwater.search.analysis import count_terms

TITLE_WEIGHT = 2
MAX_COUNT = 255
# Characters that are indexed of each field.
MAX_TITLE, MAX_ABOUT, MAX_TEXT = 10_000, 20_000, 200_000
KEY_MARK, TITLE_MARK = "\x1f", "\x1e"
"""They begin what no text contains: the value of a filter, and a term of the title."""


@lru_cache(maxsize=200_000)
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


def entry_terms(*, title: str, about: str, text: str, language: str, keys: Iterable[str]) -> EntryTerms:
    """A term of the title counts twice."""
    in_title, title_length = count_terms(title[:MAX_TITLE], language)
    counts, length = count_terms(text[:MAX_TEXT], language)
    about_counts, about_length = count_terms(about[:MAX_ABOUT], language)
    counts.update(about_counts)
    for term, count in in_title.items():
        counts[term] += TITLE_WEIGHT * count
    hashes = {term_hash(term): min(count, MAX_COUNT) for term, count in counts.items()}
    hashes |= dict.fromkeys(map(title_hash, in_title), 1) | dict.fromkeys(map(key_hash, keys), 1)
    length += about_length + TITLE_WEIGHT * title_length
    return EntryTerms(tuple(sorted(counts)), _pack_entry(hashes), length)


def _pack_entry(hashes: Mapping[int, int]) -> bytes:
    """The hashes in order as 64-bit integers, least byte first, then a byte for each count."""
    ordered = sorted(hashes)
    return struct.pack(f"<{len(ordered)}Q", *ordered) + bytes(hashes[value] for value in ordered)
