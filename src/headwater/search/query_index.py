"""Which of many queries a document meets, without checking each of them.

Every query is filed under the rarest thing that a document must have to meet it: one of its terms, the beginning of a term, or
a value of a filter. A document is compared only with the queries under what it has. The answer is the same as that of
`matches` for every query.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from headwater.search.analysis import fold_word, stem_language
from headwater.search.matching import SearchedDocument, clause_places, filter_key, matches
from headwater.search.query import KEY_FIELDS, Clause, SearchFilters, SearchQuery

BEGINNING_WEIGHT = 20
LONGEST_BEGINNING = 4
"""A prefix is filed under its first letters, so that a document has few beginnings to look up."""

Alternatives = frozenset[str]
"""Keys of which a document needs one: terms, `field:value`, and beginnings of terms with a star."""


@dataclass(frozen=True, slots=True)
class FiledQuery:
    """A query in the words of one language. A document without all of `terms`, without one of each of `groups` or of `keys`,
    or with one of `excluded` does not meet it. A document that passes meets it, if the query `is_plain`. `parts` are the
    conditions under which it can be filed."""

    position: int
    query: SearchQuery
    terms: frozenset[str]
    groups: tuple[Alternatives, ...]
    excluded: frozenset[str]
    keys: tuple[Alternatives, ...]
    is_plain: bool
    parts: tuple[Alternatives, ...]

    def accepts(self, document: SearchedDocument) -> bool:
        if not self.terms <= document.terms or not self.excluded.isdisjoint(document.terms):
            return False
        if any(alternatives.isdisjoint(document.terms) for alternatives in self.groups):
            return False
        if any(alternatives.isdisjoint(document.keys) for alternatives in self.keys):
            return False
        return self.is_plain or matches(self.query, document)


@dataclass(frozen=True, slots=True)
class LanguageIndex:
    """The queries as texts of one language are compared with them. `others` have no condition under which they could be
    filed: they are compared with every document."""

    by_key: Mapping[str, Sequence[FiledQuery]]
    keys: frozenset[str]
    beginnings: tuple[int, ...]
    others: tuple[FiledQuery, ...]

    def candidates(self, document: SearchedDocument) -> Iterator[FiledQuery]:
        yield from self.others
        for key in self.keys.intersection(document.terms):
            yield from self.by_key[key]
        for key in self.keys.intersection(document.keys):
            yield from self.by_key[key]
        for length in self.beginnings:
            for key in self.keys.intersection({f"{term[:length]}*" for term in document.terms}):
                yield from self.by_key[key]


@dataclass(frozen=True)
class QueryIndex:
    """The positions of queries are those of the sequence. The index of a language is built for its first document."""

    queries: Sequence[SearchQuery]
    _by_language: dict[str, LanguageIndex] = field(default_factory=dict, repr=False, compare=False)

    def matching(self, document: SearchedDocument) -> list[int]:
        """The positions of the queries that the document meets, in order."""
        if not self.queries:
            return []
        positions = {
            filed.position
            for filed in self._index(document.language).candidates(document)
            if filed.accepts(document)
        }
        return sorted(positions)

    def _index(self, language: str) -> LanguageIndex:
        code = stem_language(language)
        if code not in self._by_language:
            self._by_language[code] = index_queries(self.queries, code)
        return self._by_language[code]


def index_queries(queries: Iterable[SearchQuery], code: str) -> LanguageIndex:
    filed_queries = [_file(position, query, code) for position, query in enumerate(queries)]
    frequencies = Counter(key for filed in filed_queries for part in filed.parts for key in part)
    by_key: dict[str, list[FiledQuery]] = defaultdict(list)
    others = []
    for filed in filed_queries:
        if not filed.parts:
            others.append(filed)
            continue
        for key in min(filed.parts, key=lambda part: _rarity(part, frequencies)):
            by_key[key].append(filed)
    beginnings = {len(key) - 1 for key in by_key if key.endswith("*")}
    return LanguageIndex(dict(by_key), frozenset(by_key), tuple(sorted(beginnings)), tuple(others))


def _rarity(part: Alternatives, frequencies: Mapping[str, int]) -> tuple[int, int, list[str]]:
    """Words that few queries have are rare in documents, too; among them, long words. Many words have the same beginning."""
    frequency = sum(frequencies[key] * (BEGINNING_WEIGHT if key.endswith("*") else 1) for key in part)
    return frequency, -min(map(len, part), default=0), sorted(part)


def _file(position: int, query: SearchQuery, code: str) -> FiledQuery:
    groups = [[_clause_parts(clause, code) for clause in group] for group in query.groups]
    keys = tuple(_filter_alternatives(query.filters))
    parts = [*keys]
    terms: set[str] = set()
    alternatives: list[Alternatives] = []
    for group in groups:
        if len(group) == 1 and group[0]:
            parts += group[0]
            terms.update(key for place in group[0] if len(place) == 1 for key in place)
        else:
            # A document has one of the clauses, so it has a key of a place of one of them. A clause without terms occurs nowhere.
            longest = [max(places, key=lambda place: min(map(len, place))) for places in group if places]
            parts.append(frozenset(key for place in longest for key in place))
        if all(len(places) <= 1 for places in group) and not any(_has_beginning(places) for places in group):
            alternatives.append(frozenset(key for places in group for place in places for key in place))
    excluded = [clause_places(clause, code) for clause in query.excluded if clause.is_word]
    return FiledQuery(
        position=position,
        query=query,
        terms=frozenset(terms),
        groups=tuple(group for group in alternatives if len(group) != 1),
        excluded=frozenset(term for places in excluded if len(places) == 1 for term in places[0]),
        keys=keys,
        is_plain=_is_plain(query, code),
        parts=tuple(parts),
    )


def _has_beginning(places: Sequence[Alternatives]) -> bool:
    return any(key.endswith("*") for place in places for key in place)


def _clause_parts(clause: Clause, code: str) -> list[Alternatives]:
    """For each place of the clause, the keys of which a text has one."""
    places = list(clause_places(clause, code))
    beginning = fold_word(clause.words[-1])[:LONGEST_BEGINNING] if clause.prefix else ""
    if places and beginning:
        places[-1] = places[-1] | {f"{beginning}*"}
    return places


def _filter_alternatives(filters: SearchFilters) -> Iterator[Alternatives]:
    for name in KEY_FIELDS:
        if values := getattr(filters, name):
            yield frozenset(filter_key(name, value) for value in values)


def _is_plain(query: SearchQuery, code: str) -> bool:
    """Whether terms and keys decide alone: words of one place, and filters that are compared as a whole."""
    filters = query.filters
    has_other_filters = bool(
        filters.language or filters.since or filters.until or filters.quality is not None
    )
    clauses = [*query.excluded, *(clause for group in query.groups for clause in group)]
    return (
        not has_other_filters
        and not query.excluded_filters
        and all(clause.is_word and len(clause_places(clause, code)) == 1 for clause in clauses)
    )
