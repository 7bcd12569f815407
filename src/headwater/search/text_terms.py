"""The terms of a text, analysed once: for the search index, and for the saved searches that it is compared with."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, KeysView, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain

from headwater.search.analysis import analyse, stem_language

FIELD_GAP = 100
"""Positions between two fields, so that no phrase spans them."""
CHUNK = re.compile(r"[^\s!-/:-@\[-`{-~“”‘’«»„…–—。、，．！？：；「」（）]+")
"""What stands between characters that are surely no part of a term."""
ASCII_GAPS = "".join(chr(code) if CHUNK.match(chr(code)) else " " for code in range(128))
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
    `is_unspaced`, a chunk has several words; with `has_wordless`, one has none."""

    counts: Mapping[str, int]
    length: int
    first_terms: Mapping[str, str]
    varied: Mapping[str, Collection[str]]
    is_unspaced: bool
    has_wordless: bool


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
    def counts(self) -> dict[str, int]:
        """How often each term occurs in all fields."""
        *others, longest = self.fields
        counts = dict(longest.counts)
        for part in others:
            for term, count in part.counts.items():
                counts[term] = counts.get(term, 0) + count
        return counts

    @property
    def terms(self) -> KeysView[str]:
        return self.counts.keys()

    @property
    def title_terms(self) -> Collection[str]:
        return self.fields[0].counts.keys()

    @cached_property
    def sequences(self) -> dict[int, Sequence[str | None]]:
        """By the number of a field, the first term of each of its words in order: of the fields for which it was needed."""
        return {}

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
        """Whether in one field a term of each place stands after one of the place before; None if only positions can tell."""
        for number, part in enumerate(self.fields):
            terms = part.counts.keys()
            if any(map(terms.isdisjoint, places)):
                continue
            if part.is_unspaced:
                return None
            if sequence_contains(self.sequence_of(number), part, places):
                return True
        return False

    def sequence_of(self, number: int) -> Sequence[str | None]:
        if number not in self.sequences:
            part = self.fields[number]
            sequence = list(map(part.first_terms.get, self.chunks[number]))
            self.sequences[number] = [*filter(None, sequence)] if part.has_wordless else sequence
        return self.sequences[number]


def sequence_contains(
    sequence: Sequence[str | None], part: FieldTerms, places: Sequence[frozenset[str]]
) -> bool:
    """Only around the words of the place that is rarest in the field: each of them is one pass over the sequence."""
    if not all(map(part.varied.keys().isdisjoint, places)):
        places = [place.union(*(part.varied.get(term, ()) for term in place)) for place in places]
    frequency = part.counts.get
    anchor = min(range(len(places)), key=lambda number: sum(frequency(term, 0) for term in places[number]))
    for term in places[anchor]:
        position = -1
        for _ in range(frequency(term, 0)):
            try:
                position = sequence.index(term, position + 1)
            except ValueError:  # it is a form of a word whose first term is another
                break
            start = position - anchor
            words = sequence[start : start + len(places)] if start >= 0 else ()
            if len(words) == len(places) and all(
                word in place for word, place in zip(words, places, strict=True)
            ):
                return True
    return False


def field_terms(chunks: Sequence[str], code: str) -> FieldTerms:
    """Each distinct chunk is looked up once; most are a word with one term."""
    terms_of = chunk_terms(code)
    single_term = terms_of.single_terms.get
    counts: dict[str, int] = {}
    first_terms: dict[str, str] = {}
    varied: dict[str, set[str]] = {}
    length, is_unspaced, has_wordless = 0, False, False
    for chunk, count in Counter(chunks).items():
        if (term := single_term(chunk)) is not None:
            length += count
            first_terms[chunk] = term
            counts[term] = counts.get(term, 0) + count
            continue
        tokens = terms_of[chunk]
        length += count * len(tokens)
        if len(tokens) == 1:
            first_terms[chunk] = tokens[0][0]
        elif tokens:
            is_unspaced = True
        else:
            has_wordless = True
        for terms in tokens:
            for term in terms:
                counts[term] = counts.get(term, 0) + count
            if len(terms) > 1:
                for term in terms:
                    varied.setdefault(term, set()).add(terms[0])
    return FieldTerms(counts, length, first_terms, varied, is_unspaced, has_wordless)


def term_positions(texts: Sequence[str], language: str) -> Positions:
    return chunk_positions([chunks_of(text) for text in texts], stem_language(language))


def chunks_of(text: str) -> list[str]:
    """For ASCII, spaces between the chunks give the same ones in a fraction of the time."""
    lower = text.lower()
    return lower.translate(ASCII_GAPS).split() if lower.isascii() else CHUNK.findall(lower)


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
        self.single_terms: dict[str, str] = {}
        """Of the chunks that are one word with one term."""

    def __missing__(self, chunk: str) -> TokenTerms:
        terms = tuple(analyse(chunk, self.code or UNSTEMMED))
        if len(chunk) <= USUAL_LENGTH:
            if len(self) >= MOST_CHUNKS:
                self.clear()
                self.single_terms.clear()
            self[chunk] = terms
            if len(terms) == 1 and len(terms[0]) == 1:
                self.single_terms[chunk] = terms[0][0]
        return terms


chunk_terms = cache(ChunkTerms)
