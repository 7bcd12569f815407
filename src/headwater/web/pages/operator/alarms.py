"""Alarms: open ones and those that are over; acknowledge."""

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from headwater.store.reads.record_lists import ALARMS, list_rows
from headwater.store.schema.operations import alarms
from headwater.web.context import WebContext
from headwater.web.pages.forms import Action, Done
from headwater.web.pages.page import Page
from headwater.web.rest.listing import list_conditions
from headwater.web.rest.operations import ALARM_LISTING

PER_PAGE = 50


def load_alarms(request: Request, context: WebContext) -> dict[str, Any]:
    query = request.query_params
    recipe, past = query.get("recipe", ""), query.get("past", "") == "1"
    more = () if past else (alarms.c.cleared_at.is_(None),)
    selection = list_conditions(context, recipe, "", "", *more)
    rows, cursor = ALARM_LISTING.read_rows(
        lambda pages: list_rows(context.app.engine, ALARMS, selection, pages),
        tuple(ALARMS.columns),
        cursor=query.get("cursor", ""),
        limit=PER_PAGE,
    )
    source_ids = {row["id"] for row in context.app.catalogue.sources(recipe or None)}
    items = [{**row, "is_source": row["subject"] in source_ids} for row in rows]
    return {
        "recipes": context.app.catalogue.recipes(),
        "recipe": recipe,
        "past": past,
        "items": items,
        "next": cursor,
        "pairs": query.multi_items(),
    }


def acknowledge(request: Request, context: WebContext, fields: FormData) -> Done:
    del fields
    row = context.app.alarms.acknowledge(request.path_params["alarm"], context.app.clock())
    return Done(message="Acknowledged: {title}", values={"title": row["title"]})


PAGES = (
    Page(
        path="/operate/alarms",
        template="operator/alarms.html",
        load=load_alarms,
        parameters=frozenset({"recipe", "past", "cursor"}),
    ),
)
ACTIONS = (Action(path="/operate/alarms/{alarm}/acknowledge", perform=acknowledge),)
