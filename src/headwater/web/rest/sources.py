"""Sources: list, health, OPML; add, change, pause, reset and remove; try an address without storing anything."""

from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import msgspec
from fastapi import Body, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from headwater.model.errors import Refused
from headwater.model.page import PageMode
from headwater.ops.feed_check import check_feeds
from headwater.ops.remote_sources import refuse_references, remote_source
from headwater.ops.source_detection import detect_sources
from headwater.ops.source_lists import source_opml
from headwater.ops.source_preview import check_by_trial
from headwater.ops.source_registration import plan_registration, register_source
from headwater.ops.source_reports import source_reports
from headwater.settings.sources import SourceLine, parse_duration
from headwater.store.reads.record_lists import (
    POLLS,
    SOURCES,
    ListConditions,
    SourceSort,
    find_row,
    list_of,
    list_rows,
)
from headwater.store.rows import Record
from headwater.store.schema.flow import polls, sources
from headwater.web.context import context_of
from headwater.web.rest.answers import bytes_answer_to, json_answer_to
from headwater.web.rest.forms import plain_item, rows_answer
from headwater.web.rest.listing import (
    DirectionParameter,
    Listing,
    PageParameters,
    RecipeParameter,
    add_list,
    chosen_recipes,
)
from headwater.web.rest.routing import ADMIN, OPERATE, api_router, described
from headwater.web.rest.schemas import TEXT, TIME, YES_NO, list_schema, object_schema, record_schema

router = api_router("/sources", "sources")
SOURCE_LISTING = Listing(
    "sources", SOURCES, plain_item("source", "name", "updated_at", text_field="url"), ("id", "name", "url", "updated_at")
)  # fmt: skip
POLL_LISTING = Listing(
    "polls", POLLS, plain_item("poll", "status", "started_at", text_field="error"), ("id", "status", "started_at", "error")
)  # fmt: skip
CHANGED = object_schema({"id": TEXT, "name": TEXT})
ADDED = object_schema({"id": TEXT, "name": TEXT})
ADDED["properties"]["preview"] = {"type": "object", "description": "What the trial poll listed."}
Address = Annotated[str, Body(embed=True, min_length=1, max_length=4_000, description="An address.")]
SECONDS = timedelta(seconds=10)


def read_sources(
    request: Request,
    page: Annotated[PageParameters, Depends()],
    *,
    recipe: RecipeParameter = "",
    sort: Annotated[SourceSort, Query(description="By when it was added or last polled.")] = "created",
    direction: DirectionParameter = "desc",
) -> Response:
    """Newest first, unless you choose another order."""
    context = context_of(request)
    selection = ListConditions(recipes=chosen_recipes(context, recipe))
    return SOURCE_LISTING.answer(
        request,
        page,
        lambda pages: list_rows(context.app.engine, SOURCES, selection, pages),
        sort=sort,
        direction=direction,
    )


@router.get(
    ".opml",
    responses=described({}, "OPML.", media={"text/x-opml": {"schema": {"type": "string"}}}),
    response_class=Response,
)
def read_opml(request: Request, recipe: RecipeParameter = "") -> Response:
    """The feeds as OPML. Secrets in addresses are hidden."""
    context = context_of(request)
    text = source_opml(context.app, chosen_recipes(context, recipe))
    return bytes_answer_to(request, text.encode(), "text/x-opml; charset=utf-8")


def read_source_health(
    request: Request,
    recipe: RecipeParameter = "",
    days: Annotated[int, Query(ge=1, le=365, description="How many days to look back.")] = 14,
) -> Response:
    """How reliable each source is: polls, response time, rhythm, silence, quality, and what is remarkable."""
    context = context_of(request)
    since = context.app.clock() - timedelta(days=days)
    chosen_recipes(context, recipe)
    rows = source_reports(context.app, since, recipe or None)
    describe = plain_item("source", "name", "last_seen_at", text_field="remark", url_field="url")
    return rows_answer(request, "source health", rows, describe)


add_list(
    router, "/health", read_source_health, list_schema({"type": "object"}), "List the health of sources."
)


def find_source(request: Request, source: str) -> Record:
    row = find_row(context_of(request).app.engine, SOURCES, sources.c.id == source)
    if row is None:
        raise Refused("unknown_source", "there is no such source")
    return row


@router.get("/{source}", responses=described(record_schema(SOURCES.columns)))
def read_source(request: Request, source: str) -> Response:
    """One source with its options and its watermark. Its documents are /documents?source=ID, also as a feed."""
    return json_answer_to(request, find_source(request, source))


def read_polls(request: Request, source: str, page: Annotated[PageParameters, Depends()]) -> Response:
    """The polls of a source, newest first."""
    find_source(request, source)
    engine = context_of(request).app.engine
    return POLL_LISTING.answer(
        request, page, lambda pages: list_of(engine, POLLS, polls.c.source_id == source, pages)
    )


