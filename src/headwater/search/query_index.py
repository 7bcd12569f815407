"""Which of many queries a document meets, without checking each of them.

Every query is filed under the rarest thing that a document must have to meet it: one of its terms, the beginning of a term, or
a value of a filter. A document is compared only with the queries under what it has. The answer is the same as that of
`matches` for every query.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass, field

from headwater.search.analysis import fold_word
from headwater.search.matching import SearchedDocument, clause_places, filter_key, has_places, passes_filters
from headwater.search.query import KEY_FIELDS, TITLE, Clause, SearchFilters, SearchQuery
from headwater.search.text_terms import TextTerms

BEGINNING_WEIGHT = 20
"""Many words have the same beginning, and looking one up costs more."""
FEW_BEGINNINGS = 20
LONGEST_BEGINNING = 4
"""A prefix is filed under its first letters, so that a document has few beginnings to look up."""

Alternatives = frozenset[str]
"""Keys of which a document needs one: terms, terms of the title, `field:value`, and beginnings of terms with a star."""
PlacedClause = tuple[Clause, tuple[Alternatives, ...]]
"""With what `clause_places` returns for the language: to look it up for each document would cost more than to compare it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledQuery:
    """A query in the words of one language. A document meets it that has all of `terms`, one of each of `word_groups` and of
    `keys`, and none of `excluded_terms`; and for what terms cannot decide, a clause of each of `clause_groups`, none of
    `excluded_clauses`, each with its places, and with `is_filtered` the other filters. `parts` are the conditions under which it
    can be filed."""

    position: int
    query: SearchQuery
    terms: frozenset[str]
    word_groups: tuple[Alternatives, ...]
    excluded_terms: frozenset[str]
    keys: tuple[Alternatives, ...]
    clause_groups: tuple[tuple[PlacedClause, ...], ...]
    excluded_clauses: tuple[PlacedClause, ...]
    is_filtered: bool
    parts: tuple[Alternatives, ...]

    def accepts(self, document: SearchedDocument, terms: KeysView[str]) -> bool:
        """`terms` are those of the document."""
        if not terms >= self.terms or not terms.isdisjoint(self.excluded_terms):
            return False
        for group in self.word_groups:
            if terms.isdisjoint(group):
                return False
        for key_group in self.keys:
            if key_group.isdisjoint(document.keys):
                return False
        if self.is_filtered and not passes_filters(self.query, document):
            return False
        for clauses in self.clause_groups:
            if not any(has_places(clause, places, document) for clause, places in clauses):
                return False
        return not any(has_places(clause, places, document) for clause, places in self.excluded_clauses)


@dataclass(frozen=True, slots=True)
class LanguageIndex:
    """The queries as texts of one language are compared with them. Each is filed with another term that it needs, or with an
    empty one: most documents that have the first lack the second. `others` have no condition under which they could be filed:
    they are compared with every document."""

    by_key: Mapping[str, Sequence[tuple[str, FiledQuery]]]
    keys: frozenset[str]
    beginnings: Mapping[int, frozenset[str]]
    others: tuple[FiledQuery, ...]

    def candidates(self, document: SearchedDocument) -> list[FiledQuery]:
        terms = document.terms
        keys = [
            *self.keys.intersection(terms),
            *self.keys.intersection(document.keys),
            *self.keys.intersection(map(_title_key, document.text.title_terms)),
            *(f"{beginning}*" for beginning in self._beginnings(document.text)),
        ]
        candidates = list(self.others)
        for key in keys:
            for second, filed in self.by_key[key]:
                if not second or second in terms:
                    candidates.append(filed)
        return candidates

    def _beginnings(self, text: TextTerms) -> Iterator[str]:
        """Those that a term of the text has."""
        terms: Collection[str] = text.terms
        for length, beginnings in self.beginnings.items():
            if len(beginnings) <= FEW_BEGINNINGS:
                yield from filter(text.has_beginning, beginnings)
            else:
                terms = {term[:length] for term in terms}  # longest first: ever fewer
                yield from beginnings.intersection(terms)


@dataclass
class KeySample:
    """In how many of the first documents the keys of queries occurred."""

    keys: frozenset[str]
    lengths: frozenset[int]
    count: int = 0
    frequencies: Counter[str] = field(default_factory=Counter)

    def add(self, document: SearchedDocument) -> None:
        self.count += 1
        beginnings = {f"{term[:length]}*" for length in self.lengths for term in document.terms}
        title_keys = map(_title_key, document.text.title_terms)
        for document_keys in (document.terms, document.keys, title_keys, beginnings):
            self.frequencies.update(self.keys.intersection(document_keys))


