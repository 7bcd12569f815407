"""The bridge to the assistant: one small class that answers a query with a procedure, and filters over the catalogue."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater_recipes.procedures.citation_policy import judge_citation
from headwater_recipes.procedures.knowledge_base.layout import read_json
from headwater_recipes.procedures.registry.portals import PortalRegistry, packaged_registry
from headwater_recipes.procedures.retrieval.keywords import count_matches, fold_for_matching


@dataclass(frozen=True, slots=True)
class RetrievedProcedure:
    """The same five things that the assistant's own retrievers give."""

    tramite: str
    datos: Mapping[str, Any]
    fuente_url: str
    verificado: bool
    chunks_used: tuple[str, ...] = ()


@dataclass(frozen=True)
class KeywordRetriever:
    """Counts keywords that are part of the query, as the assistant does; a tie goes to the name that comes first, so
    that the answer is the same everywhere. Files whose address may not be cited are passed over."""

    folder: Path
    registry: PortalRegistry = field(default_factory=packaged_registry)

    def retrieve(self, query: str, language: str = "") -> RetrievedProcedure | None:
        """Among procedures in `language` where one fits; else among all."""
        documents = list(load_documents(self.folder))
        same = [pair for pair in documents if not language or pair[1].get("idioma", "es") == language]
        return self._best(query, same) or self._best(query, documents)

    def _best(
        self, query: str, documents: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> RetrievedProcedure | None:
        best, most = None, 0
        for stem, told in documents:
            count = count_matches(query, document_keywords(stem, told))
            if count > most and self._citable(told):
                best, most = (stem, told), count
        if best is None:
            return None
        stem, told = best
        return RetrievedProcedure(stem, told, str(told.get("fuente_url") or ""), bool(told.get("verificado")))

    def _citable(self, told: Mapping[str, Any]) -> bool:
        url = str(told.get("fuente_url") or "")
        return not url or judge_citation(url, self.registry).allowed


def load_documents(folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every readable file of the folder by its name, in order; a broken one is passed over."""
    for path in sorted(folder.glob("*.json")):
        told = read_json(path)
        if isinstance(told, Mapping):
            yield path.stem, told


def document_keywords(stem: str, told: Mapping[str, Any]) -> list[str]:
    said = told.get("keywords")
    return [str(one) for one in said] if isinstance(said, list) and said else stem.split("_")


def select_documents(
    folder: Path,
    *,
    territory: str = "",
    organism: str = "",
    kind: str = "",
    channel: str = "",
    language: str = "",
) -> list[tuple[str, Mapping[str, Any]]]:
    """Procedures by territory (a level, community or municipality), organism (part of its name, or its abbreviation),
    kind, channel and language."""
    return [
        (stem, told)
        for stem, told in load_documents(folder)
        if _in_territory(told, territory)
        and _by_organism(told, organism)
        and (not kind or kind in told.get("tags", ()))
        and (not channel or told.get("canal") == channel)
        and (not language or told.get("idioma", "es") == language)
    ]


def _in_territory(told: Mapping[str, Any], wanted: str) -> bool:
    where = told.get("territorio") or {}
    return not wanted or wanted in {str(value) for value in where.values() if value}


def _by_organism(told: Mapping[str, Any], wanted: str) -> bool:
    if not wanted:
        return True
    return fold_for_matching(wanted) in fold_for_matching(
        str(told.get("organismo", ""))
    ) or wanted.upper() == told.get("organismo_abrev")


def unfindable_documents(folder: Path) -> list[tuple[str, str]]:
    """(procedure, who answers instead) for every name that does not find its own file."""
    documents = list(load_documents(folder))
    found = []
    for stem, told in documents:
        scores = [
            (count_matches(str(told.get("nombre", "")), document_keywords(other, more)), other)
            for other, more in documents
        ]
        most = max(score for score, _ in scores)
        first = next(other for score, other in scores if score == most)
        if first != stem:
            found.append((stem, first))
    return found
