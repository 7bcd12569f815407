"""/health, /healthz and /readyz for everyone; /pipeline/run and /pipeline/runs for callers with a key that may operate."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headwater.app import App
from headwater.model.errors import Temporary
from headwater.model.run_options import read_run_request
from headwater.ops.system_checks import check_parts
from headwater.web.context import context_of
from headwater.web.contract.answers import guarded, json_answer, read_body
from headwater.web.runs import RECIPE, RunStarter, labelled_options

READINESS_SECONDS = 5.0


@dataclass
class HealthCheck:
    """One answer serves all who ask within a few seconds."""

    app: App
    readiness: tuple[float, Mapping[str, bool]] | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def routes(self) -> Sequence[Route]:
        paths = {"/health": self.health, "/healthz": self.alive, "/readyz": self.ready}
        return [Route(path, handler, methods=["GET"]) for path, handler in paths.items()]

    async def alive(self, request: Request) -> Response:
        """Whether this server answers. It asks no other part: a restart would not mend one."""
        del request
        return json_answer({"status": "ok", "time": self.app.clock().isoformat()})

    async def health(self, request: Request) -> Response:
        del request
        try:
            await asyncio.to_thread(self.app.catalogue.recipes)
        except (Temporary, SQLAlchemyError):
            return json_answer({"status": "unhealthy", "database": "unreachable"}, status=503)
        return json_answer({"status": "ok", "database": "ok", "time": self.app.clock().isoformat()})

    async def ready(self, request: Request) -> Response:
        """Whether the parts work, without details: anyone may ask."""
        del request
        async with self.lock:
            if self.readiness is None or time.monotonic() - self.readiness[0] > READINESS_SECONDS:
                parts = await asyncio.to_thread(check_parts, self.app)
                self.readiness = (time.monotonic(), {name: part.ok for name, part in parts.items()})
            states = self.readiness[1]
        is_ready = all(states.values())
        parts_answer = {name: "ok" if is_ok else "problem" for name, is_ok in states.items()}
        record = {"status": "ready" if is_ready else "not ready", "parts": parts_answer}
        return json_answer(record, status=200 if is_ready else 503)


def run_routes() -> Sequence[Route]:
    return [
        Route("/pipeline/run", guarded(start_run), methods=["POST"]),
        Route("/pipeline/runs", guarded(list_runs), methods=["GET"]),
        Route("/pipeline/runs/{run}", guarded(show_run), methods=["GET"]),
    ]


async def start_run(request: Request) -> Response:
    fields = await read_body(request, dict[str, Any]) or {}
    recipe, name, described = await context_of(request).runs.begin(fields)
    answer = {"status": "accepted", "run_id": name, **labelled_options(described, recipe)}
    return json_answer(answer | {"message": f"follow it at /pipeline/runs/{name}"}, status=202)


async def list_runs(request: Request) -> Response:
    context = context_of(request)
    recipe, options = _selection(context.runs, request.query_params)
    rows = await asyncio.to_thread(context.app.pipeline_runs.list_runs, recipe, options)
    if not rows:
        return json_answer({"error": "there is no such run"}, status=404)
    return json_answer({"runs": [_record(row, context.app) for row in rows]})


def _selection(runs: RunStarter, query: Mapping[str, str]) -> tuple[str | None, Mapping[str, str]]:
    """The recipe whose runs are listed, or None for all, and the options that they must have."""
    if runs.recipe is None and RECIPE not in query:
        return None, {}
    recipe = runs.find_recipe(query.get(RECIPE))
    filters = {} if recipe.run_options is None else recipe.run_options.filters
    fields = {name: query[parameter] for parameter, name in filters.items() if query.get(parameter)}
    return recipe.name, read_run_request(recipe.name, recipe.run_options, fields)


async def show_run(request: Request) -> Response:
    app = context_of(request).app
    row = await asyncio.to_thread(app.pipeline_runs.get, request.path_params["run"])
    if row is None:
        return json_answer({"error": "there is no such run"}, status=404)
    return json_answer(_record(row, app))


def _record(row: Mapping[str, Any], app: App) -> dict[str, Any]:
    """A run with the field names of this API."""
    return labelled_options(row["options"], app.recipes.get(row["recipe"])) | {
        "run_id": row["id"],
        "recipe": row["recipe"],
        "status": row["status"],
        "total_entries": row["total_count"],
        "processed_entries": row["processed_count"],
        "failed_entries": row["failed_count"],
        "dedupe_skipped": row["duplicate_count"],
        "clusters_created": row["story_count"],
        "started_at": _time_text(row["started_at"]),
        "completed_at": _time_text(row["ended_at"]),
        "error_message": row["error"],
        "metrics": row["metrics"],
    }


def _time_text(time: datetime | date | None) -> str | None:
    return None if time is None else time.isoformat()
