"""Selects the retriever by the assistant's environment variables.

`RAG_ENABLED` (default false) puts the pages of the store before the files. `RAG_FALLBACK_CHAIN` (default true) tries one
retriever after another: the store, the files, and last a directory of responsible offices.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from headwater.model.errors import Refused
from headwater_recipes.procedures.registry.portals import PortalRegistry, packaged_registry
from headwater_recipes.procedures.retrieval.files import (
    KeywordRetriever,
    RetrievedProcedure,
    document_keywords,
    load_documents,
)
from headwater_recipes.procedures.retrieval.keywords import count_matches
from headwater_recipes.procedures.retrieval.store import PageSearch, StoreRetriever

ENABLED, CHAIN = "RAG_ENABLED", "RAG_FALLBACK_CHAIN"
ON, OFF = frozenset({"1", "true", "yes", "on"}), frozenset({"", "0", "false", "no", "off"})
DIRECTORY_FIELDS = ("nombre", "descripcion", "organismo", "telefono")
DIRECTORY = "directory_fallback"


class Retriever(Protocol):
    def retrieve(self, query: str, language: str = "") -> RetrievedProcedure | None: ...


@dataclass(frozen=True)
class DirectoryRetriever:
    """Matches keywords of all files, but cites nothing: it only returns who is responsible and how to call them, so that a
    question does not end without an answer."""

    folder: Path

    def retrieve(self, query: str, language: str = "") -> RetrievedProcedure | None:
        del language
        best, most = None, 0
        for stem, document in load_documents(self.folder):
            count = count_matches(query, document_keywords(stem, document))
            if count > most:
                best, most = (stem, document), count
        if best is None:
            return None
        stem, document = best
        fields = {name: document[name] for name in DIRECTORY_FIELDS if document.get(name)}
        return RetrievedProcedure(stem, {**fields, "source": DIRECTORY}, "", bool(document.get("verificado")))


@dataclass(frozen=True)
class FallbackRetriever:
    """Returns the answer of the first retriever that has one."""

    chain: Sequence[Retriever]

    def retrieve(self, query: str, language: str = "") -> RetrievedProcedure | None:
        answers = (retriever.retrieve(query, language) for retriever in self.chain)
        return next((answer for answer in answers if answer is not None), None)


@dataclass(frozen=True, slots=True)
class RetrievalSwitches:
    enabled: bool = False
    chain: bool = True


def read_switches(environment: Mapping[str, str]) -> RetrievalSwitches:
    return RetrievalSwitches(
        enabled=_switch(environment, ENABLED, default=False), chain=_switch(environment, CHAIN, default=True)
    )


def _switch(environment: Mapping[str, str], name: str, *, default: bool) -> bool:
    value = environment.get(name)
    if value is None:
        return default
    word = value.strip().lower()
    if word not in ON | OFF:
        raise Refused("bad_switch", f"{name} is {value!r}; use true or false")
    return word in ON


@dataclass(frozen=True, kw_only=True)
class RetrievalSources:
    """The folder of files, and the search over the store where there is one."""

    folder: Path
    search: PageSearch | None = None
    registry: PortalRegistry = field(default_factory=packaged_registry)


def get_retriever(sources: RetrievalSources, environment: Mapping[str, str]) -> Retriever:
    """The retriever that the environment selects. The store takes the place of the assistant's `RAG_DB_URL`: without a
    search over the store, the files answer alone."""
    switches = read_switches(environment)
    files = KeywordRetriever(sources.folder, sources.registry)
    store: list[Retriever] = (
        [StoreRetriever(sources.folder, sources.search, sources.registry)]
        if switches.enabled and sources.search is not None
        else []
    )
    if switches.chain:
        return FallbackRetriever((*store, files, DirectoryRetriever(sources.folder)))
    return store[0] if store else files
