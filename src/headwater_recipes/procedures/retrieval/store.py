"""Retrieves procedures by keywords and by a search over the pages in the store."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.search.analysis import fold_word
from headwater.search.coverage import text_coverage
from headwater.search.query import query_words
from headwater_recipes.procedures.citation_policy import citation_address, judge_citation
from headwater_recipes.procedures.registry.portals import PortalRegistry, packaged_registry
from headwater_recipes.procedures.retrieval.files import RetrievedProcedure, document_keywords, load_documents
from headwater_recipes.procedures.retrieval.keywords import QUESTION_WORDS, STOP_WORDS, count_matches

# (query, language) to pages, best first: `url`, `snippet`, and `coverage` (by words) or `similarity` (by meaning).
PageSearch = Callable[[str, str], Sequence[Mapping[str, Any]]]
StoredProcedure = tuple[str, Mapping[str, Any]]

LEAST_MATCH = {"coverage": 0.6, "similarity": 0.6}
RANK_SMOOTHING = (
    5  # a larger value gives the first place of one list less weight against good places in several
)


@dataclass(frozen=True)
class StoreRetriever:
    """Combines the keyword matches with the pages that a search finds: a procedure that ranks high in several lists wins. A
    page counts only if it covers most of the query. Files that may not be cited are skipped."""

    folder: Path
    search: PageSearch
    registry: PortalRegistry = field(default_factory=packaged_registry)

    def retrieve(self, query: str, language: str = "") -> RetrievedProcedure | None:
        """The best procedure in `language` if one matches, else the best of all."""
        documents = [pair for pair in load_documents(self.folder) if self._is_citable(pair[1])]
        in_language = [pair for pair in documents if not language or pair[1].get("idioma", "es") == language]
        best = self._best(query, in_language, language)
        return best if best or not language else self._best(query, documents, "")

    def _best(
        self, query: str, documents: Sequence[StoredProcedure], language: str
    ) -> RetrievedProcedure | None:
        words = map(fold_word, query_words(query))
        terms = " ".join(word for word in words if word not in QUESTION_WORDS | STOP_WORDS)
        pages = page_scores(self.search(terms, language)) if terms else {}
        counts = {
            stem: count_matches(query, document_keywords(stem, document)) for stem, document in documents
        }
        order = sorted({count for count in counts.values() if count}, reverse=True)

        def rank(pair: StoredProcedure) -> tuple[float, int, float]:
            stem, document = pair
            score = 1 / (RANK_SMOOTHING + order.index(counts[stem])) if counts[stem] else 0.0
            score += pages.get(_address(document), (0.0, ""))[0]
            return (
                score,
                counts[stem],
                text_coverage(terms, str(document.get("nombre", "")), language or "es"),
            )

        best = max(documents, key=rank, default=None)
        if best is None or not rank(best)[0]:
            return None
        stem, document = best
        passage = pages.get(_address(document), (0.0, ""))[1]
        return RetrievedProcedure(
            stem,
            document,
            str(document.get("fuente_url") or ""),
            bool(document.get("verificado")),
            (passage,) if passage else (),
        )

    def _is_citable(self, document: Mapping[str, Any]) -> bool:
        url = str(document.get("fuente_url") or "")
        return not url or judge_citation(url, self.registry).allowed


def page_scores(pages: Sequence[Mapping[str, Any]]) -> dict[str, tuple[float, str]]:
    """Canonical address to its score over both lists, with the passage."""
    scores: dict[str, tuple[float, str]] = {}
    for measure, least in LEAST_MATCH.items():
        matching = [page for page in pages if page.get(measure, 0.0) >= least]
        for place, page in enumerate(matching):
            address = citation_address(str(page["url"])).url
            score, passage = scores.get(address, (0.0, ""))
            scores[address] = (score + 1 / (RANK_SMOOTHING + place), passage or str(page["snippet"]))
    return scores


def _address(document: Mapping[str, Any]) -> str:
    url = str(document.get("fuente_url") or "")
    return citation_address(url).url if url else ""
