"""The policy log: every fetch with the rule that allowed it and its answer, and what was not fetched because of a rule."""

from datetime import timedelta
from typing import Any

from starlette.requests import Request

from headwater.fetch.politeness.rights_reservations import SIGNAL_FIELDS
from headwater.store.reads.record_lists import CAPTURES, list_of, list_rows
from headwater.store.reads.refused_fetches import refused_fetches
from headwater.store.rows import Record
from headwater.store.schema.flow import captures
from headwater.web.context import WebContext
from headwater.web.pages.forms import Action
from headwater.web.pages.page import Page
from headwater.web.rest.documents import CAPTURE_LISTING
from headwater.web.rest.listing import list_conditions

PER_PAGE = 50
REFUSED_FOR = timedelta(days=7)


def load_fetches(request: Request, context: WebContext) -> dict[str, Any]:
    query, engine = request.query_params, context.app.engine
    recipe, source = query.get("recipe", ""), query.get("source", "")
    selection = list_conditions(context, recipe, "", "")
    rows, cursor = CAPTURE_LISTING.read_rows(
        lambda pages: (
            list_of(engine, CAPTURES, captures.c.source_id == source, pages)
            if source
            else list_rows(engine, CAPTURES, selection, pages)
        ),
        CAPTURES.shown,
        cursor=query.get("cursor", ""),
        limit=PER_PAGE,
    )
    names = {row["id"]: row["name"] for row in context.app.catalogue.sources(recipe or None)}
    return {
        "recipes": context.app.catalogue.recipes(),
        "recipe": recipe,
        "source": source,
        "source_name": names.get(source, ""),
        "refused": [
            {**row, "source_name": names.get(row["source_id"], "")}
            for row in refused_fetches(engine, selection.recipes, context.app.clock() - REFUSED_FOR)
            if source in ("", row["source_id"])
        ],
        "items": [describe_fetch(row) | {"source_name": names.get(row["source_id"], "")} for row in rows],
        "next": cursor,
        "pairs": query.multi_items(),
    }


def describe_fetch(row: Record) -> dict[str, Any]:
    """A capture with its policy in parts: as whom it was requested, what allowed it, and what the publisher reserves."""
    policy = {name: value for name, value in row["policy"].items() if value not in (None, "", [], {})}
    return {
        **row,
        "agent": policy.get("agent", ""),
        "rules": {
            name: value for name, value in policy.items() if name not in SIGNAL_FIELDS and name != "agent"
        },
        "reservations": {name: value for name, value in policy.items() if name in SIGNAL_FIELDS},
    }


PAGES = (
    Page(
        path="/operate/fetches",
        template="operator/fetches.html",
        load=load_fetches,
        parameters=frozenset({"recipe", "source", "cursor"}),
    ),
)
ACTIONS: tuple[Action, ...] = ()
