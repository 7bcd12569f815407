"""Search over the stored documents: by words and vectors together, by words, or by vectors."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Engine, func, select

from headwater.documents.embedding.models import nlp_installed, require_package
from headwater.model.errors import MovedAway, Refused
from headwater.search.query import SearchQuery, make_filters, words_query
from headwater.store.connect import read_transaction
from headwater.store.schema.flow import documents
from headwater.store.schema.search import IS_WAITING, search_entries
from headwater.store.search.candidates import CandidateList, VectorQuery, find_candidates, plan_for
from headwater.store.search.codes import stored_models
from headwater.store.search.entries import index_documents, is_indexed
from headwater.store.search.index_reader import IndexReader, open_index
from headwater.store.search.query_vectors import SearchEncoders, add_vectors, query_language
from headwater.store.search.result_rows import FACETS, IsWanted, count_facets, result_rows
from headwater.store.search.segments import FLUSH_AT, refresh_segments
from headwater.store.search.term_lookup import correct_words, expand_prefixes, plain_words

Method = Literal["hybrid", "words", "meaning"]
FACET_DOCUMENTS = 1_000
"""The best matches of which properties are counted."""
SPARE = 40
"""Candidates beyond the limit, for documents that turn out to be gone or without the phrase."""
MAX_CANDIDATES = 2_000
MAX_WAITING = 2 * FLUSH_AT


@dataclass(frozen=True, slots=True)
class SearchResults:
    """`rows` are the documents, best first. `word_total` counts those that have a word of the query and meet its conditions;
    `total` also those that are found by their meaning alone, at most a few hundred. `corrections` are words that the index does not have, with
    what they were taken for; `facets` counts properties of the best matches."""

    rows: Sequence[dict[str, Any]]
    total: int
    word_total: int = 0
    corrections: Mapping[str, str] = field(default_factory=dict)
    facets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


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
            count = max(query.limit + passed_over + SPARE, FACET_DOCUMENTS if facets else 0)
            while True:
                candidates, corrections = self._candidates(
                    index, query, vectors, count, words=method != "meaning"
                )
                rows = result_rows(
                    connection,
                    query,
                    candidates.candidates,
                    corrections=tuple(corrections.values()),
                    is_wanted=is_wanted,
                )
                # Documents that are gone, or lack a phrase, make room for others.
                if len(rows) == query.limit or len(candidates.candidates) < count or count >= MAX_CANDIDATES:
                    break
                count = MAX_CANDIDATES
            best = candidates.candidates[:FACET_DOCUMENTS]
            counts = count_facets(connection, best, facets) if facets else {}
            return SearchResults(rows, candidates.total, candidates.word_total, corrections, counts)

    def pages(self, recipe: str, text: str, language: str, limit: int = 10) -> list[dict[str, Any]]:
        """For a retriever: the documents of a recipe, without operators in the text."""
        filters = make_filters({"recipe": recipe, "language": language})
        return list(self.search(words_query(text, filters=filters, limit=limit)).rows)

    def _candidates(
        self,
        index: IndexReader,
        query: SearchQuery,
        vectors: Sequence[VectorQuery],
        count: int,
        *,
        words: bool,
    ) -> tuple[CandidateList, dict[str, str]]:
        """With misspelt words corrected, if none of the words occurs."""
        expansions = expand_prefixes(index.connection, query)
        plan = plan_for(index, query, expansions)
        candidates = find_candidates(index, plan, vectors, count, words_count=words)
        if candidates.word_total or not words or not query.groups:
            return candidates, {}
        corrections = correct_words(index.connection, plain_words(query), index.languages)
        if not corrections:
            return candidates, {}
        plan = plan_for(index, query, expansions, corrections=tuple(corrections.values()))
        return find_candidates(index, plan, vectors, count, words_count=words), corrections

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


def _recipes(connection: Connection) -> list[str]:
    """The recipes of stored documents; one step of the index per recipe."""
    names: list[str] = []
    while True:
        query = select(func.min(documents.c.recipe))
        after = connection.scalar(query.where(documents.c.recipe > names[-1]) if names else query)
        if after is None:
            return names
        names.append(str(after))
