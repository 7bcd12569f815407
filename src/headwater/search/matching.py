"""Whether one document meets a query, decided in memory: for saved searches and rules, with the terms of the search index."""

from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Self

from headwater.model.document import Document
from headwater.model.story import Story
from headwater.search.analysis import fold_word, stem_language, tokens_of
from headwater.search.query import KEY_FIELDS, TITLE, Clause, SearchFilters, SearchQuery, is_language
from headwater.search.text_terms import UNSTEMMED, Positions, TextTerms
from headwater.text.folding import fold_text
from headwater.text.urls import host_of


@dataclass(frozen=True, kw_only=True)
class SearchedDocument:
    """What a query is compared with: a document, or a story. `keys` are the values of its filters as `field:value`; `text` has
    its terms, which are computed when a query needs them."""

    id: str
    keys: frozenset[str]
    language: str
    moment: datetime | None
    quality: float | None
    text: TextTerms

    @property
    def terms(self) -> KeysView[str]:
        return self.text.terms

    def with_source(self, name: str) -> Self:
        """The same with the name of its source, by which a search may filter."""
        return replace(self, keys=self.keys | {filter_key("source", name)})


@lru_cache(maxsize=20_000)
def filter_key(name: str, value: str) -> str:
    """A value of a filter as it is compared: without regard to case, accents and signs."""
    return f"{name}:{fold_text(value) or value.lower()}"


def document_text(document: Document) -> TextTerms:
    """What is searched of a document: its title, what is said about it, and its text."""
    about = " ".join([document.description, *map(str, document.keywords)])
    return TextTerms((document.title, about, document.text), document.language)


def searched_document(
    document: Document,
    *,
    source_name: str = "",
    stories: Iterable[str] = (),
    arrived: datetime | None = None,
) -> SearchedDocument:
    """A document as queries see it; `arrived` dates one without a publication date."""
    return SearchedDocument(
        id=document.id,
        keys=frozenset(document_keys(document, source_name=source_name, stories=stories)),
        language=document.language,
        moment=document.published or arrived,
        quality=document.quality,
        text=document_text(document),
    )


def searched_story(story: Story) -> SearchedDocument:
    """A story as queries see it: its title and its summary, dated by its last document. It has a language if all its documents
    are in one."""
    languages = [str(language) for language in story.attributes.get("languages") or ()]
    language = languages[0] if len(languages) == 1 else ""
    return SearchedDocument(
        id=story.id,
        keys=frozenset(story_keys(story)),
        language=language,
        moment=story.last_at,
        quality=None,
        text=TextTerms((story.title, story.summary), language),
    )


def document_keys(document: Document, *, source_name: str = "", stories: Iterable[str] = ()) -> Iterator[str]:
    """The keys of a document for every filter except language, date and quality."""
    yield filter_key("recipe", document.recipe)
    yield from (filter_key("source", value) for value in (document.source, source_name) if value)
    yield from _site_keys(document.url)
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


@lru_cache(maxsize=512)
def _site_keys(url: str) -> tuple[str, ...]:
    """Of the host and the domains above it: `news.wire.example`, `wire.example`. Cached, because the search index and the saved
    searches ask for those of each document."""
    labels = host_of(url).split(".")
    return tuple(filter_key("source", ".".join(labels[start:])) for start in range(len(labels) - 1))


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
    return has_places(clause, clause_places(clause, document.text.code), document)


def has_places(clause: Clause, places: Sequence[frozenset[str]], document: SearchedDocument) -> bool:
    """Whether the document has a clause with these places (`clause_places` in the document's language)."""
    terms = document.terms
    # Positions are computed only for a document that has all terms.
    if not places or any(map(terms.isdisjoint, places[:-1])):
        return False
    if terms.isdisjoint(places[-1]) and not (
        clause.prefix and document.text.has_beginning(_beginning(clause.words[-1]))
    ):
        return False
    is_word = len(places) == 1 and not clause.prefix
    if clause.field != TITLE:
        return len(places) == 1 or has_phrase(clause, places, document.text)
    if is_word:
        return not places[0].isdisjoint(document.text.title_terms)
    return clause_occurs(clause, document.text.title, document.text.code)


def has_phrase(clause: Clause, places: Sequence[frozenset[str]], text: TextTerms) -> bool:
    """The order of the words decides, except where there are no spaces between them."""
    has_sequence = None if clause.prefix else text.has_sequence(places)
    if has_sequence is not None:
        return has_sequence
    return clause_occurs(clause, text.body, text.code)


@lru_cache(maxsize=50_000)
def _beginning(word: str) -> str:
    return fold_word(word)


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
        here = _places_of(terms, positions, prefix=_beginning(clause.words[-1]) if is_open else "")
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
