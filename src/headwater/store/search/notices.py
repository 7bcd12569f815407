"""What a search says beside its results: that a filter names what no document has."""

from collections.abc import Iterator

from sqlalchemy import select

from headwater.model.suggestion import suggest
from headwater.search.entry_terms import key_hash
from headwater.search.matching import filter_key
from headwater.search.query import SearchFilters, SearchQuery, is_language
from headwater.store.schema.flow import sources
from headwater.store.search.candidates import source_ids, story_numbers
from headwater.store.search.index_reader import IndexReader

INDEXED_FIELDS = ("source", "publisher", "topic", "country", "subject")
"""Filters whose values are terms of the index."""


def search_notices(index: IndexReader, query: SearchQuery) -> tuple[str, ...]:
    """Those of the query itself, and one for each value of a filter that is unknown here: it may be misspelt, and what it
    should have excluded is among the results."""
    if not index.documents:  # before the first run nothing can be known
        return query.notices
    conditions = (query.filters, *query.excluded_filters)
    unknown = (notice for filters in conditions for notice in _unknown_values(index, filters))
    return tuple(dict.fromkeys((*query.notices, *unknown)))


def _unknown_values(index: IndexReader, filters: SearchFilters) -> Iterator[str]:
    values = [(name, value) for name in INDEXED_FIELDS for value in getattr(filters, name)]
    hashes = {pair: key_hash(filter_key(*pair)) for pair in values}
    occurring = index.occurring(hashes.values()) if hashes else set()
    for (name, value), value_hash in hashes.items():
        if value_hash in occurring:
            continue
        if name != "source":
            yield f"no document has the {name} '{value}'"
        elif not source_ids(index.connection, [value]):
            yield f"there is no source named '{value}'{_suggested_source(index, value)}"
    recipes = {name for segment in index.segments for name in segment.recipes}
    yield from (f"no document has the recipe '{value}'" for value in filters.recipe if value not in recipes)
    for code in filters.language:
        if not any(is_language(code, language) for language in index.languages):
            yield f"no document has the language '{code}'"
    for story in filters.story:
        if not len(story_numbers(index.connection, [story])):
            yield f"no document is in a story '{story}'"


def _suggested_source(index: IndexReader, value: str) -> str:
    return suggest(value, index.connection.scalars(select(sources.c.name)))
