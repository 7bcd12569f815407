"""The best documents for a query: candidates by words and by vectors, fused into one order."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, or_, select

from headwater.search.entry_terms import term_hash
from headwater.search.fusion import (
    NO_FLOOR,
    NO_VECTORS,
    POOL,
    PairWeights,
    SimilarityFloor,
    Values,
    VectorScores,
    fuse,
    scaled,
    whole_weight,
)
from headwater.search.postings import Columns
from headwater.search.query import SearchFilters, SearchQuery
from headwater.search.scoring import (
    MAX_SHARE,
    Alternatives,
    Expansions,
    FilterPlan,
    Mask,
    QueryPlan,
    Scores,
    SegmentPostings,
    matching_documents,
    plan_filters,
    plan_query,
    score_words,
    statistics_of,
    unsure_documents,
)
from headwater.search.vector_codes import Matrix, code_distances, encode_bits, smallest, unit_length
from headwater.store.schema.flow import sources, story_members
from headwater.store.schema.search import search_entries
from headwater.store.search.codes import read_vectors_of
from headwater.store.search.index_reader import IndexReader
from headwater.text.folding import fold_text

CODE_CANDIDATES = 400
"""Documents with the nearest codes whose vectors are compared."""
FEEDBACK_DOCUMENTS = 3
MAX_UNSURE = 300
"""Documents whose texts are read to count exactly those with a phrase."""
LEAST_SCORE = np.float32(1e-6)
"""Of a document with the words that the query requires, if all of them are so frequent that they are not ranked by."""
NO_DISTANCE = np.iinfo(np.uint16).max


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """The vector of a query by one model, what it counts for the documents of each language, what the best documents
    count beside it, and how similar a document of each language has to be if it has no word of the query. `language` is that of
    the query, empty if it is unknown."""

    model: str
    vector: Matrix
    weights: Mapping[str, PairWeights]
    feedback: float = 0.0
    floors: Mapping[str, SimilarityFloor] = field(default_factory=dict)
    language: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document by its number, with its score and the parts of it."""

    number: int
    score: float
    words: float
    similarity: float | None


@dataclass(frozen=True, slots=True)
class CandidateList:
    """`word_total` is the number of documents that have a word of the query, or that meet its filters where it has no words.
    `total` also counts those that are candidates by their vectors alone. `unsure` are the numbers of counted documents of which
    only the text says whether they have a phrase, and whether each has a word; None if they are too many to read."""

    candidates: Sequence[Candidate]
    total: int
    word_total: int
    unsure: Mapping[int, bool] | None = field(default_factory=dict)

    def first(self, most: int) -> Self:
        """No more than so many."""
        return replace(self, candidates=self.candidates[:most], total=min(self.total, most))

    def without(self, numbers: Collection[int]) -> Self:
        """Without these of the unsure documents, which turned out not to match."""
        unsure = self.unsure or {}
        return replace(
            self,
            candidates=[candidate for candidate in self.candidates if candidate.number not in numbers],
            total=self.total - len(numbers),
            word_total=self.word_total - sum(unsure[number] for number in numbers),
        )


def plan_for(
    index: IndexReader, query: SearchQuery, expansions: Expansions, *, corrections: Sequence[str] = ()
) -> QueryPlan:
    """`corrections` are terms that stand for misspelt words."""
    filters = [_filter_plan(index.connection, part) for part in (query.filters, *query.excluded_filters)]
    plan = plan_query(query, index.languages, expansions, filters)
    plan = replace(plan, ranked=(*plan.ranked, *((term_hash(term),) for term in corrections)))
    limit = MAX_SHARE * index.documents
    read = tuple(terms for terms in plan.ranked if index.estimate(terms) <= limit)
    return replace(plan, ranked=read or plan.ranked)


def _filter_plan(connection: Connection, filters: SearchFilters) -> FilterPlan:
    ids = source_ids(connection, filters.source) if filters.source else []
    numbers = story_numbers(connection, filters.story) if filters.story else None
    return plan_filters(filters, ids, numbers)


