"""One saved search: what met it, what became of each delivery, its feeds, and a form to change it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from headwater.model.jobs import State
from headwater.model.saved_search import SavedSearch
from headwater.ops.saved_searches import (
    KINDS,
    SearchRequest,
    apply_search,
    change_search,
    channel_problems,
    named_search,
    search_record,
)
from headwater.search.match_feed import FEED_FORMATS
from headwater.store.reads.saved_searches import list_matches, match_counts, match_deliveries
from headwater.web.context import WebContext
from headwater.web.pages.forms import Action, Done
from headwater.web.pages.operator.delivery_choices import chosen_delivery, delivery_choices
from headwater.web.pages.page import Page
from headwater.web.rest.cursors import read_cursor, write_cursor
from headwater.web.search_pages import value_label

PER_PAGE = 50
# The figures of deliveries are about this many of the newest matches.
COUNTED = 200
NO_DELIVERY = {"state": "", "reason": None, "sent_at": None, "due_at": None}


def load_search(request: Request, context: WebContext) -> dict[str, Any]:
    app, query = context.app, request.query_params
    search = named_search(app, request.path_params["name"])
    order = f"matches/{search.id}"
    after = read_cursor(query.get("cursor", ""), order, [datetime, str])
    page = list_matches(app.engine, search, after, PER_PAGE)
    sent = match_deliveries(app.engine, search, page.rows)
    counts = match_counts(app.engine, search.id)
    total, last = counts.get(search.id, (0, None))
    newest = list_matches(app.engine, search, None, COUNTED).rows if search.channel else []
    return {
        "search": search_record(search),
        "conditions": condition_records(search.filters),
        "total": total,
        "last_match_at": last,
        "deliveries": delivery_figures(list(match_deliveries(app.engine, search, newest).values())),
        "counted": COUNTED,
        "problem": channel_problems(app).get(search.name, ""),
        "feeds": list(FEED_FORMATS),
        "items": [
            {**row, "delivery": delivery_record(sent.get(row["record_id"], NO_DELIVERY))} for row in page.rows
        ],
        "next": write_cursor(order, page.next_position),
        "pairs": [],
        "recipes": app.catalogue.recipes(),
        "delivery_choices": delivery_choices(app.channels, (search.channel, search.delivery.value)),
        "kinds": list(KINDS),
    }


def condition_records(filters: Mapping[str, Any]) -> list[dict[str, str]]:
    """Each value of each filter, with a name for people."""
    return [
        {"name": name, "value": str(value), "label": value_label(name, str(value))}
        for name, values in filters.items()
        for value in (values if isinstance(values, list | tuple) else [values])
    ]


def delivery_record(delivery: Mapping[str, Any]) -> dict[str, Any]:
    """`state` is one word for people: sent, waiting, failing, failed, withdrawn, or nothing."""
    return {
        "state": delivery_state(delivery),
        "reason": delivery["reason"],
        "sent_at": delivery["sent_at"],
        "due_at": delivery["due_at"],
    }


def delivery_state(delivery: Mapping[str, Any]) -> str:
    words = {State.DONE: "sent", State.QUARANTINED: "failed", State.DROPPED: "withdrawn"}
    if delivery["state"] == State.WAITING:
        return "failing" if delivery["reason"] and delivery["reason"] != "waits_its_turn" else "waiting"
    return words.get(delivery["state"], "")


def delivery_figures(deliveries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How many were sent, wait or failed, and when the last one was sent. A digest counts once."""
    by_id = {delivery["id"]: delivery for delivery in deliveries}
    counts = Counter(delivery_state(delivery) for delivery in by_id.values())
    times = [delivery["sent_at"] for delivery in by_id.values() if delivery["sent_at"]]
    return {
        "last_sent_at": max(times, default=None),
        "sent": counts["sent"],
        "waiting": counts["waiting"],
        "failed": counts["failing"] + counts["failed"],
    }


def change(request: Request, context: WebContext, fields: FormData) -> Done:
    """The form has every condition with a box: those that are ticked stay."""
    before = named_search(context.app, request.path_params["name"])
    channel, delivery = chosen_delivery(str(fields.get("delivery", "")))
    change_search(
        context.app,
        SearchRequest(
            name=before.name,
            query=str(fields.get("query", "")).strip(),
            filters=remaining_filters(before, {str(value) for value in fields.getlist("condition")}),
            recipe=str(fields.get("recipe", "")) or None,
            record_kind=str(fields.get("record_kind", "all")),
            action=before.action,
            delivery=delivery,
            channel=channel,
        ),
    )
    return Done(message="{name} is changed; its matches stay.", values={"name": before.name})


def remaining_filters(search: SavedSearch, kept: set[str]) -> dict[str, Any]:
    """Those whose `name=value` is among the kept; the value of a number, such as the least quality, stays a number."""
    filters: dict[str, Any] = {}
    for name, values in search.filters.items():
        if isinstance(values, list | tuple):
            filters[name] = [value for value in values if f"{name}={value}" in kept]
        elif f"{name}={values}" in kept:
            filters[name] = values
    return filters


def apply(request: Request, context: WebContext, fields: FormData) -> Done:
    del fields
    figures = apply_search(context.app, request.path_params["name"])
    return Done(
        message="Of what is stored, {matching} match; new here: {changed}.",
        values={"matching": figures.matching, "changed": figures.changed},
    )


PAGES = (
    Page(
        path="/operate/searches/{name}",
        template="operator/saved_search.html",
        load=load_search,
        parameters=frozenset({"cursor"}),
    ),
)
ACTIONS = (
    Action(path="/operate/searches/{name}/change", perform=change),
    Action(path="/operate/searches/{name}/apply", perform=apply),
)
