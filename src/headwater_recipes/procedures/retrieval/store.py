"""A retriever that reads more than keywords: the pages in the store, by their words and by what they mean."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.search.query import query_terms, search_words, term_coverage
from headwater_recipes.procedures.citation_policy import citation_address, judge_citation
from headwater_recipes.procedures.registry.portals import PortalRegistry, packaged_registry
from headwater_recipes.procedures.retrieval.files import RetrievedProcedure, document_keywords, load_documents
from headwater_recipes.procedures.retrieval.keywords import QUESTION_WORDS, STOP_WORDS, count_matches

# (query, language) to pages, best first: `url`, `snippet`, and `coverage` (by words) or `similarity` (by meaning).
PageSearch = Callable[[str, str], Sequence[Mapping[str, Any]]]
StoredProcedure = tuple[str, Mapping[str, Any]]

LEAST_MATCH = {"coverage": 0.6, "similarity": 0.6}
RANK_SMOOTHING = 5  # the larger, the less the first place of one list outweighs good places in several


@dataclass(frozen=True)
class StoreRetriever:
    """Keywords as the assistant counts them, and the pages that a search finds: a procedure that is high in several
    lists wins. A page counts only if it holds most of what was asked; files that may not be cited are passed over."""

    folder: Path
    search: PageSearch
    registry: PortalRegistry = field(default_factory=packaged_registry)

    def retrieve(self, query: str, language: str = "") -> RetrievedProcedure | None:
        """Among procedures in `language` where one fits; else among all."""
        documents = [pair for pair in load_documents(self.folder) if self._citable(pair[1])]
        same = [pair for pair in documents if not language or pair[1].get("idioma", "es") == language]
        found = self._best(query, same, language)
        return found if found or not language else self._best(query, documents, "")

    def _best(
        self, query: str, documents: Sequence[StoredProcedure], language: str
    ) -> RetrievedProcedure | None:
        wanted = " ".join(word for word in search_words(query) if word not in QUESTION_WORDS | STOP_WORDS)
        pages = page_scores(self.search(wanted, language)) if wanted else {}
        counts = {stem: count_matches(query, document_keywords(stem, told)) for stem, told in documents}
        order = sorted({count for count in counts.values() if count}, reverse=True)

        def standing(pair: StoredProcedure) -> tuple[float, int, float]:
            stem, told = pair
            score = 1 / (RANK_SMOOTHING + order.index(counts[stem])) if counts[stem] else 0.0
            score += pages.get(_address(told), (0.0, ""))[0]
            return score, counts[stem], term_coverage(query_terms(wanted), str(told.get("nombre", "")))

        best = max(documents, key=standing, default=None)
        if best is None or not standing(best)[0]:
            return None
        stem, told = best
        passage = pages.get(_address(told), (0.0, ""))[1]
        return RetrievedProcedure(
            stem,
            told,
            str(told.get("fuente_url") or ""),
            bool(told.get("verificado")),
            (passage,) if passage else (),
        )

    def _citable(self, told: Mapping[str, Any]) -> bool:
        url = str(told.get("fuente_url") or "")
        return not url or judge_citation(url, self.registry).allowed


def page_scores(found: Sequence[Mapping[str, Any]]) -> dict[str, tuple[float, str]]:
    """Canonical address to its score over both lists, and the passage."""
    scores: dict[str, tuple[float, str]] = {}
    for kind, enough in LEAST_MATCH.items():
        good = [page for page in found if page.get(kind, 0.0) >= enough]
        for place, page in enumerate(good):
            address = citation_address(str(page["url"])).url
            before, passage = scores.get(address, (0.0, ""))
            scores[address] = (before + 1 / (RANK_SMOOTHING + place), passage or str(page["snippet"]))
    return scores


def _address(told: Mapping[str, Any]) -> str:
    url = str(told.get("fuente_url") or "")
    return citation_address(url).url if url else ""
