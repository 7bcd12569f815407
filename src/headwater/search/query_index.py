"""Which of many queries a document meets, without checking each of them.

Every query is filed under the rarest thing that a document must have to meet it: one of its terms, the beginning of a term, or
a value of a filter. A document is compared only with the queries under what it has. The answer is the same as that of
`matches` for every query.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, product

from headwater.search.filed_query import Alternatives, FiledQuery, file_query, title_key
from headwater.search.matching import SearchedDocument
from headwater.search.query import SearchQuery
from headwater.search.text_terms import TextTerms

BEGINNING_WEIGHT = 20
"""Many words have the same beginning, and looking one up costs more."""
FEW_BEGINNINGS = 20
MOST_FORMS = 4
"""Of a second word; a query is filed once for each."""
NO_SECOND = frozenset({""})

Entry = tuple[str, int, FiledQuery | None]
"""Of a query: a second term that a document needs, its position, and its other conditions."""


@dataclass(frozen=True, slots=True)
class LanguageIndex:
    """The queries as texts of one language are compared with them. Each is filed with another term that it needs, or with an
    empty one: most documents that have the first lack the second. One whose second word has several forms is filed with each.
    Its conditions come without these two, and are None if there are no others. `others` have no condition under which they could
    be filed: they are compared with every document."""

    by_key: Mapping[str, Sequence[Entry]]
    by_title: Mapping[str, Sequence[Entry]]
    beginnings: Mapping[int, frozenset[str]]
    others: Sequence[Entry]

    def candidates(self, document: SearchedDocument) -> list[Entry]:
        text = document.text
        keys = chain(text.counts, document.keys, self._beginnings(text))
        lists = chain(map(self.by_key.get, keys), map(self.by_title.get, text.title_terms))
        entries = chain.from_iterable(filter(None, lists))
        counts = text.counts
        return [*self.others, *[entry for entry in entries if not entry[0] or entry[0] in counts]]

    def _beginnings(self, text: TextTerms) -> Iterator[str]:
        """Those that a term of the text has."""
        terms: Collection[str] = text.terms
        for length, beginnings in self.beginnings.items():
            if len(beginnings) <= FEW_BEGINNINGS:
                common: Iterable[str] = filter(text.has_beginning, beginnings)
            else:
                terms = {term[:length] for term in terms}  # longest first: ever fewer
                common = beginnings.intersection(terms)
            yield from (f"{beginning}*" for beginning in common)


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
        return sorted(
            {position for _, position, rest in candidates if rest is None or rest.accepts(document, terms)}
        )

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
    by_key: dict[str, list[Entry]] = defaultdict(list)
    others: list[Entry] = []
    for filed in filed_queries:
        if not filed.parts:
            others.append(("", filed.position, filed))
            continue
        best = min(filed.parts, key=lambda part: _rarity(part, frequencies))
        words = [*(frozenset({term}) for term in filed.terms - best), *filed.word_groups]
        further_words = [word for word in words if word != best and len(word) <= MOST_FORMS]
        second = min(further_words, key=lambda word: _rarity(word, frequencies), default=NO_SECOND)
        rest = filed.without(best, second)
        for key, form in product(best, second):
            by_key[key].append((form, filed.position, rest))
    beginnings: dict[int, set[str]] = defaultdict(set)
    for key in by_key:
        if key.endswith("*"):
            beginnings[len(key) - 1].add(key[:-1])
    by_length = {length: frozenset(beginnings[length]) for length in sorted(beginnings, reverse=True)}
    titles = {key: key.removeprefix(title_key("")) for key in by_key if key.startswith(title_key(""))}
    by_title = {term: by_key.pop(key) for key, term in titles.items()}
    return LanguageIndex(dict(by_key), by_title, by_length, others)


def _rarity(part: Alternatives, frequencies: Mapping[str, int]) -> tuple[int, int, list[str]]:
    """What few queries have is rare in documents, too, as long as nothing better is known; among equals, long words."""
    frequency = sum(frequencies.get(key, 0) * (BEGINNING_WEIGHT if key.endswith("*") else 1) for key in part)
    return frequency, -min(map(len, part), default=0), sorted(part)
