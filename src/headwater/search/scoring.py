"""Which documents of a segment match a query, and how well by their words (BM25)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime

import numpy as np
import numpy.typing as npt

from headwater.search.entry_terms import key_hash, term_hash, title_hash
from headwater.search.matching import clause_terms, filter_key
from headwater.search.postings import Columns, Counts, Positions
from headwater.search.query import TITLE, Clause, SearchFilters, SearchQuery, is_language

K1, B = 1.2, 0.6
"""Chosen over technical English and questions in six languages; the usual values differ by less than .01."""
MAX_SHARE = 0.35
"""A word in more of the documents is grammar; it is not read where the query has another."""
SMALL_CORPUS = 100

Mask = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.float32]
Alternatives = tuple[int, ...]
"""Hashes of terms of which one is enough."""
ClausePlan = tuple[Alternatives, ...]
"""One entry per place of a clause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterPlan:
    """The conditions of `SearchFilters` as they are compared with a segment. `numbers` are the documents of the stories."""

    keys: tuple[Alternatives, ...] = ()
    language: tuple[str, ...] = ()
    recipe: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    quality: float | None = None
    numbers: npt.NDArray[np.int64] | None = None

    @property
    def is_empty(self) -> bool:
        return all(
            getattr(self, part.name) in ((), None) for part in fields(self) if part.name != "numbers"
        ) and (self.numbers is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryPlan:
    """A query as hashes of terms. `ranked` are its words, of which it may have some that no text can have (`has_words`); a
    result has a clause of every `required` group and none of `excluded`. Clauses of several places only say here which documents
    have all of their terms: whether they stand together, the text says. `has_phrases` says that a required clause is one;
    `excluded_phrases` are those that are excluded."""

    ranked: tuple[Alternatives, ...] = ()
    has_words: bool = False
    required: tuple[tuple[ClausePlan, ...], ...] = ()
    has_phrases: bool = False
    excluded: tuple[ClausePlan, ...] = ()
    excluded_phrases: tuple[ClausePlan, ...] = ()
    filters: FilterPlan = field(default_factory=FilterPlan)
    excluded_filters: tuple[FilterPlan, ...] = ()

    @property
    def hashes(self) -> frozenset[int]:
        required = (clause for group in self.required for clause in group)
        clauses = [*required, *self.excluded, *self.excluded_phrases]
        keys = [self.filters, *self.excluded_filters]
        return frozenset(
            value
            for alternatives in (
                *self.ranked,
                *(place for clause in clauses for place in clause),
                *(key for filters in keys for key in filters.keys),
            )
            for value in alternatives
        )


Expansions = Mapping[Clause, Sequence[str]]
"""The terms that continue the last word of a clause with a prefix."""


def plan_query(
    query: SearchQuery, languages: Sequence[str], expansions: Expansions, filters: Sequence[FilterPlan]
) -> QueryPlan:
    """The plan for documents in these languages. `filters` are the plans of the query's filters: the wanted ones first."""

    def clause_plan(clause: Clause) -> ClausePlan:
        places = [sorted(terms) for terms in clause_terms(clause, languages)]
        if places and clause.prefix:
            places[-1] = [*places[-1], *expansions.get(clause, ())]
        hashed = title_hash if clause.field == TITLE else term_hash
        return tuple(tuple(dict.fromkeys(map(hashed, terms))) for terms in places)

    def ranked_terms() -> Iterator[Alternatives]:
        for group in query.groups:
            for clause in group:
                for terms in clause_terms(clause, languages):
                    yield tuple(map(term_hash, sorted(terms)))
                if clause.prefix and expansions.get(clause):
                    yield tuple(map(term_hash, expansions[clause]))

    required = tuple(tuple(map(clause_plan, group)) for group in query.required)
    excluded = tuple(map(clause_plan, query.excluded))
    return QueryPlan(
        ranked=tuple(dict.fromkeys(ranked_terms())),
        has_words=bool(query.groups),
        required=required,
        has_phrases=any(len(plan) > 1 for group in required for plan in group),
        excluded=tuple(plan for plan in excluded if len(plan) == 1),
        excluded_phrases=tuple(plan for plan in excluded if len(plan) > 1),
        filters=filters[0],
        excluded_filters=tuple(filters[1:]),
    )


def plan_filters(
    filters: SearchFilters, source_ids: Sequence[str] = (), numbers: npt.NDArray[np.int64] | None = None
) -> FilterPlan:
    """`source_ids` are the ids of the sources that the filter names; `numbers` the documents of its stories."""
    keys = [
        tuple(
            key_hash(filter_key(name, value))
            for value in (*values, *(source_ids if name == "source" else ()))
        )
        for name in ("source", "publisher", "topic", "country", "subject")
        if (values := getattr(filters, name))
    ]
    return FilterPlan(
        keys=tuple(keys),
        language=filters.language,
        recipe=filters.recipe,
        since=filters.since,
        until=filters.until,
        quality=filters.quality,
        numbers=numbers,
    )


@dataclass(frozen=True, slots=True)
class SegmentPostings:
    """A segment with the postings that a query needs."""

    columns: Columns
    languages: Sequence[str]
    recipes: Sequence[str]
    postings: Mapping[int, tuple[Positions, Counts]]

    def having(self, alternatives: Iterable[int]) -> Mask:
        mask = np.zeros(len(self.columns), dtype=bool)
        for value in alternatives:
            if value in self.postings:
                mask[self.postings[value][0]] = True
        return mask


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of the whole index: the number of documents, their mean length, and how many have each word of the query."""

    documents: int
    mean_length: float
    frequencies: Mapping[Alternatives, int]

    def read_terms(self, ranked: Sequence[Alternatives]) -> list[Alternatives]:
        """The words that occur, without grammar unless there is nothing else."""
        occurring = [terms for terms in ranked if self.frequencies.get(terms)]
        limit = MAX_SHARE * max(self.documents, SMALL_CORPUS)
        return [terms for terms in occurring if self.frequencies[terms] <= limit] or occurring


def statistics_of(
    segments: Sequence[SegmentPostings], ranked: Sequence[Alternatives], documents: int, length: int
) -> Statistics:
    frequencies = {
        terms: sum(
            int(segment.having(terms).sum())
            if len(terms) > 1
            else len(segment.postings[terms[0]][0])
            if terms[0] in segment.postings
            else 0
            for segment in segments
        )
        for terms in ranked
    }
    return Statistics(documents, length / max(documents, 1), frequencies)


def matching_documents(segment: SegmentPostings, plan: QueryPlan) -> Mask | None:
    """The documents that meet the conditions; None if there is none to meet."""
    masks = [_any_clause(segment, group) for group in plan.required]
    masks += [~segment.having(clause[0]) for clause in plan.excluded]
    if not plan.filters.is_empty:
        masks.append(meeting(segment, plan.filters))
    masks += [~meeting(segment, filters) for filters in plan.excluded_filters]
    return np.logical_and.reduce(masks) if masks else None


def unsure_documents(segment: SegmentPostings, plan: QueryPlan) -> Mask:
    """Of the documents that meet the conditions, those whose text decides: the index knows no order of words."""
    if plan.has_phrases:
        return np.ones(len(segment.columns), dtype=bool)
    return _any_clause(segment, plan.excluded_phrases)


def _any_clause(segment: SegmentPostings, group: Sequence[ClausePlan]) -> Mask:
    masks = [np.logical_and.reduce([segment.having(place) for place in clause]) for clause in group if clause]
    return np.logical_or.reduce(masks) if masks else np.zeros(len(segment.columns), dtype=bool)


def meeting(segment: SegmentPostings, filters: FilterPlan) -> Mask:
    columns = segment.columns
    mask = np.ones(len(columns), dtype=bool)
    for alternatives in filters.keys:
        mask &= segment.having(alternatives)
    if filters.language:
        codes = [any(is_language(code, name) for code in filters.language) for name in segment.languages]
        mask &= np.array(codes, dtype=bool)[columns["language"]]
    if filters.recipe:
        mask &= np.array([name in filters.recipe for name in segment.recipes], dtype=bool)[columns["recipe"]]
    if filters.since is not None:
        mask &= columns["moment"] >= int(np.ceil(filters.since.timestamp()))
    if filters.until is not None:
        mask &= columns["moment"] < int(np.ceil(filters.until.timestamp()))
    if filters.quality is not None:
        mask &= columns["quality"] >= np.float32(filters.quality)
    if filters.numbers is not None:
        mask &= np.isin(columns["number"], filters.numbers)
    return mask


def score_words(segment: SegmentPostings, ranked: Sequence[Alternatives], statistics: Statistics) -> Scores:
    """BM25 of every document of the segment; of alternatives the one that occurs most often counts."""
    scores = np.zeros(len(segment.columns), dtype=np.float32)
    lengths = segment.columns["length"].astype(np.float32)
    norm = np.float32(K1) * (1 - B + B * lengths / np.float32(max(statistics.mean_length, 1e-6)))
    for terms in ranked:
        positions, counts = _counts(segment, terms)
        if not len(positions):
            continue
        frequency = statistics.frequencies[terms]
        rarity = np.log1p((statistics.documents - frequency + 0.5) / (frequency + 0.5))
        scores[positions] += np.float32(rarity * (K1 + 1)) * counts / (counts + norm[positions])
    return scores


def _counts(segment: SegmentPostings, terms: Alternatives) -> tuple[Positions, npt.NDArray[np.float32]]:
    lists = [segment.postings[term] for term in terms if term in segment.postings]
    if len(lists) == 1:
        return lists[0][0], lists[0][1].astype(np.float32)
    most = np.zeros(len(segment.columns), dtype=np.float32)
    for positions, counts in lists:
        most[positions] = np.maximum(most[positions], counts)
    where = np.flatnonzero(most).astype(np.uint16)
    return where, most[where]
