"""Search over the stored documents: by words and vectors together, by words, or by vectors."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Engine, func, select

from headwater.documents.embedding.models import nlp_installed, require_package
from headwater.documents.language.codes import primary_code
from headwater.model.errors import MovedAway, Refused
from headwater.search.analysis import analyse, query_word_terms
from headwater.search.entry_terms import term_hash
from headwater.search.query import SearchQuery, make_filters, words_query
from headwater.search.scoring import Expansions
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents
from headwater.store.schema.search import IS_WAITING, search_entries
from headwater.store.search.candidates import CandidateList, VectorQuery, find_candidates, plan_for
from headwater.store.search.codes import stored_models
from headwater.store.search.entries import index_documents, is_indexed
from headwater.store.search.index_reader import IndexReader, open_index
from headwater.store.search.notices import search_notices
from headwater.store.search.query_vectors import SearchEncoders, add_vectors, query_language
from headwater.store.search.result_rows import (
    FACETS,
    IsWanted,
    count_facets,
    result_rows,
    without_phrases,
    written_corrections,
)
from headwater.store.search.segments import FLUSH_AT, refresh_segments
from headwater.store.search.term_lookup import correct_words, expand_prefixes, plain_words

Method = Literal["hybrid", "words", "meaning"]
METHODS: tuple[Method, ...] = get_args(Method)
FACET_DOCUMENTS = 1_000
"""The best matches of which properties are counted."""
SPARE = 40
"""Candidates beyond the limit, for documents that turn out to be gone or without the phrase."""
PHRASE_CANDIDATES = 500
"""The best documents that have all words of a phrase, whose texts are read until enough of them have it."""
MAX_CANDIDATES = 2_000
"""If those are not enough."""
NEAREST = 10
"""Documents that are listed by meaning if none has a word of the query: there is always a nearest one."""
SENTENCE = 3
"""Words from which on the language of a query is believed."""
MAX_WAITING = 2 * FLUSH_AT


@dataclass(frozen=True, slots=True)
class SearchResults:
    """`rows` are the documents, best first. `word_total` counts those that have a word of the query and meet its conditions;
    `total` also those that are found by their meaning alone, at most a few hundred. `corrections` are words that the index does not have, with
    what they were taken for; `facets` counts properties of the best matches; `notices` say in sentences what may have been meant
    otherwise. With a phrase, totals and facets are exact if at most MAX_UNSURE documents have all its words."""

    rows: Sequence[dict[str, Any]]
    total: int
    word_total: int = 0
    corrections: Mapping[str, str] = field(default_factory=dict)
    facets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentSearch:
    """`folder` holds the files of encoders; `model` names one, or is empty for the built-in ones."""

    engine: Engine
    folder: Path
    model: str = ""

    def search(
        self,
        query: SearchQuery,
        *,
        method: Method = "hybrid",
        facets: Sequence[str] = (),
        is_wanted: IsWanted = lambda _: True,
        passed_over: int = 0,
    ) -> SearchResults:
        """The best documents. By default words and vectors decide together, for documents that have a vector. `meaning`
        means vectors alone; documents without one get it before the search. Documents that are not wanted are passed over;
        `passed_over` is about how many they are."""
        if method not in METHODS:
            raise Refused("bad_method", f"there is no method '{method}'; there are: {', '.join(METHODS)}")
        if unknown := [name for name in facets if name not in FACETS]:
            raise Refused("bad_facet", f"there is no facet '{unknown[0]}'; there are: {', '.join(FACETS)}")
        self._bring_up_to_date(query)
        encoders = SearchEncoders(self.folder, self.model)
        if method == "meaning":
            require_package("onnxruntime")
            # An environment that was moved away is read-only: search the vectors that it has.
            with suppress(MovedAway):
                add_vectors(self.engine, encoders)
        with read_transaction(self.engine) as connection:
            index = open_index(connection)
            vectors = [] if method == "words" else self._query_vectors(index, query, encoders)
            return search_index(
                index,
                query,
                vectors,
                words=method != "meaning",
                facets=facets,
                is_wanted=is_wanted,
                passed_over=passed_over,
            )

    def pages(self, recipe: str, text: str, language: str, limit: int = 10) -> list[dict[str, Any]]:
        """For a retriever: the documents of a recipe, without operators in the text."""
        filters = make_filters({"recipe": recipe, "language": language})
        return list(self.search(words_query(text, filters=filters, limit=limit)).rows)

    def _query_vectors(
        self, index: IndexReader, query: SearchQuery, encoders: SearchEncoders
    ) -> list[VectorQuery]:
        """None without the extra `nlp`: words decide alone, although another machine may have added vectors."""
        models = stored_models(index.connection) if nlp_installed() else []
        if not models or not query.text:
            return []
        language = query_language(query.text, index.common_languages)
        return encoders.query_vectors(query.text, language, models, index.languages)

    def _bring_up_to_date(self, query: SearchQuery) -> None:
        """Documents that came without the engine, as from a backup, are indexed by the first search."""
        with read_transaction(self.engine) as connection:
            recipes = query.filters.recipe or _recipes(connection)
            missing = [recipe for recipe in recipes if not is_indexed(connection, recipe)]
            query_waiting = select(func.count()).select_from(
                select(search_entries.c.id).where(IS_WAITING).limit(MAX_WAITING + 1).subquery()
            )
            is_crowded = (connection.scalar(query_waiting) or 0) > MAX_WAITING
        for recipe in missing:
            index_documents(self.engine, recipe)
        if missing or is_crowded:
            refresh_segments(self.engine)


def search_index(
    index: IndexReader,
    query: SearchQuery,
    vectors: Sequence[VectorQuery],
    *,
    words: bool = True,
    facets: Sequence[str] = (),
    is_wanted: IsWanted = lambda _: True,
    passed_over: int = 0,
) -> SearchResults:
    """The search in one transaction; without `words`, by vectors alone."""
    connection = index.connection
    expansions, prefix_notices = expand_prefixes(index, query)
    count = max(query.limit + passed_over + SPARE, FACET_DOCUMENTS if facets else 0)
    if query.has_phrases:
        count = max(count, PHRASE_CANDIDATES)
    without_phrase: set[int] = set()
    while True:
        candidates, corrections = best_candidates(index, query, expansions, vectors, count, words=words)
        rows = result_rows(
            connection,
            query,
            candidates.candidates,
            corrections=tuple(corrections.values()),
            is_wanted=is_wanted,
            without_phrase=without_phrase,
        )
        # Documents that are gone or lack the phrase make room for others.
        is_complete = len(rows) == query.limit or len(candidates.candidates) < count
        if is_complete or count >= MAX_CANDIDATES:
            break
        count = MAX_CANDIDATES
    best = candidates.candidates[:FACET_DOCUMENTS]
    return SearchResults(
        rows,
        candidates.total,
        candidates.word_total,
        written_corrections(corrections, rows),
        count_facets(connection, best, facets) if facets else {},
        (
            *search_notices(index, query),
            *prefix_notices,
            *_meaning_notices(query, candidates, words=words),
            *(() if is_complete or not query.has_phrases else (_reading_notice(count),)),
        ),
    )


def best_candidates(
    index: IndexReader,
    query: SearchQuery,
    expansions: Expansions,
    vectors: Sequence[VectorQuery],
    count: int,
    *,
    words: bool,
) -> tuple[CandidateList, dict[str, str]]:
    """With misspelt words corrected, if no document has one of the words, and without the documents that have the words of
    a phrase, but apart. If no document has a word all the same, the few nearest by meaning."""
    plan = plan_for(index, query, expansions)
    candidates = find_candidates(index, plan, vectors, count, words_count=words)
    corrections: dict[str, str] = {}
    if words and query.groups and not candidates.word_total:
        corrections = correct_words(index, unknown_words(index, query))
    if corrections:
        plan = plan_for(index, query, expansions, corrections=tuple(corrections.values()))
        candidates = find_candidates(index, plan, vectors, count, words_count=words)
    unmatched = without_phrases(index.connection, query, candidates.unsure or ())
    candidates = candidates.without(unmatched)
    if (
        words
        and query.groups
        and not candidates.word_total
        and not _is_foreign_sentence(index, query, vectors)
    ):
        candidates = candidates.first(NEAREST)
    return candidates, corrections


def _is_foreign_sentence(index: IndexReader, query: SearchQuery, vectors: Sequence[VectorQuery]) -> bool:
    """Whether the query is in a language of no document, and long enough to be sure of that: none can have its words, and
    vectors are the way to find them."""
    language = vectors[0].language if vectors else ""
    codes = {primary_code(name) for name in index.common_languages}
    return bool(language) and language not in codes and len(analyse(query.text)) >= SENTENCE


def _meaning_notices(query: SearchQuery, candidates: CandidateList, *, words: bool) -> tuple[str, ...]:
    is_meaning_alone = words and query.groups and candidates.candidates and not candidates.word_total
    return (
        ("no document has these words; the results are the nearest by meaning",) if is_meaning_alone else ()
    )


def _reading_notice(count: int) -> str:
    return (
        f"the texts of the best {count} documents were read; further ones may match, and the total also counts "
        "documents that do not"
    )


def unknown_words(index: IndexReader, query: SearchQuery) -> list[str]:
    """The plain words that no document has: others occur, but not where the filters want them."""
    terms = {word: query_word_terms(word, index.languages) for word in plain_words(query)}
    occurring = index.occurring({term_hash(term) for word in terms for term in terms[word]})
    return [word for word in terms if occurring.isdisjoint(map(term_hash, terms[word]))]


def _recipes(connection: Connection) -> list[str]:
    """The recipes of stored documents; one step of the index per recipe."""
    names: list[str] = []
    while True:
        query = select(func.min(documents.c.recipe))
        after = connection.scalar(query.where(documents.c.recipe > names[-1]) if names else query)
        if after is None:
            return names
        names.append(str(after))
