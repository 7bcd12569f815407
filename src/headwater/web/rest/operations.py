"""What an operator follows and decides: quarantine, alarms, runs, replays and queues."""

from typing import Annotated, Any

from fastapi import Body, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from headwater.model.errors import Refused
from headwater.model.replay import ReplayVerdict
from headwater.settings.sources import parse_duration
from headwater.store.reads.record_lists import (
    ALARMS,
    QUARANTINE,
    RUNS,
    QuarantineSort,
    RunSort,
    find_row,
    list_rows,
)
from headwater.store.schema.flow import quarantine
from headwater.store.schema.operations import alarms, pipeline_runs
from headwater.web.context import context_of
from headwater.web.problems import HttpProblem
from headwater.web.rest.answers import json_answer_to
from headwater.web.rest.forms import plain_item, rows_answer
from headwater.web.rest.listing import (
    DirectionParameter,
    Listing,
    PageParameters,
    RecipeParameter,
    Since,
    Until,
    add_list,
    list_conditions,
    parse_moment,
)
from headwater.web.rest.routing import OPERATE, api_router, described
from headwater.web.rest.schemas import COUNT, TEXT, list_schema, object_schema, record_schema

QUARANTINE_LISTING = Listing(
    "quarantine", QUARANTINE, plain_item("quarantine", "reason", "created_at", "record_id", text_field="detail"),
    ("record_id", "reason", "detail", "created_at"),
)  # fmt: skip
ALARM_LISTING = Listing(
    "alarms", ALARMS, plain_item("alarm", "title", "raised_at", text_field="detail"),
    ("id", "title", "detail", "raised_at"),
)  # fmt: skip
RUN_LISTING = Listing(
    "runs", RUNS, plain_item("run", "status", "created_at", text_field="error"), ("id", "status", "created_at", "error")
)  # fmt: skip
COUNTED = object_schema({"count": COUNT})
OBJECT = {"type": "object"}
OBJECTS = list_schema(OBJECT)
MOST_KEYS = 1_000
MAX_TEXT = 300

quarantine_router = api_router("/quarantine", "quarantine")
alarm_router = api_router("/alarms", "alarms")
run_router = api_router("/runs", "runs")
replay_router = api_router("/replays", "replays")
queue_router = api_router("/queues", "queues")
Page = Annotated[PageParameters, Depends()]


def read_quarantine(
    request: Request,
    page: Page,
    *,
    recipe: RecipeParameter = "",
    reason: Annotated[str, Query(description="Only with this reason.", max_length=MAX_TEXT)] = "",
    since: Since = "",
    until: Until = "",
    sort: Annotated[
        QuarantineSort, Query(description="By time, or by reason or recipe and then by time.")
    ] = "created",
    direction: DirectionParameter = "desc",
) -> Response:
    """Quarantined records with their reasons, newest first, unless you choose another order."""
    more = (quarantine.c.reason == reason,) if reason else ()
    selection = list_conditions(context_of(request), recipe, since, until, *more)
    engine = context_of(request).app.engine
    return QUARANTINE_LISTING.answer(
        request,
        page,
        lambda pages: list_rows(engine, QUARANTINE, selection, pages),
        sort=sort,
        direction=direction,
    )


@quarantine_router.get("/{record}", responses=described(record_schema(QUARANTINE.columns)))
def read_quarantined(request: Request, record: str) -> Response:
    """Why one record was quarantined, with the evidence. Its history is /documents/ID/explanation."""
    row = find_row(context_of(request).app.engine, QUARANTINE, quarantine.c.record_id == record)
    if row is None:
        raise Refused("not_quarantined", "this record is not quarantined")
    return json_answer_to(request, row)


Records = Annotated[
    list[Annotated[str, Body(min_length=8, max_length=64, pattern="^[0-9a-f]+$")]] | None,
    Body(max_length=MOST_KEYS, description="Ids of records."),
]
AllOf = Annotated[str | None, Body(max_length=100, description="All records of this recipe.")]


def _check_choice(records: list[str] | None, recipe: str | None) -> None:
    if bool(records) == bool(recipe):
        raise HttpProblem(400, "bad_choice", "give either `records` or `recipe`")


@quarantine_router.post("/retry", responses=described(COUNTED, writes=True), dependencies=[OPERATE])
def retry_records(request: Request, records: Records = None, recipe: AllOf = None) -> Response:
    """Retry records, or all of a recipe: they are due at once, and their attempts start from zero."""
    _check_choice(records, recipe)
    app = context_of(request).app
    return json_answer_to(request, {"count": app.operations.retry(records, recipe, app.clock())})


@quarantine_router.post("/drop", responses=described(COUNTED, writes=True), dependencies=[OPERATE])
def drop_records(request: Request, records: Records = None, recipe: AllOf = None) -> Response:
    """Drop records for good, or all of a recipe. The reason is kept, marked as the operator's decision."""
    _check_choice(records, recipe)
    return json_answer_to(request, {"count": context_of(request).app.operations.drop(records, recipe)})


