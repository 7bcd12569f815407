"""Whether one document meets a query, decided in memory: for saved searches and rules, with the terms of the search index."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from headwater.model.document import Document
from headwater.search.analysis import analyse, fold_word, stem_language, tokens_of
from headwater.search.query import TITLE, Clause, SearchFilters, SearchQuery, is_language
from headwater.text.folding import fold_text
from headwater.text.urls import host_of

FIELD_GAP = 100
"""Positions between two fields, so that no phrase spans them."""

Positions = Mapping[str, Collection[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedDocument:
    """What a query is compared with. `keys` are the values of its filters as `field:value`; `body` and `title` map each term
    to its positions."""

    id: str
    keys: frozenset[str]
    language: str
    moment: datetime | None
    quality: float | None
    title: Positions = field(repr=False)
    body: Positions = field(repr=False)


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
        title=term_positions([document.title], document.language),
        body=term_positions([document.title, about, document.text], document.language),
    )


def document_keys(document: Document, *, source_name: str = "", stories: Iterable[str] = ()) -> Iterator[str]:
    """The keys of a document for every filter except language, date and quality."""
    yield filter_key("recipe", document.recipe)
    yield from (filter_key("source", value) for value in (document.source, source_name) if value)
    yield from (filter_key("source", site) for site in _sites(document.url))
    if document.publisher:
        yield filter_key("publisher", document.publisher)
    topic = document.attributes.get("topic")
    topics = [topic.get("code"), topic.get("name")] if isinstance(topic, Mapping) else [topic]
    yield from (filter_key("topic", str(value)) for value in topics if value)
    for place in document.attributes.get("geo_entities") or ():
        if isinstance(place, Mapping) and place.get("alpha2"):
            yield filter_key("country", str(place["alpha2"]))
    for subject in {*document.subjects, *(mention.subject for mention in document.mentions)}:
        yield filter_key("subject", subject)
    yield from (filter_key("story", story) for story in stories)


def _sites(url: str) -> Iterator[str]:
    """The host and the domains above it: `news.wire.example`, `wire.example`."""
    labels = host_of(url).split(".")
    yield from (".".join(labels[start:]) for start in range(len(labels) - 1))


def term_positions(texts: Sequence[str], language: str) -> Positions:
    positions: dict[str, list[int]] = defaultdict(list)
    place = 0
    for text in texts:
        for terms in analyse(text, language):
            for term in terms:
                positions[term].append(place)
            place += 1
        place += FIELD_GAP
    return positions


def clause_terms(clause: Clause, languages: Sequence[str]) -> tuple[frozenset[str], ...]:
    """For each place of the clause, the terms that may stand there in a text of these languages."""
    codes = dict.fromkeys(map(stem_language, languages)) or {"": None}
    sequences = [
        [token.terms for word in clause.words for token in tokens_of(word, code or "zxx")] for code in codes
    ]
    return tuple(
        frozenset(term for terms in alternatives for term in terms)
        for alternatives in zip(*sequences, strict=False)
    )


def matches(query: SearchQuery, document: SearchedDocument) -> bool:
    """Whether the document has a clause of every group and none that is excluded, and meets the filters."""
    return (
        meets_filters(query.filters, document)
        and not any(meets_filters(filters, document) for filters in query.excluded_filters)
        and all(any(has_clause(clause, document) for clause in group) for group in query.groups)
        and not any(has_clause(clause, document) for clause in query.excluded)
    )


def meets_filters(filters: SearchFilters, document: SearchedDocument) -> bool:
    for name in ("recipe", "source", "publisher", "topic", "country", "subject", "story"):
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
    positions = document.title if clause.field == TITLE else document.body
    return clause_occurs(clause, positions, document.language)


def clause_occurs(clause: Clause, positions: Positions, language: str) -> bool:
    """Whether the terms of the clause stand one after the other."""
    places = clause_terms(clause, [language])
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
