"""Runs: start one, follow it live, stop it."""

from typing import Any

import anyio.from_thread
from starlette.datastructures import FormData
from starlette.requests import Request

from headwater.model.errors import Refused
from headwater.store.changes.pipeline_runs import CONTINUOUS, OPEN_STATUSES
from headwater.store.reads.record_lists import RUNS, Direction, find_row, list_rows
from headwater.store.schema.operations import pipeline_runs
from headwater.web.context import WebContext
from headwater.web.pages.confirmation import Question
from headwater.web.pages.forms import Action, Done
from headwater.web.pages.page import Page
from headwater.web.pages.sorting import LIST_PARAMETERS, read_sorted
from headwater.web.rest.listing import list_conditions
from headwater.web.rest.operations import RUN_LISTING

PER_PAGE = 30
DIRECTIONS: dict[str, Direction] = {"created": "desc", "entries": "desc", "failed": "desc"}
CONTINUOUS_STATUS = "continuous"


def load_runs(request: Request, context: WebContext) -> dict[str, Any]:
    query = request.query_params
    recipe = query.get("recipe", "")
    selection = list_conditions(context, recipe, "", "")
    page = read_sorted(
        query,
        RUN_LISTING,
        lambda pages: list_rows(context.app.engine, RUNS, selection, pages),
        names=(*RUNS.shown, "metrics"),
        directions=DIRECTIONS,
        limit=PER_PAGE,
    )
    return {
        "recipes": context.app.catalogue.recipes(),
        "recipe": recipe,
        "items": [_counted(context, row) for row in page.rows],
        **page.members,
    }


def load_run(request: Request, context: WebContext) -> dict[str, Any]:
    app = context.app
    row = find_row(app.engine, RUNS, pipeline_runs.c.id == request.path_params["run"])
    if row is None:
        raise Refused("unknown_run", "there is no such run")
    is_open = row["status"] in OPEN_STATUSES
    status = app.catalogue.status(row["recipe"], app.clock()) if is_open else None
    return {
        "run": _counted(context, row),
        "is_open": is_open,
        "can_stop": any(task.get_name() == row["id"] for task in context.runs.tasks),
        "unfinished": status["unfinished"] if status else {},
    }


def _counted(context: WebContext, row: dict[str, Any]) -> dict[str, Any]:
    """An open run with its counts until now; the row gets them when the run ends. That of workers that never end is
    `continuous`."""
    if row["status"] not in OPEN_STATUSES:
        return row
    counts, _ = context.app.pipeline_runs.count_since(row["recipe"], row["started_at"])
    return row | counts | ({"status": CONTINUOUS_STATUS} if row["metrics"].get(CONTINUOUS) else {})


def start(request: Request, context: WebContext, fields: FormData) -> Done:
    """The server's own loop starts the process of the run and waits for it."""
    del request
    recipe, name, _ = anyio.from_thread.run(context.runs.begin, {"recipe": str(fields.get("recipe", ""))})
    return Done(
        message="The run of {recipe} has begun.",
        values={"recipe": recipe.name},
        location=f"/operate/runs/{name}",
    )


def ask_stop(request: Request, context: WebContext, fields: FormData) -> Question:
    del request, context, fields
    return Question(message="Stop this run? What it has stored stays.", label="Stop")


def stop(request: Request, context: WebContext, fields: FormData) -> Done:
    del fields
    if not anyio.from_thread.run_sync(context.runs.stop, request.path_params["run"]):
        raise Refused("not_now", "this server performs no such run")
    return Done(message="The run stops; what it has stored stays.")


PAGES = (
    Page(
        path="/operate/runs",
        template="operator/runs.html",
        load=load_runs,
        parameters=LIST_PARAMETERS | {"recipe"},
    ),
    Page(
        path="/operate/runs/{run}",
        template="operator/run.html",
        fragment="operator/run_live.html",
        load=load_run,
    ),
)
ACTIONS = (
    Action(path="/operate/runs/start", perform=start),
    Action(path="/operate/runs/{run}/stop", perform=stop, ask=ask_stop),
)
