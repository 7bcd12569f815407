"""Which retriever answers: switched by the assistant's own environment variables.

`RAG_ENABLED` (default false) puts the pages of the store before the files; `RAG_FALLBACK_CHAIN` (default true) asks
one after another: the store, the files, and last a directory that only tells whom to turn to.
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
    """Counts keywords like the others, but cites nothing: who is responsible and how to call them may be told of any
    file, so that a question does not end without an answer."""

    folder: Path

    def retrieve(self, query: str, language: str = "") -> RetrievedProcedure | None:
        del language
        best, most = None, 0
        for stem, told in load_documents(self.folder):
            count = count_matches(query, document_keywords(stem, told))
            if count > most:
                best, most = (stem, told), count
        if best is None:
            return None
        stem, told = best
        shown = {name: told[name] for name in DIRECTORY_FIELDS if told.get(name)}
        return RetrievedProcedure(stem, {**shown, "source": DIRECTORY}, "", bool(told.get("verificado")))


@dataclass(frozen=True)
class FallbackRetriever:
    """The first that answers."""

    chain: Sequence[Retriever]

    def retrieve(self, query: str, language: str = "") -> RetrievedProcedure | None:
        answers = (one.retrieve(query, language) for one in self.chain)
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
    said = environment.get(name)
    if said is None:
        return default
    word = said.strip().lower()
    if word not in ON | OFF:
        raise Refused("bad_switch", f"{name} is {said!r}: say true or false")
    return word in ON


@dataclass(frozen=True, kw_only=True)
class RetrievalSources:
    """What answers can come from: the folder of files, and the search over the store where there is one."""

    folder: Path
    search: PageSearch | None = None
    registry: PortalRegistry = field(default_factory=packaged_registry)


def get_retriever(shelf: RetrievalSources, environment: Mapping[str, str]) -> Retriever:
    """The store of this installation stands where the assistant's own code asks for `RAG_DB_URL`: without a search, it
    is not asked, whatever is enabled."""
    switches = read_switches(environment)
    files = KeywordRetriever(shelf.folder, shelf.registry)
    store: list[Retriever] = (
        [StoreRetriever(shelf.folder, shelf.search, shelf.registry)]
        if switches.enabled and shelf.search is not None
        else []
    )
    if switches.chain:
        return FallbackRetriever((*store, files, DirectoryRetriever(shelf.folder)))
    return store[0] if store else files
