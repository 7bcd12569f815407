"""Whether one document meets a query, decided in memory: for saved searches and rules, with the terms of the search index."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property, lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any

from headwater.model.document import Document
from headwater.model.story import Story
from headwater.search.analysis import analyse, fold_word, stem_language, tokens_of
from headwater.search.query import KEY_FIELDS, TITLE, Clause, SearchFilters, SearchQuery, is_language
from headwater.text.folding import fold_text
from headwater.text.urls import host_of

FIELD_GAP = 100
"""Positions between two fields, so that no phrase spans them."""
CHUNK = re.compile(r"[^\s!-/:-@\[-`{-~“”‘’«»„…–—。、，．！？：；「」（）]+")
"""What stands between characters that are surely no part of a term."""
USUAL_LENGTH = 40
"""Of a chunk; longer ones are text of a script without spaces, or not meant to be read. They are not remembered."""
MOST_CHUNKS = 50_000
"""Remembered for each language."""
FIRST = itemgetter(0)
SEPARATOR = "\x00"
UNSTEMMED = "qaa"
"""A code of no language, so one without a stemmer."""

Positions = Mapping[str, Collection[int]]


@dataclass(frozen=True, kw_only=True)
class SearchedDocument:
    """What a query is compared with: a document, or a story. `keys` are the values of its filters as `field:value`. `texts` are
    its fields, the title first. They are analysed when a query needs it: `terms` for whether a term occurs, `title` and `body`
    for the positions of each term."""

    id: str
    keys: frozenset[str]
    language: str
    moment: datetime | None
    quality: float | None
    texts: tuple[str, ...] = field(repr=False)

    @cached_property
    def code(self) -> str:
        """The language by which its words are stemmed."""
        return stem_language(self.language)

    @cached_property
    def chunks(self) -> Sequence[Sequence[str]]:
        return [chunks_of(text) for text in self.texts]

    @cached_property
    def title(self) -> Positions:
        return chunk_positions(self.chunks[:1], self.code)

    @cached_property
    def body(self) -> Positions:
        return chunk_positions(self.chunks, self.code)

    @cached_property
    def terms(self) -> frozenset[str]:
        chunks = set(chain.from_iterable(self.chunks))
        tokens = chain.from_iterable(map(chunk_terms(self.code).__getitem__, chunks))
        return frozenset(chain.from_iterable(tokens))

    @cached_property
    def tokens(self) -> Sequence[Sequence[tuple[str, ...]]]:
        """The terms at each place, by field."""
        terms_of = chunk_terms(self.code).__getitem__
        return [list(chain.from_iterable(map(terms_of, chunks))) for chunks in self.chunks]

    @cached_property
    def lines(self) -> str:
        """The first term of each place, one field per line."""
        return "\n".join(f" {' '.join(map(FIRST, tokens))} " for tokens in self.tokens)

    @cached_property
    def varied_terms(self) -> frozenset[str]:
        """The terms of places with more than one: of words with accents."""
        return frozenset(
            [term for tokens in self.tokens for terms in tokens if len(terms) > 1 for term in terms]
        )

    @cached_property
    def term_list(self) -> str:
        """All terms, each after a sign that is in none: a substring search is faster than a loop."""
        return SEPARATOR + SEPARATOR.join(self.terms)

    def has_beginning(self, beginning: str) -> bool:
        """Whether one of its terms begins like this."""
        return SEPARATOR + beginning in self.term_list


@lru_cache(maxsize=20_000)
def filter_key(name: str, value: str) -> str:
    """A value of a filter as it is compared: without regard to case, accents and signs."""
    return f"{name}:{fold_text(value) or value.lower()}"


def searched_document(
    document: Document, *, source_name: str = "", stories: Iterable[str] = (), arrived: datetime | None = None
) -> SearchedDocument:
    """A document as queries see it; `arrived` dates one without a publication date."""
    about = " ".join([document.description, *map(str, document.keywords)])
    return SearchedDocument(
        id=document.id,
        keys=frozenset(document_keys(document, source_name=source_name, stories=stories)),
        language=document.language,
        moment=document.published or arrived,
        quality=document.quality,
        texts=(document.title, about, document.text),
    )


def searched_story(story: Story) -> SearchedDocument:
    """A story as queries see it: its title and its summary, dated by its last document. It has a language if all its documents
    are in one."""
    languages = [str(language) for language in story.attributes.get("languages") or ()]
    return SearchedDocument(
        id=story.id,
        keys=frozenset(story_keys(story)),
        language=languages[0] if len(languages) == 1 else "",
        moment=story.last_at,
        quality=None,
        texts=(story.title, story.summary),
    )


def document_keys(document: Document, *, source_name: str = "", stories: Iterable[str] = ()) -> Iterator[str]:
    """The keys of a document for every filter except language, date and quality."""
    yield filter_key("recipe", document.recipe)
    yield from (filter_key("source", value) for value in (document.source, source_name) if value)
    yield from (filter_key("source", site) for site in _sites(document.url))
    if document.publisher:
        yield filter_key("publisher", document.publisher)
    yield from attribute_keys(document.attributes)
    for subject in {*document.subjects, *(mention.subject for mention in document.mentions)}:
        yield filter_key("subject", subject)
    yield from (filter_key("story", story) for story in stories)


def story_keys(story: Story) -> Iterator[str]:
    yield filter_key("recipe", story.recipe)
    yield filter_key("story", story.id)
    yield from attribute_keys(story.attributes)
    yield from (filter_key("country", str(code)) for code in story.attributes.get("countries") or ())
    yield from (filter_key("source", str(site)) for site in story.attributes.get("top_domains") or ())


def attribute_keys(attributes: Mapping[str, Any]) -> Iterator[str]:
    """The keys of topic and countries."""
    topic = attributes.get("topic")
    topics = [topic.get("code"), topic.get("name")] if isinstance(topic, Mapping) else [topic]
    yield from (filter_key("topic", str(value)) for value in topics if value)
    for place in attributes.get("geo_entities") or ():
        if isinstance(place, Mapping) and place.get("alpha2"):
            yield filter_key("country", str(place["alpha2"]))


def _sites(url: str) -> Iterator[str]:
    """The host and the domains above it: `news.wire.example`, `wire.example`."""
    labels = host_of(url).split(".")
    yield from (".".join(labels[start:]) for start in range(len(labels) - 1))


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


class ChunkTerms(dict[str, tuple[tuple[str, ...], ...]]):
    """The terms of the chunks of one language: a chunk is mostly one word, and mostly one that was seen before."""

    def __init__(self, code: str) -> None:
        super().__init__()
        self.code = code

    def __missing__(self, chunk: str) -> tuple[tuple[str, ...], ...]:
        terms = tuple(analyse(chunk, self.code or UNSTEMMED))
        if len(chunk) <= USUAL_LENGTH:
            if len(self) >= MOST_CHUNKS:
                self.clear()
            self[chunk] = terms
        return terms


chunk_terms = cache(ChunkTerms)


def clause_terms(clause: Clause, languages: Sequence[str]) -> tuple[frozenset[str], ...]:
    """For each place of the clause, the terms that may stand there in a text of these languages."""
    codes = dict.fromkeys(map(stem_language, languages)) or {"": None}
    sequences = [
        [token.terms for word in clause.words for token in tokens_of(word, code or UNSTEMMED)]
        for code in codes
    ]
    return tuple(
        frozenset(term for terms in alternatives for term in terms)
        for alternatives in zip(*sequences, strict=False)
    )


def matches(query: SearchQuery, document: SearchedDocument) -> bool:
    """Whether the document has a clause of every group and none that is excluded, and meets the filters."""
    return (
        passes_filters(query, document)
        and all(any(has_clause(clause, document) for clause in group) for group in query.groups)
        and not any(has_clause(clause, document) for clause in query.excluded)
    )


def passes_filters(query: SearchQuery, document: SearchedDocument) -> bool:
    """Whether the document meets the filters, and none that is excluded."""
    return meets_filters(query.filters, document) and not any(
        meets_filters(filters, document) for filters in query.excluded_filters
    )


def meets_filters(filters: SearchFilters, document: SearchedDocument) -> bool:
    for name in KEY_FIELDS:
        values = getattr(filters, name)
        if values and not any(filter_key(name, value) in document.keys for value in values):
            return False
    if filters.language and not any(is_language(code, document.language) for code in filters.language):
        return False
    if (filters.since or filters.until) and document.moment is None:
        return False
    if document.moment is not None and (
        (filters.since and document.moment < filters.since)
        or (filters.until and document.moment >= filters.until)
    ):
        return False
    return filters.quality is None or (document.quality or 0.0) >= filters.quality


def has_clause(clause: Clause, document: SearchedDocument) -> bool:
    places = clause_places(clause, document.code)
    # Positions are computed only for a document that has all terms.
    if not places or any(terms.isdisjoint(document.terms) for terms in places[:-1]):
        return False
    if places[-1].isdisjoint(document.terms) and not (
        clause.prefix and document.has_beginning(fold_word(clause.words[-1]))
    ):
        return False
    is_word = len(places) == 1 and not clause.prefix
    if clause.field != TITLE:
        return len(places) == 1 or _has_phrase(clause, places, document)
    if is_word:
        return not places[0].isdisjoint(document.title)
    return clause_occurs(clause, document.title, document.code)


def _has_phrase(clause: Clause, places: Sequence[frozenset[str]], document: SearchedDocument) -> bool:
    """Where every place has one form, as nearly always, the phrase is a part of a line."""
    if not clause.prefix:
        forms = [terms & document.terms for terms in places]
        if all(len(form) == 1 and form.isdisjoint(document.varied_terms) for form in forms):
            return f" {' '.join(term for form in forms for term in form)} " in document.lines
    return clause_occurs(clause, document.body, document.code)


@lru_cache(maxsize=50_000)
def clause_places(clause: Clause, code: str) -> tuple[frozenset[str], ...]:
    """`clause_terms` for one language that words are stemmed by."""
    return clause_terms(clause, [code or UNSTEMMED])


def clause_occurs(clause: Clause, positions: Positions, code: str) -> bool:
    """Whether the terms of the clause stand one after the other."""
    places = clause_places(clause, code)
    if not places:
        return False
    starts: set[int] | None = None
    for offset, terms in enumerate(places):
        is_open = clause.prefix and offset == len(places) - 1
        here = _places_of(terms, positions, prefix=fold_word(clause.words[-1]) if is_open else "")
        shifted = {place - offset for place in here}
        starts = shifted if starts is None else starts & shifted
        if not starts:
            return False
    return True


def _places_of(terms: frozenset[str], positions: Positions, *, prefix: str) -> Iterator[int]:
    for term in terms:
        yield from positions.get(term, ())
    if prefix:
        for term, places in positions.items():
            if term.startswith(prefix):
                yield from places