def source_ids(connection: Connection, names: Sequence[str]) -> list[str]:
    wanted_names = {fold_text(name) for name in names}
    rows = connection.execute(select(sources.c.id, sources.c.name)).all()
    return [row.id for row in rows if fold_text(row.name) in wanted_names]


def story_numbers(connection: Connection, stories: Sequence[str]) -> npt.NDArray[np.int64]:
    member = story_members.c
    is_story = or_(*(member.story_id.startswith(story, autoescape=True) for story in stories))
    query = select(search_entries.c.id).join(
        story_members, member.document_id == search_entries.c.document_id
    )
    return np.fromiter(
        index_numbers := connection.scalars(query.where(is_story)).all(), np.int64, len(index_numbers)
    )


def find_candidates(
    index: IndexReader,
    plan: QueryPlan,
    vectors: Sequence[VectorQuery],
    count: int,
    *,
    words_count: bool = True,
) -> CandidateList:
    """The best `count` documents, best first; without `words_count`, by vectors alone."""
    segments = index.read(plan.hashes)
    statistics = statistics_of(segments, plan.ranked, index.documents, index.length)
    ranked: Sequence[Alternatives] = statistics.read_terms(plan.ranked)
    masks = [matching_documents(segment, plan) for segment in segments]
    scores = [score_words(segment, ranked, statistics) for segment in segments]
    for score, mask in zip(scores, masks, strict=True):
        if mask is not None:
            score[~mask] = 0.0
        if plan.required:
            score[mask] = np.maximum(score[mask], LEAST_SCORE)
    word_total = _total(scores, masks, has_words=plan.has_words)
    pool = max(POOL, count)
    by_words = _best_by_words(index, scores, masks, pool, has_words=plan.has_words) if words_count else []
    # Beside words, only the POOL most similar documents have a similarity above 0: further vectors are not read.
    read_count = CODE_CANDIDATES if words_count else max(CODE_CANDIDATES, pool)
    by_vector = [_best_by_vector(index, query, masks, read_count) for query in vectors]
    candidates = _fuse(
        index, by_words, scores, [part for part in by_vector if part is not None], words_count=words_count
    )
    by_meaning = [candidate.number for candidate in candidates if not (words_count and candidate.words)]
    unsure = _unsure_numbers(segments, plan, masks, scores if words_count else [], by_meaning)
    total = len(candidates)
    if words_count:
        total = word_total + (len(by_meaning) if plan.has_words else 0)
    return CandidateList(candidates[:count], total, word_total, unsure)


def _unsure_numbers(
    segments: Sequence[SegmentPostings],
    plan: QueryPlan,
    masks: Sequence[Mask | None],
    scores: Sequence[Scores],
    by_meaning: Sequence[int],
) -> Mapping[int, bool] | None:
    """Of the documents with a score by words, and of those by meaning."""
    if not plan.has_phrases and not plan.excluded_phrases:
        return {}
    unsure: dict[int, bool] = {}
    for position, (segment, mask) in enumerate(zip(segments, masks, strict=True)):
        unsure_mask = unsure_documents(segment, plan)
        if mask is not None:
            unsure_mask &= mask
        numbers = segment.columns["number"][unsure_mask]
        unsure |= dict.fromkeys(map(int, numbers[np.isin(numbers, by_meaning)]), False)
        if scores:
            counted = unsure_mask & (scores[position] > 0) if plan.has_words else unsure_mask
            unsure |= dict.fromkeys(map(int, segment.columns["number"][counted][: MAX_UNSURE + 1]), True)
        if len(unsure) > MAX_UNSURE:
            return None
    return unsure


Place = tuple[int, int]
"""A segment and a position in it."""


def _total(scores: Sequence[Scores], masks: Sequence[Mask | None], *, has_words: bool) -> int:
    if has_words:
        return sum(int(np.count_nonzero(score)) for score in scores)
    return sum(
        len(score) if mask is None else int(mask.sum()) for score, mask in zip(scores, masks, strict=True)
    )


