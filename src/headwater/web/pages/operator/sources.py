"""Sources: their health, rhythm and silence; adding one with a preview; pause, resume, reset, poll and mute."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import msgspec
from starlette.datastructures import FormData
from starlette.requests import Request

from headwater.model.api_key import KeyScope
from headwater.model.errors import Permanent, Refused
from headwater.ops.remote_sources import refuse_references, remote_source
from headwater.ops.source_detection import UnusableSource, detect_sources
from headwater.ops.source_preview import PREVIEWED, check_by_trial
from headwater.ops.source_registration import plan_registration, register_source
from headwater.ops.source_reports import source_reports
from headwater.ops.source_status import source_status
from headwater.settings.sources import SourceLine, parse_duration
from headwater.store.reads.record_lists import (
    CAPTURES,
    POLLS,
    SOURCES,
    Direction,
    PageRequest,
    find_row,
    list_of,
)
from headwater.store.reads.source_history import daily_polls
from headwater.store.schema.flow import captures, polls, sources
from headwater.web.context import WebContext
from headwater.web.pages.forms import Action, Done
from headwater.web.pages.operator.live_workers import has_live_workers
from headwater.web.pages.page import Page
from headwater.web.pages.sorting import SORT_PARAMETERS, chosen_order

PER_PAGE = 50
DIRECTIONS: dict[str, Direction] = {"status": "asc", "name": "asc", "polled": "desc"}
DAYS = 14
SHOWN_POLLS, SHOWN_FETCHES = 20, 10
# Kinds of sources for which an address is enough.
ADDRESS_KINDS = ("feed", "sitemap", "page", "crawl")
PREVIEW_SECONDS = timedelta(seconds=10)
STATUSES = ("failing", "stopped", "silent", "gone", "paused", "unlisted", "removed", "muted", "new", "ok")
# What needs an operator comes first.
SEVERITY = {"stopped": 0, "failing": 1, "silent": 2, "gone": 3, "paused": 4, "unlisted": 5, "new": 6, "ok": 7}


def load_sources(request: Request, context: WebContext) -> dict[str, Any]:
    app, query = context.app, request.query_params
    recipe, status, words = (query.get(name, "") for name in ("recipe", "status", "q"))
    silent = _silent_sources(context)
    rows = [
        _with_status(row, silent, context)
        for row in app.catalogue.sources(recipe or None)
        if _matches(row, words)
    ]
    counts = {name: sum(1 for row in rows if name in row["statuses"]) for name in STATUSES}
    chosen = [row for row in rows if not status or status in row["statuses"]]
    order = chosen_order(query, DIRECTIONS)
    chosen = sorted_sources(chosen, order["sort"], order["direction"])
    page = _page_number(query.get("page", ""))
    shown = chosen[(page - 1) * PER_PAGE : page * PER_PAGE]
    reports = _reports(context, [row["id"] for row in shown])
    return {
        "recipes": app.catalogue.recipes(),
        "recipe": recipe,
        "status": status,
        "q": words,
        "counts": counts,
        "order": order,
        "pairs": [(name, value) for name, value in query.multi_items() if name != "page" and value],
        "total": len(chosen),
        "page": page,
        "pages": max(1, -(-len(chosen) // PER_PAGE)),
        "items": [{**row, **reports.get(row["id"], {})} for row in shown],
    }


def sorted_sources(rows: Sequence[dict[str, Any]], sort: str, direction: Direction) -> list[dict[str, Any]]:
    """Those without a time come last, whatever the direction."""
    is_reversed = direction == "desc"
    named = sorted(rows, key=lambda row: (row["recipe"], row["name"].lower()))
    if sort == "status":
        return sorted(named, key=lambda row: SEVERITY.get(row["statuses"][0], 7), reverse=is_reversed)
    if sort == "name":
        return sorted(named, key=lambda row: row["name"].lower(), reverse=is_reversed)
    with_time = [row for row in named if row["last_polled_at"] is not None]
    without_time = [row for row in named if row["last_polled_at"] is None]
    return [*sorted(with_time, key=lambda row: row["last_polled_at"], reverse=is_reversed), *without_time]


def _reports(context: WebContext, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    since = context.app.clock() - timedelta(days=DAYS)
    return {report["id"]: report for report in source_reports(context.app, since, None, ids)}


def _silent_sources(context: WebContext) -> set[str]:
    """Those with an open alarm about their silence: the health check compares it with their rhythm."""
    open_alarms = context.app.alarms.list_alarms(None, past=False, limit=1_000)
    return {alarm["subject"] for alarm in open_alarms if alarm["kind"] == "silent"}


def _with_status(row: Mapping[str, Any], silent: set[str], context: WebContext) -> dict[str, Any]:
    status = source_status(row)
    statuses = [status.partition(" ")[0]]
    if row["id"] in silent and statuses == ["ok"]:
        statuses = ["silent"]
    if row["muted_until"] is not None and row["muted_until"] > context.app.clock():
        statuses.append("muted")
    names = ("id", "recipe", "kind", "name", "url", "due_at", "last_polled_at", "last_success_at", "reason")
    return {name: row[name] for name in names} | {"status": status, "statuses": statuses}


def _matches(row: Mapping[str, Any], words: str) -> bool:
    text = f"{row['name']} {row['url']}".lower()
    return all(word in text for word in words.lower().split())


def _page_number(text: str) -> int:
    return int(text) if text.isdecimal() and int(text[:6]) > 0 else 1


def load_source(request: Request, context: WebContext) -> dict[str, Any]:
    app, source = context.app, request.path_params["source"]
    row = _find_source(context, source)
    engine = app.engine
    poll_page = list_of(
        engine, POLLS, polls.c.source_id == source, PageRequest(names=tuple(POLLS.columns), limit=SHOWN_POLLS)
    )
    fetch_page = list_of(
        engine,
        CAPTURES,
        captures.c.source_id == source,
        PageRequest(names=CAPTURES.shown, limit=SHOWN_FETCHES),
    )
    return {
        "source": {**row, "status": source_status(row)},
        "has_workers": has_live_workers(app),
        "report": _reports(context, [source])[source],
        "polls": poll_page.rows,
        "fetches": fetch_page.rows,
        "days": _new_per_day(context, source),
    }


def _new_per_day(context: WebContext, source: str) -> list[dict[str, Any]]:
    """What was new on each of the last days, the oldest first; a day without a poll brought nothing."""
    now = context.app.clock()
    by_day = {
        row["day"]: row["new"] for row in daily_polls(context.app.engine, source, now - timedelta(days=DAYS))
    }
    days = [f"{now - timedelta(days=number):%Y-%m-%d}" for number in reversed(range(DAYS))]
    return [{"day": day, "new": int(by_day.get(day) or 0)} for day in days]


def _find_source(context: WebContext, source: str) -> dict[str, Any]:
    row = find_row(context.app.engine, SOURCES, sources.c.id == source)
    if row is None:
        raise Refused("unknown_source", "there is no such source")
    return row


def load_add(request: Request, context: WebContext) -> dict[str, Any]:
    query = request.query_params
    return _add_model(context, query.get("recipe", ""), query.get("url", ""))


def _add_model(context: WebContext, recipe: str, url: str) -> dict[str, Any]:
    recipes = sorted(context.app.recipes)
    form = {"recipes": recipes, "recipe": recipe, "url": url, "kinds": ADDRESS_KINDS, "kind": ""}
    return form | {"candidates": None, "problem": ""}


def preview(request: Request, context: WebContext, fields: FormData) -> Done:
    """What the address offers; nothing is stored. An address that cannot be used stays in the form."""
    del request
    url, kind = (str(fields.get(name, "")).strip() for name in ("url", "kind"))
    recipe = context.app.recipe(str(fields.get("recipe", ""))).name
    model = _add_model(context, recipe, url) | {"kind": kind}
    try:
        return Done(model=model | {"candidates": _candidates(context, recipe, url, kind)})
    except UnusableSource as error:
        return Done(model=model | {"problem": f"{error.detail}. {advice_of(error)}"})
    except (Refused, Permanent) as error:
        return Done(model=model | {"problem": error.detail})


def advice_of(error: UnusableSource) -> str:
    """What a reader of the page can do."""
    if error.cause == "forbidden_address":
        return "They are in headwater.yaml; start the server again afterwards"
    return "Correct the address, or try again later"


def _candidates(context: WebContext, recipe: str, url: str, kind: str) -> list[dict[str, Any]]:
    """What the address offers, or what a source of the kind lists there. `is_previewed` says that no trial poll is needed when
    it is added."""
    if not url:
        raise Refused("bad_source", "give the address of a feed, a sitemap or a site")
    if kind:
        source = remote_source(context.app, SourceLine(name=url, url=url, kind=kind), recipe)
        candidates = [check_by_trial(context.app, source, PREVIEW_SECONDS)]
    else:
        refuse_references(url)
        candidates = detect_sources(context.app, url, PREVIEW_SECONDS)
    return [
        msgspec.to_builtins(candidate) | {"is_previewed": bool(kind) or candidate.kind in PREVIEWED}
        for candidate in candidates
    ]


def add(request: Request, context: WebContext, fields: FormData) -> Done:
    del request
    values = {name: str(fields.get(name, "")).strip() for name in ("recipe", "name", "url", "kind", "every")}
    line = SourceLine(
        name=values["name"], url=values["url"], kind=values["kind"] or "feed", every=values["every"] or None
    )
    source = remote_source(context.app, line, values["recipe"])
    is_new = plan_registration(context.app, source, replace_existing=False).is_stored
    if is_new and not fields.get("is_previewed"):
        check_by_trial(context.app, source, PREVIEW_SECONDS)
    registration = register_source(context.app, source, replace_existing=False)
    if not registration.is_stored:
        raise Refused("name_taken", "the source exists already")
    return Done(
        message="{name} is added; its first poll is due now.",
        values={"name": source.name},
        location=f"/operate/sources/{source.id}",
    )


def _change(perform: Callable[[WebContext, str, FormData], str], message: str) -> Any:
    def carry_out(request: Request, context: WebContext, fields: FormData) -> Done:
        source = request.path_params["source"]
        _find_source(context, source)
        return Done(message=message, values={"name": perform(context, source, fields)})

    return carry_out


def _pause(context: WebContext, source: str, fields: FormData) -> str:
    del fields
    return context.app.operations.pause(source, active=False, now=context.app.clock())


def _resume(context: WebContext, source: str, fields: FormData) -> str:
    del fields
    return context.app.operations.pause(source, active=True, now=context.app.clock())


def _reset(context: WebContext, source: str, fields: FormData) -> str:
    del fields
    return context.app.operations.reset(source, context.app.clock())


def _poll(context: WebContext, source: str, fields: FormData) -> str:
    del fields
    context.app.operations.poll_now(source, context.app.clock())
    return str(_find_source(context, source)["name"])


def _mute(context: WebContext, source: str, fields: FormData) -> str:
    span = parse_duration(str(fields.get("for", "")) or "7d", "for")
    return context.app.operations.mute(source, context.app.clock() + span)


def _unmute(context: WebContext, source: str, fields: FormData) -> str:
    del fields
    return context.app.operations.mute(source, None)


CHANGES = {
    "pause": (_pause, "{name} is paused."),
    "resume": (_resume, "{name} is polled again."),
    "reset": (_reset, "{name} is reset: it is due now."),
    "poll": (_poll, "{name} is due now."),
    "mute": (_mute, "{name} is muted: no alarm is raised about it for a while."),
    "unmute": (_unmute, "{name} is no longer muted."),
}
PAGES = (
    Page(
        path="/operate/sources",
        template="operator/sources.html",
        load=load_sources,
        parameters=SORT_PARAMETERS | {"recipe", "status", "q", "page"},
    ),
    Page(
        path="/operate/sources/add",
        template="operator/source_add.html",
        load=load_add,
        scope=KeyScope.ADMIN,
        parameters=frozenset({"recipe", "url"}),
    ),
    Page(path="/operate/sources/{source}", template="operator/source.html", load=load_source),
)
ACTIONS = (
    Action(
        path="/operate/sources/preview",
        perform=preview,
        scope=KeyScope.ADMIN,
        template="operator/source_add.html",
        page="/operate/sources/add",
    ),
    Action(path="/operate/sources/add", perform=add, scope=KeyScope.ADMIN),
    *(
        Action(path=f"/operate/sources/{{source}}/{name}", perform=_change(perform, message))
        for name, (perform, message) in CHANGES.items()
    ),
)
