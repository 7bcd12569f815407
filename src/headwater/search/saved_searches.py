"""All saved searches together: which of them a document or a story meets, and what a rule makes of a document."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from headwater.model.document import Document
from headwater.model.errors import Refused
from headwater.model.outcomes import Drop, SetAside
from headwater.model.recipe import Outcome, StepContext
from headwater.model.saved_search import SavedSearch, SearchAction, SearchState
from headwater.search.matching import SearchedDocument, matches, searched_document
from headwater.search.query import (
    MAX_CLAUSES,
    NO_FILTERS,
    VALUE_FIELDS,
    SearchFilters,
    SearchQuery,
    check_quality,
    parse_query,
)
from headwater.search.query_index import QueryIndex

TAGS = "tags"
"""The attribute of a document with the names of the searches that tagged it."""
RULES_STEP = "saved_searches"
FILTER_NAMES = (*VALUE_FIELDS, "quality")
LATER = timedelta(days=400)
NEVER = SearchQuery(groups=((),))
"""It needs one of no alternatives."""
# Drop before quarantine before tag.
_ORDER = (SearchAction.DROP, SearchAction.QUARANTINE, SearchAction.TAG)


def search_filters(filters: Mapping[str, Any], recipe: str | None = None) -> SearchFilters:
    """The filters of a saved search, which are stored as lists of values by field; `quality` is a number. Refused if they
    are anything else: leaving one out would match documents that the operator excluded."""
    if unknown := [name for name in filters if name not in FILTER_NAMES]:
        raise Refused(
            "bad_filter", f"there is no filter '{unknown[0][:100]}'; there are: {', '.join(FILTER_NAMES)}"
        )
    values: dict[str, Any] = {
        name: _filter_values(name, filters[name]) for name in VALUE_FIELDS if filters.get(name) is not None
    }
    if recipe:
        values["recipe"] = (recipe,)
    if filters.get("quality") is not None:
        values["quality"] = check_quality(filters["quality"])
    return replace(NO_FILTERS, **values)


def _filter_values(name: str, values: Any) -> tuple[str, ...]:
    is_list = isinstance(values, list | tuple)
    if not is_list or not all(isinstance(value, str) and value.strip() for value in values):
        raise Refused("bad_filter", f'{name}: give a list of texts, for example ["value"]')
    return tuple(values)


def parse_saved(search: SavedSearch, now: datetime) -> SearchQuery:
    """The query as it is at this time: `since:24h` moves with it. The recipe and the filters of the search hold beside those
    that its text names."""
    query = parse_query(search.query, now)
    filters = search_filters(search.filters, search.recipe)
    return replace(query, filters=query.filters.joined(filters))


def _parse_or_never(search: SavedSearch, now: datetime) -> SearchQuery:
    """A query that this version cannot read, though an earlier one saved it, matches nothing: documents must be stored all
    the same."""
    try:
        return parse_saved(search, now)
    except Refused:
        return NEVER


def check_query(search: SavedSearch, now: datetime) -> SearchQuery:
    """Refuses a query without a condition that a document could meet, and one whose last words would not be read."""
    query = parse_saved(search, now)
    if len(query.groups) >= MAX_CLAUSES:
        raise Refused("bad_query", f"a saved search has fewer than {MAX_CLAUSES} words and phrases")
    if not query.groups and not replace(query.filters, recipe=()):
        raise Refused(
            "bad_query",
            "this search would match every document; give it a word, a phrase or a filter such as publisher:NAME",
        )
    return query


@dataclass(frozen=True)
class SavedSearchSet:
    """The saved searches as of one version of their table. Paused ones match nothing."""

    searches: tuple[SavedSearch, ...] = ()
    version: int = 0
    read_at: datetime | None = None
    """Dates such as `yesterday` are read anew for each document; all others as of this time."""
    _parts: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def active(self) -> tuple[SavedSearch, ...]:
        return tuple(search for search in self.searches if search.state is SearchState.ACTIVE)

    @cached_property
    def by_name(self) -> Mapping[str, SavedSearch]:
        return {search.name: search for search in self.searches}

    @cached_property
    def _queries(self) -> tuple[list[SearchQuery], frozenset[int]]:
        """The queries, and the positions of those that depend on the time. These are indexed without their dates."""
        assert self.read_at is not None
        queries, moving = [], set()
        for position, search in enumerate(self.active):
            query = _parse_or_never(search, self.read_at)
            if ":" in search.query and query != _parse_or_never(search, self.read_at + LATER):
                moving.add(position)
                undated = replace(query.filters, since=None, until=None)
                query = replace(query, filters=undated, excluded_filters=())
            queries.append(query)
        return queries, frozenset(moving)

    @cached_property
    def _index(self) -> QueryIndex:
        return QueryIndex(self._queries[0])

    def matching(
        self, document: SearchedDocument, now: datetime, *, record_kind: str = "document"
    ) -> list[SavedSearch]:
        """The active searches that the document (or story) meets, in their order."""
        if not self.active:
            return []
        moving = self._queries[1]
        return [
            self.active[position]
            for position in self._index.matching(document)
            if self.active[position].record_kind in ("all", record_kind)
            and (position not in moving or matches(_parse_or_never(self.active[position], now), document))
        ]

    def rules(self, recipe: str) -> "SavedSearchSet":
        """The active rules of a recipe, as a set of their own; made once."""
        if recipe not in self._parts:
            rules = tuple(search for search in self.active if search.is_rule and search.recipe == recipe)
            self._parts[recipe] = SavedSearchSet(rules, self.version, self.read_at)
        part: SavedSearchSet = self._parts[recipe]
        return part

    def needs_source_names(self) -> bool:
        return any("source" in search.filters or "source:" in search.query for search in self.active)


def rule_outcome(document: Document, rules: Collection[SavedSearch]) -> Outcome:
    """What becomes of a document that meets these rules; the reason names the search."""
    for action in _ORDER:
        names = [search.name for search in rules if search.action is action]
        if not names:
            continue
        reason = f"search:{names[0]}"
        if action is SearchAction.DROP:
            return Drop(reason, evidence={"searches": names})
        if action is SearchAction.QUARANTINE:
            return SetAside(reason, evidence={"searches": names})
        tags = sorted({*map(str, document.attributes.get(TAGS) or ()), *names})
        return document.with_changes(attributes={**document.attributes, TAGS: tags}).with_notes(tags=names)
    return document


@dataclass(frozen=True)
class ApplyRules:
    """The last step of every recipe that has rules: drops, quarantines or tags the documents that meet one."""

    rules: SavedSearchSet
    source_names: Mapping[str, str]
    name: str = RULES_STEP
    version: str = "1"

    def __call__(self, batch: Sequence[Document], context: StepContext) -> Sequence[Outcome]:
        return [self.decide(document, context.now) for document in batch]

    def decide(self, document: Document, now: datetime) -> Outcome:
        searched = searched_document(
            document, source_name=self.source_names.get(document.source, ""), arrived=now
        )
        return rule_outcome(document, self.rules.matching(searched, now))