@dataclass(frozen=True)
class QueryIndex:
    """The positions of queries are those of the sequence. The index of a language is built for its first document, and once
    more after the first `sampled` documents, which show what is rare: that changes how fast it is, and nothing else."""

    queries: Sequence[SearchQuery]
    sampled: int = 200
    _filed: dict[str, Sequence[FiledQuery]] = field(default_factory=dict, repr=False, compare=False)
    _by_language: dict[str, LanguageIndex] = field(default_factory=dict, repr=False, compare=False)
    _samples: dict[str, KeySample] = field(default_factory=dict, repr=False, compare=False)

    def matching(self, document: SearchedDocument) -> list[int]:
        """The positions of the queries that the document meets, in order."""
        if not self.queries:
            return []
        candidates, terms = self.index_for(document).candidates(document), document.terms
        return sorted({filed.position for filed in candidates if filed.accepts(document, terms)})

    def index_for(self, document: SearchedDocument) -> LanguageIndex:
        code = document.text.code
        if code not in self._by_language:
            self._filed[code] = [_file(position, query, code) for position, query in enumerate(self.queries)]
            frequencies = Counter(key for filed in self._filed[code] for part in filed.parts for key in part)
            lengths = frozenset(len(key) - 1 for key in frequencies if key.endswith("*"))
            self._samples[code] = KeySample(frozenset(frequencies), lengths)
            self._by_language[code] = index_queries(self._filed[code], frequencies)
        if code in self._samples:
            sample = self._samples[code]
            sample.add(document)
            if sample.count >= self.sampled:
                self._by_language[code] = index_queries(self._filed.pop(code), sample.frequencies)
                del self._samples[code]
        return self._by_language[code]


def index_queries(filed_queries: Sequence[FiledQuery], frequencies: Mapping[str, int]) -> LanguageIndex:
    by_key: dict[str, list[tuple[str, FiledQuery]]] = defaultdict(list)
    others = []
    for filed in filed_queries:
        if not filed.parts:
            others.append(filed)
            continue
        best = min(filed.parts, key=lambda part: _rarity(part, frequencies))
        second = min(filed.terms - best, key=lambda term: _rarity(frozenset({term}), frequencies), default="")
        for key in best:
            by_key[key].append((second, filed))
    beginnings: dict[int, set[str]] = defaultdict(set)
    for key in by_key:
        if key.endswith("*"):
            beginnings[len(key) - 1].add(key[:-1])
    by_length = {length: frozenset(beginnings[length]) for length in sorted(beginnings, reverse=True)}
    return LanguageIndex(dict(by_key), frozenset(by_key), by_length, tuple(others))


def _rarity(part: Alternatives, frequencies: Mapping[str, int]) -> tuple[int, int, list[str]]:
    """What few queries have is rare in documents, too, as long as nothing better is known; among equals, long words."""
    frequency = sum(frequencies.get(key, 0) * (BEGINNING_WEIGHT if key.endswith("*") else 1) for key in part)
    return frequency, -min(map(len, part), default=0), sorted(part)


def _file(position: int, query: SearchQuery, code: str) -> FiledQuery:
    keys = tuple(_filter_alternatives(query.filters))
    parts = [*keys]
    terms: set[str] = set()
    word_groups: list[Alternatives] = []
    clause_groups: list[tuple[PlacedClause, ...]] = []
    for group in query.groups:
        places_of_clauses = [_clause_parts(clause, code) for clause in group]
        parts += _group_parts(
            [
                _in_title(places) if clause.field == TITLE and not clause.prefix else places
                for clause, places in zip(group, places_of_clauses, strict=True)
            ]
        )
        if len(group) == 1:
            terms.update(key for place in places_of_clauses[0] if len(place) == 1 for key in place)
        if not all(_is_decided(clause, code) for clause in group):
            clause_groups.append(tuple((clause, clause_places(clause, code)) for clause in group))
        elif len(group) != 1 or len(places_of_clauses[0][0]) > 1:
            word_groups.append(frozenset(key for (place,) in places_of_clauses for key in place))
    filters = query.filters
    has_other_filters = filters.language or filters.since or filters.until or filters.quality is not None
    return FiledQuery(
        position=position,
        query=query,
        terms=frozenset(terms),
        word_groups=tuple(word_groups),
        excluded_terms=frozenset(
            term
            for clause in query.excluded
            if _is_decided(clause, code)
            for term in clause_places(clause, code)[0]
        ),
        keys=keys,
        clause_groups=tuple(clause_groups),
        excluded_clauses=tuple(
            (clause, clause_places(clause, code))
            for clause in query.excluded
            if not _is_decided(clause, code)
        ),
        is_filtered=bool(has_other_filters or query.excluded_filters),
        parts=tuple(parts),
    )


def _is_decided(clause: Clause, code: str) -> bool:
    """Whether it occurs can be seen from the terms of a document: a word of one place."""
    return clause.is_word and len(clause_places(clause, code)) == 1


def _group_parts(places_of_clauses: Sequence[Sequence[Alternatives]]) -> Sequence[Alternatives]:
    """The conditions of a group. Of several clauses a document has one, so it has a key of a place of one of them. A clause
    without terms occurs nowhere."""
    if len(places_of_clauses) == 1 and places_of_clauses[0]:
        return places_of_clauses[0]
    longest = [max(places, key=lambda place: min(map(len, place))) for places in places_of_clauses if places]
    return [frozenset(key for place in longest for key in place)]


def _clause_parts(clause: Clause, code: str) -> list[Alternatives]:
    """For each place of the clause, the keys of which a text has one."""
    places = list(clause_places(clause, code))
    beginning = fold_word(clause.words[-1])[:LONGEST_BEGINNING] if clause.prefix else ""
    if places and beginning:
        places[-1] = places[-1] | {f"{beginning}*"}
    return places


def _in_title(places: Sequence[Alternatives]) -> list[Alternatives]:
    return [frozenset(map(_title_key, place)) for place in places]


def _title_key(term: str) -> str:
    return f"{TITLE} {term}"


def _filter_alternatives(filters: SearchFilters) -> Iterator[Alternatives]:
    for name in KEY_FIELDS:
        if values := getattr(filters, name):
            yield frozenset(filter_key(name, value) for value in values)