def _best_by_words(
    index: IndexReader, scores: Sequence[Scores], masks: Sequence[Mask | None], pool: int, *, has_words: bool
) -> list[Place]:
    """Without words, the newest of the documents that meet the filters."""
    best: list[tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.intp]]] = []
    for number, (score, mask) in enumerate(zip(scores, masks, strict=True)):
        if has_words:
            where = np.flatnonzero(score)
            values = score[where].astype(np.float64)
        else:
            where = np.arange(len(score)) if mask is None else np.flatnonzero(mask)
            values = index.segments[number].columns["moment"][where].astype(np.float64)
        if len(where) > pool:
            order = np.argpartition(-values, pool - 1)[:pool]
            where, values = where[order], values[order]
        best.append((values, np.full(len(where), number), where))
    if not best:
        return []
    values, segments, places = (np.concatenate(parts) for parts in zip(*best, strict=True))
    order = np.lexsort((places, segments, -values))[:pool]
    return list(zip(segments[order].tolist(), places[order].tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class _VectorCandidates:
    """Documents with near codes, and their vectors in the same order."""

    query: VectorQuery
    places: Mapping[Place, int]
    vectors: Matrix


def _best_by_vector(
    index: IndexReader, query: VectorQuery, masks: Sequence[Mask | None], read_count: int
) -> _VectorCandidates | None:
    """Those with the nearest codes; documents that wait for a segment have none, and are all read."""
    codes, query_code = index.codes(query.model), encode_bits(query.vector[None, :])
    coded: list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.uint16]]] = []
    places: list[Place] = []
    for number, (segment, mask) in enumerate(zip(index.segments, masks, strict=True)):
        if segment.id in codes and codes[segment.id].shape[0] == len(query_code):
            near = code_distances(codes[segment.id], query_code)
            if mask is not None:
                near[~mask] = NO_DISTANCE
            chosen = smallest(near, read_count)
            coded.append((np.full(len(chosen), number), chosen, near[chosen]))
        elif segment.id == 0:
            where = range(len(segment.columns)) if mask is None else np.flatnonzero(mask)
            places += [(number, int(place)) for place in where]
    if coded:
        segments, positions, distances = (np.concatenate(parts) for parts in zip(*coded, strict=True))
        chosen = smallest(distances, read_count)
        chosen = chosen[distances[chosen] != NO_DISTANCE]
        nearest = zip(segments[chosen].tolist(), positions[chosen].tolist(), strict=True)
        places = [*nearest, *places]
    if not places:
        return None
    numbers = {
        int(index.segments[segment].columns["number"][place]): (segment, place) for segment, place in places
    }
    with_vector, vectors = read_vectors_of(index.connection, query.model, sorted(numbers))
    if not with_vector or vectors.shape[1] != len(query.vector):
        return None
    return _VectorCandidates(query, {numbers[number]: row for row, number in enumerate(with_vector)}, vectors)


def _fuse(
    index: IndexReader,
    by_words: Sequence[Place],
    scores: Sequence[Scores],
    by_vector: Sequence[_VectorCandidates],
    *,
    words_count: bool,
) -> list[Candidate]:
    similarities: list[Values] = [part.vectors @ part.query.vector for part in by_vector]
    places = _joined_places(index, by_words, by_vector, similarities, scores if words_count else None)
    words: Values = np.array([scores[segment][place] for segment, place in places], dtype=np.float32)
    languages = [_language(index, place) for place in places]
    weights = [_weights(part.query, languages, words_count=words_count) for part in by_vector]

    whole = whole_weight(
        [_top(index, part, value) for part, value in zip(by_vector, similarities, strict=True)]
    )

    def fused_scores(values: Sequence[Values]) -> Values:
        parts = [
            VectorScores(_values_at(places, part, scaled(value, whole)), *weight)
            for part, value, weight in zip(by_vector, values, weights, strict=True)
        ]
        return fuse(words if words_count else np.zeros_like(words), float(words.max(initial=0.0)), parts)

    fused = fused_scores(similarities)
    if any(part.query.feedback for part in by_vector):
        best = [places[rank] for rank in np.argsort(-fused, kind="stable")[:FEEDBACK_DOCUMENTS]]
        fused = fused_scores(
            [_with_feedback(part, best, value) for part, value in zip(by_vector, similarities, strict=True)]
        )
    order = {place: rank for rank, place in enumerate(by_words)}
    keys = [(-float(fused[row]), order.get(place, len(order)), place) for row, place in enumerate(places)]
    return [
        Candidate(
            number=int(columns_of(index, places[row])["number"]),
            score=float(fused[row]),
            words=float(words[row]),
            similarity=_similarity(places[row], languages[row], by_vector, similarities),
        )
        for row in sorted(range(len(places)), key=keys.__getitem__)
    ]


