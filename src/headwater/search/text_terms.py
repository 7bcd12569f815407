"""The terms of a text, analysed once: for the search index, and for the saved searches that it is compared with."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain
from operator import contains

from headwater.search.analysis import analyse, stem_language

FIELD_GAP = 100
"""Positions between two fields, so that no phrase spans them."""
CHUNK = re.compile(r"[^\s!-/:-@\[-`{-~“”‘’«»„…–—。、，．！？：；「」（）]+")
"""What stands between characters that are surely no part of a term."""
USUAL_LENGTH = 40
"""Of a chunk; longer ones are text of a script without spaces, or not meant to be read. They are not remembered."""
MOST_CHUNKS = 50_000
"""Remembered for each language."""
MAX_FIELDS = (10_000, 20_000, 200_000)
"""Characters that are read of the title, of what is said about a document, and of its text."""
UNSTEMMED = "qaa"
"""A code of no language, so one without a stemmer."""

Positions = Mapping[str, Collection[int]]
TokenTerms = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class FieldTerms:
    """How often each term occurs in a field, and its number of words. `first_terms` has the first term of each chunk that is one
    word; `varied` says of the terms of words that have more than one, as those with accents, which were the first. With
    `is_unspaced`, a chunk has several words."""

    counts: Mapping[str, int]
    length: int
    first_terms: Mapping[str, str]
    varied: Mapping[str, Collection[str]]
    is_unspaced: bool


@dataclass(frozen=True)
class TextTerms:
    """`texts` are the fields of a record, the title first. Each part is computed when it is first needed."""

    texts: tuple[str, ...] = field(repr=False)
    language: str = ""

    @cached_property
    def code(self) -> str:
        """The language by which its words are stemmed."""
        return stem_language(self.language)

    @cached_property
    def chunks(self) -> Sequence[Sequence[str]]:
        return [chunks_of(text[:limit]) for text, limit in zip(self.texts, MAX_FIELDS, strict=False)]

    @cached_property
    def fields(self) -> Sequence[FieldTerms]:
        return [field_terms(chunks, self.code) for chunks in self.chunks]

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How often each term occurs in all fields."""
        *others, longest = self.fields
        counts = dict(longest.counts)
        for part in others:
            for term, count in part.counts.items():
                counts[term] = counts.get(term, 0) + count
        return counts

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(self.counts)

    @property
    def title_terms(self) -> Collection[str]:
        return self.fields[0].counts.keys()

    @cached_property
    def sequences(self) -> Sequence[Sequence[str | None]] | None:
        """The first term of each word, by field; None if a field has no spaces between its words. A chunk without a word is
        left out."""
        if any(part.is_unspaced for part in self.fields):
            return None
        return [
            [term for term in sequence if term] if None in sequence else sequence
            for chunks, part in zip(self.chunks, self.fields, strict=True)
            for sequence in [list(map(part.first_terms.get, chunks))]
        ]

    @cached_property
    def title(self) -> Positions:
        return chunk_positions(self.chunks[:1], self.code)

    @cached_property
    def body(self) -> Positions:
        return chunk_positions(self.chunks, self.code)

    @cached_property
    def sorted_terms(self) -> Sequence[str]:
        return sorted(self.counts)

    def has_beginning(self, beginning: str) -> bool:
        """Whether one of its terms begins like this."""
        place = bisect_left(self.sorted_terms, beginning)
        return place < len(self.sorted_terms) and self.sorted_terms[place].startswith(beginning)

    def has_sequence(self, places: Sequence[frozenset[str]]) -> bool | None:
        """Whether a term of each place stands after one of the place before; None if only positions can tell."""
        if self.sequences is None:
            return None
        return any(
            _has_sequence(sequence, part, places)
            for sequence, part in zip(self.sequences, self.fields, strict=True)
        )


def _has_sequence(sequence: Sequence[str | None], part: FieldTerms, places: Sequence[frozenset[str]]) -> bool:
    """Looks at the places of the rarest term."""
    counts = [sum(part.counts.get(term, 0) for term in place) for place in places]
    rarest = counts.index(min(counts))
    if not counts[rarest]:
        return False
    first_terms = [_first_terms(place, part.varied) for place in places]
    for term in first_terms[rarest]:
        start = 0
        while term in part.counts:
            try:
                start = sequence.index(term, start) + 1
            except ValueError:
                break
            first = start - 1 - rarest
            words = sequence[first : first + len(places)] if first >= 0 else ()
            if len(words) == len(places) and all(map(contains, first_terms, words)):
                return True
    return False


def _first_terms(place: frozenset[str], varied: Mapping[str, Collection[str]]) -> frozenset[str]:
    return place.union(*(varied[term] for term in place if term in varied)) if varied else place


def field_terms(chunks: Sequence[str], code: str) -> FieldTerms:
    """Each distinct chunk is looked up once."""
    terms_of = chunk_terms(code)
    counts: dict[str, int] = {}
    first_terms: dict[str, str] = {}
    varied: dict[str, set[str]] = {}
    length, is_unspaced = 0, False
    for chunk, count in Counter(chunks).items():
        tokens = terms_of[chunk]
        length += count * len(tokens)
        if len(tokens) == 1:
            first_terms[chunk] = tokens[0][0]
        elif tokens:
            is_unspaced = True
        for terms in tokens:
            for term in terms:
                counts[term] = counts.get(term, 0) + count
            if len(terms) > 1:
                for term in terms:
                    varied.setdefault(term, set()).add(terms[0])
    return FieldTerms(counts, length, first_terms, varied, is_unspaced)


def term_positions(texts: Sequence[str], language: str) -> Positions:
    return chunk_positions([chunks_of(text) for text in texts], stem_language(language))


def chunks_of(text: str) -> list[str]:
    return CHUNK.findall(text.lower())


def chunk_positions(texts: Iterable[Sequence[str]], code: str) -> Positions:
    positions: dict[str, list[int]] = defaultdict(list)
    start = 0
    for chunks in texts:
        place = start - 1
        tokens = chain.from_iterable(map(chunk_terms(code).__getitem__, chunks))
        for place, terms in enumerate(tokens, start):
            for term in terms:
                positions[term].append(place)
        start = place + 1 + FIELD_GAP
    return positions


class ChunkTerms(dict[str, TokenTerms]):
    """The terms of the chunks of one language: a chunk is mostly one word, and mostly one that was seen before."""

    def __init__(self, code: str) -> None:
        super().__init__()
        self.code = code

    def __missing__(self, chunk: str) -> TokenTerms:
        terms = tuple(analyse(chunk, self.code or UNSTEMMED))
        if len(chunk) <= USUAL_LENGTH:
            if len(self) >= MOST_CHUNKS:
                self.clear()
            self[chunk] = terms
        return terms


chunk_terms = cache(ChunkTerms)
