"""Retrieves procedures from the files of the knowledge base: by keywords as the assistant does, or by filters."""

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
    """The same five fields that the assistant's own retrievers return."""

    tramite: str
    datos: Mapping[str, Any]
    fuente_url: str
    verificado: bool
    chunks_used: tuple[str, ...] = ()


@dataclass(frozen=True)
class KeywordRetriever:
    """Counts keywords that occur in the query, as the assistant does. A tie goes to the first name, so that the answer is
    always the same. Files whose address may not be cited are skipped."""

    folder: Path
    registry: PortalRegistry = field(default_factory=packaged_registry)

    def retrieve(self, query: str, language: str = "") -> RetrievedProcedure | None:
        """The best procedure in `language` if one matches, else the best of all."""
        documents = list(load_documents(self.folder))
        in_language = [pair for pair in documents if not language or pair[1].get("idioma", "es") == language]
        return self._best(query, in_language) or self._best(query, documents)

    def _best(
        self, query: str, documents: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> RetrievedProcedure | None:
        best, most = None, 0
        for stem, document in documents:
            count = count_matches(query, document_keywords(stem, document))
            if count > most and self._is_citable(document):
                best, most = (stem, document), count
        if best is None:
            return None
        stem, document = best
        return RetrievedProcedure(
            stem, document, str(document.get("fuente_url") or ""), bool(document.get("verificado"))
        )

    def _is_citable(self, document: Mapping[str, Any]) -> bool:
        url = str(document.get("fuente_url") or "")
        return not url or judge_citation(url, self.registry).allowed


def load_documents(folder: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every document of the folder with its file stem, in order. Invalid files are skipped."""
    for path in sorted(folder.glob("*.json")):
        document = read_json(path)
        if isinstance(document, Mapping):
            yield path.stem, document


def document_keywords(stem: str, document: Mapping[str, Any]) -> list[str]:
    keywords = document.get("keywords")
    if isinstance(keywords, list) and keywords:
        return [str(keyword) for keyword in keywords]
    return stem.split("_")


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
        (stem, document)
        for stem, document in load_documents(folder)
        if _in_territory(document, territory)
        and _by_organism(document, organism)
        and (not kind or kind in document.get("tags", ()))
        and (not channel or document.get("canal") == channel)
        and (not language or document.get("idioma", "es") == language)
    ]


def _in_territory(document: Mapping[str, Any], territory: str) -> bool:
    places = document.get("territorio") or {}
    return not territory or territory in {str(place) for place in places.values() if place}


def _by_organism(document: Mapping[str, Any], organism: str) -> bool:
    if not organism:
        return True
    return fold_for_matching(organism) in fold_for_matching(
        str(document.get("organismo", ""))
    ) or organism.upper() == document.get("organismo_abrev")


def unfindable_documents(folder: Path) -> list[tuple[str, str]]:
    """(procedure, other procedure) for every procedure whose name retrieves another one."""
    documents = list(load_documents(folder))
    unfindable = []
    for stem, document in documents:
        scores = [
            (count_matches(str(document.get("nombre", "")), document_keywords(other, other_document)), other)
            for other, other_document in documents
        ]
        most = max(score for score, _ in scores)
        first = next(other for score, other in scores if score == most)
        if first != stem:
            unfindable.append((stem, first))
    return unfindable
