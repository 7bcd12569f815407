"""A query in the words of one language, as the index of queries compares it: what terms can decide is decided by terms."""

from collections.abc import Iterator, KeysView, Sequence
from dataclasses import dataclass, replace

from headwater.search.analysis import fold_word
from headwater.search.matching import (
    SearchedDocument,
    clause_places,
    filter_key,
    has_phrase,
    has_places,
    passes_filters,
)
from headwater.search.query import KEY_FIELDS, TITLE, Clause, Group, SearchFilters, SearchQuery
from headwater.search.text_terms import word_run

LONGEST_BEGINNING = 4
"""A prefix is filed under its first letters, so that a document has few beginnings to look up."""

Alternatives = frozenset[str]
"""Keys of which a document needs one: terms, terms of the title, `field:value`, and beginnings of terms with a star."""
PlacedClause = tuple[Clause, tuple[Alternatives, ...]]
"""With what `clause_places` returns for the language: to look it up for each document would cost more than to compare it."""


@dataclass(frozen=True, slots=True)
class FiledPhrase:
    """A phrase; `run` is that of its words if each has one form, and empty otherwise."""

    clause: Clause
    places: tuple[Alternatives, ...]
    terms: Alternatives
    run: str

    def occurs(self, document: SearchedDocument) -> bool:
        answer = document.text.has_run(self.run, self.terms) if self.run else None
        return has_phrase(self.clause, self.places, document.text) if answer is None else answer


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledQuery:
    """A document meets the query that has all of `terms`, one of each of `word_groups`, for each of `beginnings` a term that
    begins so or one of the alternatives, each of `phrases`, none of `excluded_terms`, and one of each of `keys` and of `title_groups`; and for
    what these cannot decide, a clause of each of `clause_groups`, none of `excluded_clauses`, and with `is_filtered`
    the other filters; `needs_more` says that there is one of the conditions after `excluded_terms`. `parts` are those under which
    it can be filed."""

    position: int
    query: SearchQuery
    terms: frozenset[str]
    word_groups: tuple[Alternatives, ...]
    beginnings: tuple[tuple[str, Alternatives], ...]
    excluded_terms: frozenset[str]
    phrases: tuple[FiledPhrase, ...]
    needs_more: bool
    keys: tuple[Alternatives, ...]
    title_groups: tuple[Alternatives, ...]
    clause_groups: tuple[tuple[PlacedClause, ...], ...]
    excluded_clauses: tuple[PlacedClause, ...]
    is_filtered: bool
    parts: tuple[Alternatives, ...]

    def accepts(self, document: SearchedDocument, terms: KeysView[str]) -> bool:
        """`terms` are those of the document."""
        if self.terms and not terms >= self.terms:
            return False
        if self.excluded_terms and not terms.isdisjoint(self.excluded_terms):
            return False
        for group in self.word_groups:
            if terms.isdisjoint(group):
                return False
        for beginning, alternatives in self.beginnings:
            if terms.isdisjoint(alternatives) and not document.text.has_beginning(beginning):
                return False
        for phrase in self.phrases:
            if not phrase.occurs(document):
                return False
        return not self.needs_more or self._accepts_more(document)

    def without(self, *words: Alternatives) -> "FiledQuery | None":
        """The query for a document that has one of the terms of each of these words; None if nothing else is needed."""
        single_terms = {term for word in words if len(word) == 1 for term in word}
        rest = replace(
            self,
            terms=self.terms - single_terms,
            word_groups=tuple(group for group in self.word_groups if group not in words),
        )
        conditions = (rest.terms, rest.word_groups, rest.beginnings, rest.phrases, rest.excluded_terms)
        return rest if rest.needs_more or any(conditions) else None

    def _accepts_more(self, document: SearchedDocument) -> bool:
        """What the terms of the whole text do not decide, the cheapest conditions first."""
        return (
            not any(group.isdisjoint(document.keys) for group in self.keys)
            and not any(group.isdisjoint(document.text.title_terms) for group in self.title_groups)
            and (not self.is_filtered or passes_filters(self.query, document))
            and all(
                any(has_places(clause, places, document) for clause, places in clauses)
                for clauses in self.clause_groups
            )
            and not any(has_places(clause, places, document) for clause, places in self.excluded_clauses)
        )


