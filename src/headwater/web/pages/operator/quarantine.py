"""Quarantine: the record, the reason and the trail; retry or drop one or many."""

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from headwater.model.errors import Refused
from headwater.store.reads.explanation import explain
from headwater.store.reads.quarantine_reasons import quarantine_reasons, record_titles
from headwater.store.reads.record_lists import QUARANTINE, Direction, find_row, list_rows
from headwater.store.schema.flow import quarantine
from headwater.web.context import WebContext
from headwater.web.pages.confirmation import Question
from headwater.web.pages.forms import Action, Done
from headwater.web.pages.operator.live_workers import has_live_workers
from headwater.web.pages.operator.missing import describe_fate
from headwater.web.pages.page import Page
from headwater.web.pages.sorting import LIST_PARAMETERS, read_sorted
from headwater.web.rest.listing import list_conditions
from headwater.web.rest.operations import QUARANTINE_LISTING

PER_PAGE = 50
DIRECTIONS: dict[str, Direction] = {"created": "desc", "reason": "asc", "recipe": "asc"}
NO_TITLE = {"title": "", "url": ""}


def load_quarantine(request: Request, context: WebContext) -> dict[str, Any]:
    query = request.query_params
    recipe, reason = query.get("recipe", ""), query.get("reason", "")
    more = (quarantine.c.reason == reason,) if reason else ()
    selection = list_conditions(context, recipe, query.get("since", ""), "", *more)
    page = read_sorted(
        query,
        QUARANTINE_LISTING,
        lambda pages: list_rows(context.app.engine, QUARANTINE, selection, pages),
        names=QUARANTINE.shown,
        directions=DIRECTIONS,
        limit=PER_PAGE,
    )
    titles = record_titles(context.app.engine, [row["record_id"] for row in page.rows])
    return {
        "recipes": context.app.catalogue.recipes(),
        "recipe": recipe,
        "reason": reason,
        "reasons": quarantine_reasons(context.app.engine, recipe or None),
        "has_workers": has_live_workers(context.app),
        "items": [row | titles.get(row["record_id"], NO_TITLE) for row in page.rows],
        **page.members,
    }


def load_record(request: Request, context: WebContext) -> dict[str, Any]:
    record = request.path_params["record"]
    row = find_row(context.app.engine, QUARANTINE, quarantine.c.record_id == record)
    history = explain(context.app.engine, record)
    if row is None and history is None:
        raise Refused("not_quarantined", "this record is not quarantined; perhaps it was retried or dropped")
    # Whoever retried it comes back to this page and reads what became of it.
    fate = describe_fate(history) if row is None and history else None
    return {"entry": row, "history": history, "fate": fate}


def retry(request: Request, context: WebContext, fields: FormData) -> Done:
    del request
    records, recipe, reason = _chosen(fields)
    count = context.app.operations.retry(records, recipe, context.app.clock(), reason=reason)
    return Done(
        message="Records that are due again: {count}.", values={"count": count}, location=_list_page(fields)
    )


def ask_drop(request: Request, context: WebContext, fields: FormData) -> Question:
    del request
    records, recipe, reason = _chosen(fields)
    rows = quarantine_reasons(context.app.engine, recipe) if records is None else ()
    count = len(records) if records else sum(row["count"] for row in rows if row["reason"] == reason)
    if count == 1:
        return Question(message="Drop this record for good?", label="Drop")
    return Question(message="Drop {count} records for good?", label="Drop", values={"count": count})


def drop(request: Request, context: WebContext, fields: FormData) -> Done:
    del request
    records, recipe, reason = _chosen(fields)
    count = context.app.operations.drop(records, recipe, reason=reason)
    return Done(
        message="Records that are dropped: {count}.", values={"count": count}, location=_list_page(fields)
    )


def _list_page(fields: FormData) -> str:
    return str(fields.get("next", "")) or "/operate/quarantine"


def _chosen(fields: FormData) -> tuple[list[str] | None, str | None, str | None]:
    """The records that were ticked, or all with a reason."""
    records = [str(record) for record in fields.getlist("record")]
    recipe, reason = str(fields.get("recipe", "")), str(fields.get("reason", ""))
    if fields.get("all") and reason:
        return None, recipe or None, reason
    if not records:
        raise Refused("bad_choice", "choose at least one record")
    return records, None, None


PAGES = (
    Page(
        path="/operate/quarantine",
        template="operator/quarantine.html",
        load=load_quarantine,
        parameters=LIST_PARAMETERS | {"recipe", "reason", "since"},
    ),
    Page(path="/operate/quarantine/{record}", template="operator/quarantined.html", load=load_record),
)
ACTIONS = (
    Action(path="/operate/quarantine/retry", perform=retry),
    Action(path="/operate/quarantine/drop", perform=drop, ask=ask_drop),
)
