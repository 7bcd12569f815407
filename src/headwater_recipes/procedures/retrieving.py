"""A retriever that reads more than keywords: the pages in the store, by their words and by what they mean."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.pure.search import coverage, terms, words_of
from headwater_recipes.procedures.governance.addresses import address_of
from headwater_recipes.procedures.governance.policy import judge
from headwater_recipes.procedures.keyword_words import ASKING, SMALL
from headwater_recipes.procedures.keywords import matches
from headwater_recipes.procedures.registry.registry import Registry, packaged
from headwater_recipes.procedures.search import Answer, keywords_of, load

# (query, language) to pages, best first: `url`, `snippet`, and `coverage` (by words) or `similarity` (by meaning).
Search = Callable[[str, str], Sequence[Mapping[str, Any]]]
Procedure = tuple[str, Mapping[str, Any]]

ENOUGH = {"coverage": 0.6, "similarity": 0.6}
SOFT = 5  # the larger, the less the first place of one list outweighs good places in several


@dataclass(frozen=True)
class StoreRetriever:
    """Keywords as the assistant counts them, and the pages that a search finds: a procedure that is high in several
    lists wins. A page counts only if it holds most of what was asked; files that may not be cited are passed over."""

    folder: Path
    search: Search
    registry: Registry = field(default_factory=packaged)

    def retrieve(self, query: str, language: str = "") -> Answer | None:
        """Among procedures in `language` where one fits; else among all."""
        documents = [pair for pair in load(self.folder) if self._citable(pair[1])]
        same = [pair for pair in documents if not language or pair[1].get("idioma", "es") == language]
        found = self._best(query, same, language)
        return found if found or not language else self._best(query, documents, "")

    def _best(self, query: str, documents: Sequence[Procedure], language: str) -> Answer | None:
        wanted = " ".join(word for word in words_of(query) if word not in ASKING | SMALL)
        pages = ranked(self.search(wanted, language)) if wanted else {}
        counts = {stem: matches(query, keywords_of(stem, told)) for stem, told in documents}
        order = sorted({count for count in counts.values() if count}, reverse=True)

        def standing(pair: Procedure) -> tuple[float, int, float]:
            stem, told = pair
            score = 1 / (SOFT + order.index(counts[stem])) if counts[stem] else 0.0
            score += pages.get(_address(told), (0.0, ""))[0]
            return score, counts[stem], coverage(terms(wanted), str(told.get("nombre", "")))

        best = max(documents, key=standing, default=None)
        if best is None or not standing(best)[0]:
            return None
        stem, told = best
        passage = pages.get(_address(told), (0.0, ""))[1]
        return Answer(
            stem,
            told,
            str(told.get("fuente_url") or ""),
            bool(told.get("verificado")),
            (passage,) if passage else (),
        )

    def _citable(self, told: Mapping[str, Any]) -> bool:
        url = str(told.get("fuente_url") or "")
        return not url or judge(url, self.registry).allowed


def ranked(found: Sequence[Mapping[str, Any]]) -> dict[str, tuple[float, str]]:
    """Canonical address to its score over both lists, and the passage."""
    scores: dict[str, tuple[float, str]] = {}
    for kind, enough in ENOUGH.items():
        good = [page for page in found if page.get(kind, 0.0) >= enough]
        for place, page in enumerate(good):
            address = address_of(str(page["url"])).url
            before, passage = scores.get(address, (0.0, ""))
            scores[address] = (before + 1 / (SOFT + place), passage or str(page["snippet"]))
    return scores


def _address(told: Mapping[str, Any]) -> str:
    url = str(told.get("fuente_url") or "")
    return address_of(url).url if url else ""
