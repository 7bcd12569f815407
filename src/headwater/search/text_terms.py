"""The terms of a text, analysed once: for the search index, and for the saved searches that it is compared with."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, KeysView, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import chain, filterfalse, islice, pairwise, product
from math import prod
from typing import cast

from headwater.search.analysis import MAX_WORD_LENGTH, analyse, stem_language
from headwater.text.known_words import share_word
from headwater.text.typography import space_marks

FIELD_GAP = 100
"""Positions between two fields, so that no phrase spans them."""
CHUNK = re.compile(r"[^\s!-/:-@\[-`{-~“”‘’«»„…–—。、，．！？：；「」（）]+")
"""What stands between characters that are surely no part of a term."""
ASCII_GAPS = "".join(chr(code) if CHUNK.match(chr(code)) else " " for code in range(128))
BYTE_GAPS = ASCII_GAPS.encode() + bytes(range(128, 256))
"""The same for a text in UTF-8, whose other characters stay."""
EAST_ASIAN_GAPS = "。、，．！？：；「」（）"
LONG_CHUNK = re.compile(rf" [^ ]{{{MAX_WORD_LENGTH + 1}}}")
PLAIN_WORD = re.compile(r"[^ ]+")
USUAL_LENGTH = 40
"""Of a chunk; longer ones are text of a script without spaces, or not meant to be read. They are not remembered."""
MOST_CHUNKS = 50_000
"""Remembered for each language."""
MAX_FIELDS = (10_000, 20_000, 200_000)
"""Characters that are read of the title, of what is said about a document, and of its text."""
UNSTEMMED = "qaa"
"""A code of no language, so one without a stemmer."""
KEEPS_BEGINNINGS = frozenset(
    {
        "", "ca", "cs", "da", "de", "en", "es", "et", "eu", "fi", "fr", "gl", "hu", "it", "lt", "nn", "no", "pl", "pt",
        "ro", "ru", "sv",
    }
)  # fmt: skip
"""Languages whose stemmers leave the first letter of a word as it is; none is one, too."""
WORD_MARK = "\n"
"""Between words; no term contains it."""
MOST_PHRASES = 16
"""Of a phrase whose words may have several forms; those of a longer one are compared by their positions."""

Positions = Mapping[str, Collection[int]]
TokenTerms = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class FieldTerms:
    """How often each term occurs in a field, and its number of words. `varied` says of the terms of words that have more than one,
    as those with accents, which were the first. With `is_unspaced`, a chunk has several words."""

    counts: Mapping[str, int]
    length: int
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
    def run(self) -> str | None:
        """The sequences of all fields, with a further mark between them; None if a field has chunks of several words."""
        if any(part.is_unspaced for part in self.fields):
            return None
        return WORD_MARK.join(map(self.sequence_of, range(len(self.fields))))

    @cached_property
    def varied_terms(self) -> frozenset[str]:
        """The terms of words that have several."""
        return frozenset(chain.from_iterable(part.varied for part in self.fields))

    @cached_property
    def sequences(self) -> dict[int, str]:
        """By the number of a field, what `sequence_of` returned."""
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

    def has_run(self, run: str, terms: Collection[str]) -> bool | None:
        """Whether `word_run` of these terms is a part of a field; None if only `has_sequence` can tell."""
        if self.run is None:
            return None
        if run in self.run:
            return True
        return False if self.varied_terms.isdisjoint(terms) else None

    def has_sequence(self, places: Sequence[frozenset[str]]) -> bool | None:
        """Whether in one field a term of each place stands after one of the place before; None if only positions can tell."""
        for number, part in enumerate(self.fields):
            terms = part.counts.keys()
            if any(map(terms.isdisjoint, places)):
                continue
            forms = places
            if not all(map(part.varied.keys().isdisjoint, places)):
                forms = [place.union(*(part.varied.get(term, ()) for term in place)) for place in places]
            if part.is_unspaced or prod(map(len, forms)) > MOST_PHRASES:
                return None
            sequence = self.sequence_of(number)
            for phrase in product(*forms):
                if word_run(phrase) in sequence:
                    return True
        return False

    def has_spoken(self, places: Sequence[frozenset[str]]) -> bool | None:
        """The same for a text that is read for one phrase alone: only words with the first letters of the phrase are stemmed.
        None if all terms have to be known."""
        initials = [frozenset(term[:1] for term in place) for place in places]
        if (
            len(places) < 2
            or self.code not in KEEPS_BEGINNINGS
            or not all(letter.isascii() for part in initials for letter in part)
        ):
            return None
        terms_of = chunk_terms(self.code)
        answers = []
        for text, limit in zip(self.texts, MAX_FIELDS, strict=False):
            lower = text[:limit].lower()
            answers.append(
                has_plain_words(lower, terms_of, places, initials)
                if lower.isascii()
                else has_chunks(chunks_of(lower), terms_of, places, initials)
            )
        return True if True in answers else None if None in answers else False

    def sequence_of(self, number: int) -> str:
        """The first term of each word of a field with spaces in order, with a mark before and after each: a phrase is a part of
        it. Made only for a field that has all words of a phrase."""
        if number not in self.sequences:
            self.sequences[number] = word_run(words_in_order(self.chunks[number], self.code))
        return self.sequences[number]


def has_plain_words(
    lower: str, terms_of: "ChunkTerms", places: Sequence[frozenset[str]], initials: Sequence[frozenset[str]]
) -> bool | None:
    """`has_chunks` for an ASCII text: one search for the first letters of two words, instead of a look at each chunk."""
    spaced = f" {lower.translate(ASCII_GAPS)}"
    if LONG_CHUNK.search(spaced) or not spaced.replace(" ", "").isalnum():
        return has_chunks(spaced.split(), terms_of, places, initials)
    length = len(places)
    for match in _pair_pattern(initials[0], initials[1]).finditer(spaced):
        words = [word[0] for word in islice(PLAIN_WORD.finditer(spaced, match.start()), length)]
        if len(words) == length and all(
            not place.isdisjoint(terms_of[word][0]) for word, place in zip(words, places, strict=True)
        ):
            return True
    return False


@lru_cache(maxsize=1_000)
def _pair_pattern(first: frozenset[str], second: frozenset[str]) -> re.Pattern[str]:
    """A space, and after it a word with one of the first letters and one with one of the second."""
    letters = ["".join(map(re.escape, sorted(part))) for part in (first, second)]
    return re.compile(rf" (?=[{letters[0]}][^ ]* +[{letters[1]}])")


def has_chunks(
    chunks: Sequence[str],
    terms_of: "ChunkTerms",
    places: Sequence[frozenset[str]],
    initials: Sequence[frozenset[str]],
) -> bool | None:
    """Whether chunks with a term of each place follow each other. None if a chunk is not one word: several, or too long for one."""
    others = [
        chunk
        for chunk in chunks
        if not chunk.isascii() or not chunk.isalnum() or len(chunk) > MAX_WORD_LENGTH
    ]
    if not all(len(terms_of[chunk]) == 1 for chunk in others):
        return None
    # What begins with another letter than ASCII has may have lost its accent.
    beginnings = [letters.union(chunk[0] for chunk in others) for letters in initials]
    first, second, length = beginnings[0], beginnings[1], len(places)
    for start, (chunk, after) in enumerate(pairwise(chunks)):
        if chunk[0] in first and after[0] in second:
            words = chunks[start : start + length]
            if len(words) == length and all(
                not place.isdisjoint(terms_of[word][0]) for word, place in zip(words, places, strict=True)
            ):
                return True
    return False


def word_run(words: Iterable[str]) -> str:
    """Words in order, with a mark before and after each: a phrase of a text is a part of the run of its words."""
    return f"{WORD_MARK}{WORD_MARK.join(words)}{WORD_MARK}"


def field_terms(chunks: Sequence[str], code: str) -> FieldTerms:
    """Most chunks are a word with one term that was seen before: these are counted without a loop. Each of the others is looked up
    once, however often it occurs."""
    terms_of = chunk_terms(code)
    only_terms = terms_of.only_terms
    with_none = Counter(map(only_terms.get, chunks))
    others = Counter(filterfalse(only_terms.__contains__, chunks)) if with_none.pop(None, 0) else {}
    counts = cast("Counter[str]", with_none)
    varied: dict[str, set[str]] = {}
    length, is_unspaced = len(chunks), False
    for chunk, count in others.items():
        tokens = terms_of[chunk]
        length += (len(tokens) - 1) * count
        is_unspaced = is_unspaced or len(tokens) > 1
        for terms in tokens:
            for term in terms:
                counts[term] = counts.get(term, 0) + count
        if len(tokens) == 1 and len(tokens[0]) > 1:
            for term in tokens[0]:
                varied.setdefault(term, set()).add(tokens[0][0])
    return FieldTerms(counts, length, varied, is_unspaced)


def words_in_order(chunks: Sequence[str], code: str) -> Sequence[str]:
    """The first term of each chunk that is one word."""
    terms_of = chunk_terms(code)
    words = list(map(terms_of.only_terms.get, chunks))
    if None not in words:
        return cast("list[str]", words)
    return [tokens[0][0] for tokens in map(terms_of.__getitem__, chunks) if len(tokens) == 1]


def term_positions(texts: Sequence[str], language: str) -> Positions:
    return chunk_positions([chunks_of(text) for text in texts], stem_language(language))


def chunks_of(text: str) -> list[str]:
    """What `CHUNK` finds in the text in lower case: spaces between the chunks give the same ones in a fraction of the time."""
    if not text.isascii():
        spaced = space_marks(text)
        if not spaced.isascii():  # a small letter may depend on what stands beside it
            return _split_at_gaps(space_marks(text.lower()))
        text = spaced
    return text.lower().translate(ASCII_GAPS).split()


def _split_at_gaps(lower: str) -> list[str]:
    for gap in EAST_ASIAN_GAPS:
        lower = lower.replace(gap, " ")
    spaced = lower.encode("utf-8", "surrogatepass").translate(BYTE_GAPS)
    return spaced.decode("utf-8", "surrogatepass").split()


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
        self.only_terms: dict[str, str] = {}
        """Of the chunks that are one word with one term."""

    def __missing__(self, chunk: str) -> TokenTerms:
        terms = tuple(analyse(chunk, self.code or UNSTEMMED))
        if len(chunk) <= USUAL_LENGTH:
            if len(self) >= MOST_CHUNKS:
                self.clear()
                self.only_terms.clear()
            chunk = share_word(chunk)
            self[chunk] = terms
            if len(terms) == 1 and len(terms[0]) == 1:
                self.only_terms[chunk] = terms[0][0]
        return terms


chunk_terms = cache(ChunkTerms)