@router.post("", status_code=201, responses=described(ADDED, status=201, writes=True), dependencies=[ADMIN])
def add_source(
    request: Request,
    recipe: Annotated[str, Body(max_length=100)],
    name: Annotated[str, Body(min_length=1, max_length=300)],
    *,
    url: Annotated[str, Body(max_length=4_000)] = "",
    kind: Annotated[str, Body(max_length=50)] = "feed",
    every: Annotated[str | None, Body(max_length=50)] = None,
    cron: Annotated[str | None, Body(max_length=100)] = None,
    pages: Annotated[PageMode | None, Body()] = None,
    options: Annotated[dict[str, Any] | None, Body()] = None,
    replace: Annotated[bool, Body(description="Change the source if it exists.")] = False,
    check: Annotated[bool, Body(description="Poll it once on trial first; false adds it unseen.")] = True,
) -> Response:
    """Add a source, or with `replace` change the one of the same recipe, kind, address and name. It is polled once on trial, and
    refused if that fails, unless `check` is false. References to secrets (`env:NAME`, `file:PATH`), variables, files, folders and
    private addresses that no setting allows are refused."""
    line = SourceLine(
        name=name, url=url, kind=kind, every=every, cron=cron, pages=pages, options=options or {}
    )
    app = context_of(request).app
    source = remote_source(app, line, recipe)
    registration = plan_registration(app, source, replace_existing=replace)
    preview = check_by_trial(app, registration.source, SECONDS) if check and registration.is_stored else None
    registration = register_source(app, source, replace_existing=replace)  # another may have come meanwhile
    if not registration.is_stored:
        raise Refused("name_taken", "the source exists already; change it with `replace`")
    record = {"id": registration.source.id, "name": registration.source.name}
    if preview is not None:
        record["preview"] = msgspec.to_builtins(preview)
    return json_answer_to(request, record, status=200 if registration.existed else 201)


@router.delete("/{source}", responses=described(CHANGED, writes=True), dependencies=[ADMIN])
def remove_source(request: Request, source: str) -> Response:
    """Remove a source. What it found stays. One that the list of its recipe names is refused: remove it there."""
    app = context_of(request).app
    removed = app.operations.remove_source(source, app.clock())
    return json_answer_to(request, {"id": removed.id, "name": removed.name})


@router.post("/validate", responses=described({"type": "object"}, writes=True), dependencies=[ADMIN])
def validate_address(request: Request, url: Address) -> Response:
    """Fetch a feed once and say what it is: format, entries, age, problems. Nothing is stored."""
    refuse_references(url)
    (check,) = check_feeds(context_of(request).app, [url], SECONDS)
    return json_answer_to(request, asdict(check))


@router.post(
    "/preview", responses=described(list_schema({"type": "object"}), writes=True), dependencies=[ADMIN]
)
def preview_address(
    request: Request,
    url: Address,
    recipe: Annotated[
        str, Body(max_length=100, description="The recipe that would poll it; with `kind`.")
    ] = "",
    kind: Annotated[str, Body(max_length=50, description="What it is, instead of detecting it.")] = "",
    options: Annotated[dict[str, Any] | None, Body(description="Options of the kind.")] = None,
) -> Response:
    """What sources an address offers, and what each would bring; or with `kind` and `recipe` what a source of that kind lists
    there, by a trial poll. Nothing is stored."""
    app = context_of(request).app
    if kind:
        source = remote_source(app, SourceLine(name=url, url=url, kind=kind, options=options or {}), recipe)
        candidates = [check_by_trial(app, source, SECONDS)]
    else:
        refuse_references(url)
        candidates = detect_sources(app, url, SECONDS)
    return json_answer_to(request, {"items": msgspec.to_builtins(candidates), "next": None})


def _change(request: Request, source: str, action: str) -> Response:
    app = context_of(request).app
    find_source(request, source)
    operations, now = app.operations, app.clock()
    if action == "reset":
        name = operations.reset(source, now)
    else:
        name = operations.pause(source, active=action == "resume", now=now)
    return json_answer_to(request, {"id": source, "name": name})


@router.post("/{source}/pause", responses=described(CHANGED, writes=True), dependencies=[OPERATE])
def pause_source(request: Request, source: str) -> Response:
    """Stop polling the source until it is resumed."""
    return _change(request, source, "pause")


@router.post("/{source}/resume", responses=described(CHANGED, writes=True), dependencies=[OPERATE])
def resume_source(request: Request, source: str) -> Response:
    """Poll a paused source again, starting now."""
    return _change(request, source, "resume")


@router.post("/{source}/reset", responses=described(CHANGED, writes=True), dependencies=[OPERATE])
def reset_source(request: Request, source: str) -> Response:
    """Forget its failures and poll it now, also if it was stopped."""
    return _change(request, source, "reset")


MUTED = object_schema({"id": TEXT, "name": TEXT, "muted_until": {"anyOf": [TIME, {"type": "null"}]}})


@router.post("/{source}/mute", responses=described(MUTED, writes=True), dependencies=[OPERATE])
def mute_source(
    request: Request,
    source: str,
    span: Annotated[str, Body(embed=True, alias="for", max_length=50, description="12h, 7d.")] = "7d",
) -> Response:
    """Raise no alarm about the source for a while. It is still polled."""
    app = context_of(request).app
    find_source(request, source)
    until = app.clock() + parse_duration(span, "for")
    name = app.operations.mute(source, until)
    return json_answer_to(request, {"id": source, "name": name, "muted_until": until})


@router.post("/{source}/unmute", responses=described(MUTED, writes=True), dependencies=[OPERATE])
def unmute_source(request: Request, source: str) -> Response:
    """Raise alarms about the source again."""
    find_source(request, source)
    name = context_of(request).app.operations.mute(source, None)
    return json_answer_to(request, {"id": source, "name": name, "muted_until": None})


@router.post(
    "/{source}/poll",
    responses=described(object_schema({"id": TEXT, "due": YES_NO}), writes=True),
    dependencies=[OPERATE],
)
def poll_source(request: Request, source: str) -> Response:
    """Make the source due now. `due` is false if it is paused, stopped or due already."""
    app = context_of(request).app
    find_source(request, source)
    return json_answer_to(request, {"id": source, "due": app.operations.poll_now(source, app.clock())})


add_list(router, "", read_sources, SOURCE_LISTING.page_schema, "List sources.")
add_list(router, "/{source}/polls", read_polls, POLL_LISTING.page_schema, "List the polls of a source.")
