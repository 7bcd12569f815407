"""Which of many queries a document meets, without checking each of them.

Every query is filed under the rarest thing that a document must have to meet it: one of its terms, the beginning of a term, or
a value of a filter. A document is compared only with the queries under what it has. The answer is the same as that of
`matches` for every query.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from headwater.search.filed_query import Alternatives, FiledQuery, file_query, title_key
from headwater.search.matching import SearchedDocument
from headwater.search.query import SearchQuery
from headwater.search.text_terms import TextTerms

BEGINNING_WEIGHT = 20
"""Many words have the same beginning, and looking one up costs more."""
FEW_BEGINNINGS = 20


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
            *self.keys.intersection(map(title_key, document.text.title_terms)),
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
        title_keys = map(title_key, document.text.title_terms)
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
            self._filed[code] = [
                file_query(position, query, code) for position, query in enumerate(self.queries)
            ]
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
