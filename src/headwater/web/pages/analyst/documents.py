"""The list of documents: what arrived, of which recipe and source, in which state; the list behind many numbers of other pages."""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request

from headwater.model.errors import Refused
from headwater.model.jobs import State, stored_states
from headwater.store.reads.record_lists import (
    SOURCES,
    Direction,
    DocumentConditions,
    find_row,
    list_documents,
)
from headwater.store.schema.flow import sources
from headwater.web.context import WebContext
from headwater.web.pages.page import Page
from headwater.web.pages.sorting import LIST_PARAMETERS, read_sorted
from headwater.web.rest.documents import DOCUMENT_LISTING
from headwater.web.rest.listing import chosen_recipes, parse_moment

PER_PAGE = 50
FIELDS = (
    "id", "recipe", "source_id", "state", "reason", "url", "title", "publisher", "language", "published_at", "created_at",
    "updated_at",
)  # fmt: skip
STATES = tuple(state.value for state in (State.KEPT, State.DUPLICATE, State.DROPPED, State.QUARANTINED))
# Several states together, for numbers that count them together.
STATE_GROUPS = {
    "rejected": (State.DROPPED, State.QUARANTINED),
    "all": (State.KEPT, State.DUPLICATE, State.DROPPED, State.QUARANTINED),
}
DIRECTIONS: dict[str, Direction] = {"created": "desc", "published": "desc", "updated": "desc"}
CHOICES = ("recipe", "state", "source", "language", "since")


def load_documents(request: Request, context: WebContext) -> dict[str, Any]:
    query = request.query_params
    chosen = {name: query.get(name, "") for name in CHOICES}
    selection = DocumentConditions(
        recipes=chosen_recipes(context, chosen["recipe"]),
        states=stored_states(_states(chosen["state"])),
        source=chosen["source"] or None,
        language=chosen["language"] or None,
        since=parse_moment(context, chosen["since"], "since"),
    )
    page = read_sorted(
        query,
        DOCUMENT_LISTING,
        lambda pages: list_documents(context.app.engine, selection, pages),
        names=FIELDS,
        directions=DIRECTIONS,
        limit=PER_PAGE,
    )
    return {
        **chosen,
        "recipes": context.app.catalogue.recipes(),
        "states": (*STATES, *STATE_GROUPS),
        "source_name": _source_name(context, chosen["source"]),
        "items": page.rows,
        **page.members,
    }


def _states(text: str) -> Sequence[State]:
    if text in STATE_GROUPS:
        return STATE_GROUPS[text]
    if text and text not in STATES:
        names = ", ".join((*STATES, *STATE_GROUPS))
        raise Refused("bad_state", f"there is no state '{text}'; there are: {names}")
    return [State(text or State.KEPT)]


def _source_name(context: WebContext, source: str) -> str:
    row = find_row(context.app.engine, SOURCES, sources.c.id == source) if source else None
    return str(row["name"]) if row else source


DOCUMENTS_PAGE = Page(
    path="/documents",
    template="analyst/documents.html",
    load=load_documents,
    parameters=LIST_PARAMETERS | {*CHOICES},
    label="Documents",
)