def read_alarms(
    request: Request,
    page: Page,
    *,
    recipe: RecipeParameter = "",
    since: Since = "",
    until: Until = "",
    past: Annotated[bool, Query(description="Also those that are over.")] = False,
) -> Response:
    """Alarms, newest first."""
    more = () if past else (alarms.c.cleared_at.is_(None),)
    selection = list_conditions(context_of(request), recipe, since, until, *more)
    app = context_of(request).app
    return ALARM_LISTING.answer(request, page, lambda pages: list_rows(app.engine, ALARMS, selection, pages))


@alarm_router.get("/{alarm}", responses=described(record_schema(ALARMS.columns)))
def read_alarm(request: Request, alarm: str) -> Response:
    """One alarm with its evidence."""
    row = find_row(context_of(request).app.engine, ALARMS, alarms.c.id == alarm)
    if row is None:
        raise Refused("unknown_alarm", "there is no such alarm")
    return json_answer_to(request, row)


@alarm_router.post(
    "/{alarm}/acknowledge",
    responses=described(record_schema(ALARMS.columns), writes=True),
    dependencies=[OPERATE],
)
def acknowledge_alarm(request: Request, alarm: str) -> Response:
    """Note that a person has seen it. It stays open until its problem ends."""
    app = context_of(request).app
    return json_answer_to(request, app.alarms.acknowledge(alarm, app.clock()))


def read_runs(
    request: Request,
    page: Page,
    *,
    recipe: RecipeParameter = "",
    since: Since = "",
    until: Until = "",
    sort: Annotated[
        RunSort, Query(description="By its begin, or the number of entries or failures.")
    ] = "created",
    direction: DirectionParameter = "desc",
) -> Response:
    """Runs, newest first, unless you choose another order."""
    selection = list_conditions(context_of(request), recipe, since, until)
    engine = context_of(request).app.engine
    return RUN_LISTING.answer(
        request,
        page,
        lambda pages: list_rows(engine, RUNS, selection, pages),
        sort=sort,
        direction=direction,
    )


@run_router.get("/{run}", responses=described(record_schema(RUNS.columns)))
def read_run(request: Request, run: str) -> Response:
    """One run with its counts."""
    row = find_row(context_of(request).app.engine, RUNS, pipeline_runs.c.id == run)
    if row is None:
        raise Refused("unknown_run", "there is no such run")
    return json_answer_to(request, row)


@run_router.post(
    "",
    status_code=202,
    responses=described(
        object_schema({"id": TEXT, "recipe": TEXT, "options": OBJECT}), status=202, writes=True
    ),
    dependencies=[OPERATE],
)
async def start_run(
    request: Request,
    recipe: Annotated[str, Body(max_length=100)],
    options: Annotated[dict[str, Any] | None, Body(description="Run options of the recipe.")] = None,
) -> Response:
    """Start a run of a recipe; one at a time for each recipe. Follow it at /runs/ID or with /events."""
    run_recipe, name, options_recorded = await context_of(request).runs.begin(
        {"recipe": recipe, **(options or {})}
    )
    record = {"id": name, "recipe": run_recipe.name, "options": options_recorded}
    return json_answer_to(request, record, status=202)


@run_router.post(
    "/{run}/stop",
    status_code=202,
    responses=described(object_schema({"id": TEXT}), status=202, writes=True),
    dependencies=[OPERATE],
)
async def stop_run(request: Request, run: str) -> Response:
    """Stop a run that this server started. What it has stored stays."""
    if not context_of(request).runs.stop(run):
        raise Refused("not_now", "this server performs no such run")
    return json_answer_to(request, {"id": run}, status=202)


def read_replays(request: Request, recipe: RecipeParameter = "") -> Response:
    """The newest hundred replays, newest first."""
    rows = context_of(request).app.replays.list_replays(recipe or None)
    return rows_answer(request, "replays", rows, plain_item("replay", "recipe", "created_at"))


@replay_router.get("/{replay}", responses=described(OBJECT))
def read_replay(request: Request, replay: str) -> Response:
    """One replay: how many readings are better, worse, different, and in which fields."""
    return json_answer_to(request, context_of(request).app.replays.get(replay))


def read_replay_items(
    request: Request,
    replay: str,
    verdict: Annotated[ReplayVerdict, Query()] = ReplayVerdict.WORSE,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
) -> Response:
    """The differences, document by document."""
    replays = context_of(request).app.replays
    rows = list(replays.report(replays.get(replay)["id"], [verdict], limit))
    describe = plain_item("document", "title", "", "document_id", text_field="differences", url_field="url")
    return rows_answer(request, "replay items", rows, describe)


@replay_router.post(
    "",
    status_code=201,
    responses=described(object_schema({"id": TEXT}), status=201, writes=True),
    dependencies=[OPERATE],
)
def start_replay(
    request: Request,
    recipe: Annotated[str, Body(max_length=100)],
    since: Annotated[str, Body(max_length=60)],
    until: Annotated[str, Body(max_length=60)] = "",
) -> Response:
    """Read the captures of a period again; workers compare, nothing is replaced."""
    context = context_of(request)
    name, now = context.app.recipe(recipe).name, context.app.clock()
    start, end = parse_moment(context, since, "since"), parse_moment(context, until, "until") or now
    if start is None:
        raise HttpProblem(400, "bad_moment", "since: give a time")
    return json_answer_to(request, {"id": context.app.replays.start(name, start, end, now)}, status=201)