def file_query(position: int, query: SearchQuery, code: str) -> FiledQuery:
    terms: set[str] = set()
    word_groups: list[Alternatives] = []
    beginnings: list[tuple[str, Alternatives]] = []
    title_groups: list[Alternatives] = []
    phrases: list[FiledPhrase] = []
    clause_groups: list[tuple[PlacedClause, ...]] = []
    for group in query.groups:
        clauses = _placed(group, code)
        first, places = clauses[0] if len(clauses) == 1 else (None, ())
        # Every word of a phrase that has one form is a term that the text needs.
        needed = places[:-1] if first is not None and first.prefix else places
        terms.update(term for place in needed if len(place) == 1 for term in place)
        if all(_is_decided(clause) for clause in clauses):
            alternatives = frozenset(term for _, (place,) in clauses for term in place)
            word_groups += [alternatives] if first is None or len(alternatives) > 1 else []
        elif first is not None and len(places) == 1 and first.field != TITLE:
            beginnings.append((fold_word(first.words[-1]), places[0]))
        elif first is not None and len(places) == 1 and not first.prefix:
            title_groups.append(places[0])
        elif first is not None and places and first.field != TITLE and not first.prefix:
            phrases.append(_file_phrase(first, places))
        else:
            clause_groups.append(clauses)
    excluded, filters = _placed(query.excluded, code), query.filters
    excluded_clauses = tuple(clause for clause in excluded if not _is_decided(clause))
    keys = tuple(_filter_alternatives(filters))
    has_other_filters = filters.language or filters.since or filters.until or filters.quality is not None
    is_filtered = bool(has_other_filters or query.excluded_filters)
    return FiledQuery(
        position=position,
        query=query,
        terms=frozenset(terms),
        word_groups=tuple(word_groups),
        beginnings=tuple(beginnings),
        excluded_terms=frozenset(term for clause in excluded if _is_decided(clause) for term in clause[1][0]),
        phrases=tuple(phrases),
        needs_more=bool(keys or title_groups or is_filtered or clause_groups or excluded_clauses),
        keys=keys,
        title_groups=tuple(title_groups),
        clause_groups=tuple(clause_groups),
        excluded_clauses=excluded_clauses,
        is_filtered=is_filtered,
        parts=(*keys, *(part for group in query.groups for part in _group_parts(group, code))),
    )


def _file_phrase(clause: Clause, places: tuple[Alternatives, ...]) -> FiledPhrase:
    terms = frozenset(term for place in places for term in place)
    is_plain = all(len(place) == 1 for place in places)
    return FiledPhrase(clause, places, terms, word_run(term for (term,) in places) if is_plain else "")


def _placed(clauses: Group, code: str) -> tuple[PlacedClause, ...]:
    return tuple((clause, clause_places(clause, code)) for clause in clauses)


def _is_decided(placed: PlacedClause) -> bool:
    """Whether it occurs can be seen from the terms of a document: it has one place, which may be anywhere."""
    clause, places = placed
    return len(places) == 1 and not clause.field and not clause.prefix


def _group_parts(group: Group, code: str) -> Sequence[Alternatives]:
    """The conditions of a group. Of several clauses a document has one, so it has a key of a place of one of them. A clause
    without terms occurs nowhere."""
    places_of_clauses = [_clause_parts(clause, code) for clause in group]
    if len(places_of_clauses) == 1 and places_of_clauses[0]:
        return places_of_clauses[0]
    longest = [max(places, key=lambda place: min(map(len, place))) for places in places_of_clauses if places]
    return [frozenset(key for place in longest for key in place)]


def _clause_parts(clause: Clause, code: str) -> list[Alternatives]:
    """For each place of the clause, the keys of which a text has one."""
    places = list(clause_places(clause, code))
    if clause.field == TITLE and not clause.prefix:
        return [frozenset(map(title_key, place)) for place in places]
    beginning = fold_word(clause.words[-1])[:LONGEST_BEGINNING] if clause.prefix else ""
    if places and beginning:
        places[-1] = places[-1] | {f"{beginning}*"}
    return places


def title_key(term: str) -> str:
    return f"{TITLE} {term}"


def _filter_alternatives(filters: SearchFilters) -> Iterator[Alternatives]:
    for name in KEY_FIELDS:
        if values := getattr(filters, name):
            yield frozenset(filter_key(name, value) for value in values)