def _joined_places(
    index: IndexReader,
    by_words: Sequence[Place],
    by_vector: Sequence[_VectorCandidates],
    similarities: Sequence[Values],
    scores: Sequence[Scores] | None,
) -> list[Place]:
    """The candidates by words, then those by vectors that count for their language. With the `scores` by words, a document
    without one has to be as similar as the floor of its language says."""
    places = dict.fromkeys(by_words)
    for part, values in zip(by_vector, similarities, strict=True):
        positive, top = scaled(values) > 0, _top(index, part, values)
        for place, row in part.places.items():
            language = _language(index, place)
            if not positive[row] or not part.query.weights.get(language, NO_VECTORS)[1]:
                continue
            has_word = scores is None or scores[place[0]][place[1]] > 0
            if has_word or values[row] >= part.query.floors.get(language, NO_FLOOR).below(top):
                places[place] = None
    return list(places)


def _top(index: IndexReader, part: _VectorCandidates, similarities: Values) -> float:
    """The best similarity of a document for which this encoder counts."""
    counted = [
        row
        for place, row in part.places.items()
        if part.query.weights.get(_language(index, place), NO_VECTORS)[1]
    ]
    return float(similarities[counted].max(initial=0.0))


def _values_at(places: Sequence[Place], part: _VectorCandidates, values: Values) -> Values:
    return np.array(
        [values[row] if (row := part.places.get(place)) is not None else 0.0 for place in places],
        dtype=np.float32,
    )


def _with_feedback(part: _VectorCandidates, best: Sequence[Place], similarities: Values) -> Values:
    """The similarities to the query and, to a part, to the best documents: they say more than a short query."""
    rows = [row for place in best if (row := part.places.get(place)) is not None]
    if not rows or not part.query.feedback:
        return similarities
    result: Values = (1 - part.query.feedback) * similarities + part.query.feedback * (
        part.vectors @ unit_length(part.vectors[rows].mean(axis=0, keepdims=True))[0]
    )
    return result


def _weights(query: VectorQuery, languages: Sequence[str], *, words_count: bool) -> tuple[Values, Values]:
    """What words and vectors count for documents in these languages; without words, vectors are all that counts."""
    pairs = np.array([query.weights.get(language, NO_VECTORS) for language in languages], dtype=np.float32)
    pairs = pairs.reshape(-1, 2)
    if not words_count:
        pairs[:, 0], pairs[:, 1] = 0.0, pairs[:, 1] > 0
    return pairs[:, 0], pairs[:, 1]


def columns_of(index: IndexReader, place: Place) -> Columns:
    segment, position = place
    row: Columns = index.segments[segment].columns[position]
    return row


def _language(index: IndexReader, place: Place) -> str:
    return index.segments[place[0]].languages[int(columns_of(index, place)["language"])]


def _similarity(
    place: Place, language: str, by_vector: Sequence[_VectorCandidates], similarities: Sequence[Values]
) -> float | None:
    for part, values in zip(by_vector, similarities, strict=True):
        row = part.places.get(place)
        if row is not None and part.query.weights.get(language, NO_VECTORS)[1]:
            return float(values[row])
    return None