def _on_replay(request: Request, replay: str, action: str, verdicts: list[ReplayVerdict]) -> Response:
    app = context_of(request).app
    replays, now = app.replays, app.clock()
    replay_id = replays.get(replay)["id"]
    if action == "apply":
        replays.apply(replay_id, verdicts, now)
    else:
        getattr(replays, action)(replay_id, now)
    return json_answer_to(request, replays.get(replay_id))


@replay_router.post("/{replay}/pause", responses=described(OBJECT, writes=True), dependencies=[OPERATE])
def pause_replay(request: Request, replay: str) -> Response:
    """Claim no further documents until it is resumed."""
    return _on_replay(request, replay, "pause", [])


@replay_router.post("/{replay}/resume", responses=described(OBJECT, writes=True), dependencies=[OPERATE])
def resume_replay(request: Request, replay: str) -> Response:
    """Continue a paused replay."""
    return _on_replay(request, replay, "resume", [])


@replay_router.post("/{replay}/discard", responses=described(OBJECT, writes=True), dependencies=[OPERATE])
def discard_replay(request: Request, replay: str) -> Response:
    """End the replay and delete its report."""
    return _on_replay(request, replay, "discard", [])


@replay_router.post("/{replay}/apply", responses=described(OBJECT, writes=True), dependencies=[OPERATE])
def apply_replay(
    request: Request,
    replay: str,
    verdicts: Annotated[list[ReplayVerdict], Body(embed=True, min_length=1, max_length=8)],
) -> Response:
    """Replace the documents whose new reading has one of these verdicts."""
    return _on_replay(request, replay, "apply", verdicts)


def read_queues(request: Request) -> Response:
    """The queues with their numbers of waiting, leased, done and failed items."""
    rows = context_of(request).app.queues.counts()
    return rows_answer(request, "queues", rows, plain_item("queue", "queue", "", "queue"))


def peek_queue(request: Request, queue: str, limit: Annotated[int, Query(ge=1, le=100)] = 10) -> Response:
    """The items that pop would take now, without taking them."""
    queues = context_of(request).app.queues
    rows = queues.peek(queues.find_queue(queue), limit)
    describe = plain_item("queue-item", "document_id", "created_at", text_field="state")
    return rows_answer(request, "queue items", rows, describe)


@queue_router.post("/{queue}/pop", responses=described(OBJECTS, writes=True), dependencies=[OPERATE])
def pop_queue(
    request: Request,
    queue: str,
    limit: Annotated[int, Body(ge=1, le=100)] = 1,
    lease: Annotated[str, Body(max_length=50)] = "15m",
    owner: Annotated[str, Body(max_length=MAX_TEXT)] = "",
) -> Response:
    """Take the next items for a while; those that are not acknowledged in time go to the next consumer."""
    queues = context_of(request).app.queues
    rows = queues.pop(
        queues.find_queue(queue),
        owner or f"key:{request.state.caller}",
        limit,
        parse_duration(lease, "lease"),
    )
    return json_answer_to(request, {"items": rows, "next": None})


@queue_router.post("/{queue}/retry", responses=described(COUNTED, writes=True), dependencies=[OPERATE])
def retry_queue(request: Request, queue: str) -> Response:
    """Retry the items that failed for good."""
    queues = context_of(request).app.queues
    return json_answer_to(request, {"count": queues.retry(queues.find_queue(queue))})


@queue_router.post("/items/{item}/ack", responses=described(OBJECT, writes=True), dependencies=[OPERATE])
def acknowledge_queue_item(
    request: Request, item: str, result: Annotated[dict[str, Any] | None, Body(embed=True)] = None
) -> Response:
    """The item is done."""
    context_of(request).app.queues.ack(item, result)
    return json_answer_to(request, {"id": item, "state": "done"})


@queue_router.post("/items/{item}/fail", responses=described(OBJECT, writes=True), dependencies=[OPERATE])
def fail_queue_item(
    request: Request,
    item: str,
    reason: Annotated[str, Body(embed=True, max_length=MAX_TEXT)] = "extraction_failed",
) -> Response:
    """The item failed; it is retried later, five times in total. 409 if it is done already."""
    context_of(request).app.queues.report_failure(item, reason)
    return json_answer_to(request, {"id": item, "state": "failed"})


add_list(quarantine_router, "", read_quarantine, QUARANTINE_LISTING.page_schema, "List quarantined records.")
add_list(alarm_router, "", read_alarms, ALARM_LISTING.page_schema, "List alarms.")
add_list(run_router, "", read_runs, RUN_LISTING.page_schema, "List runs.")
add_list(replay_router, "", read_replays, OBJECTS, "List replays.")
add_list(replay_router, "/{replay}/items", read_replay_items, OBJECTS, "List the differences of a replay.")
add_list(queue_router, "", read_queues, OBJECTS, "List queues.")
add_list(queue_router, "/{queue}/items", peek_queue, OBJECTS, "List the next items of a queue.")
