"""The HTTP API: /health and /readyz for everyone, runs and queues for callers with the API key."""

import asyncio
import hmac
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import msgspec
import structlog
from aiohttp import web
from sqlalchemy.exc import SQLAlchemyError

from headwater.app import App
from headwater.model.errors import MovedAway, Refused, Temporary
from headwater.model.recipe import Recipe
from headwater.model.run_options import read_run_request
from headwater.ops.installation_lock import wait_until_moved
from headwater.ops.system_checks import check_parts
from headwater.runtime.runs import describe_run, new_run_name
from headwater.store.changes.queues import SqlQueues
from headwater.web.queue_api import QueueApi
from headwater.web.server import make_runner, require_host

LARGEST_BODY = 64 * 1024
READINESS_SECONDS = 5.0
RECIPE = "recipe"
Start = Callable[[str, str, Mapping[str, str]], Awaitable[int]]
"""Performs a run of the recipe with this id and these options; returns an exit code."""
_log = structlog.get_logger()


@dataclass
class HttpApi:
    """`recipe` is that of requests that name none. `key` is the value that callers must send in X-Api-Key; without a key every
    call but /health and /readyz fails. `names` are the host names by which the server may be called."""

    app: App
    recipe: str | None
    key: str = field(repr=False)
    start: Start
    names: tuple[str, ...] = ()
    tasks: set["asyncio.Task[None]"] = field(default_factory=set)
    readiness: tuple[float, Mapping[str, bool]] | None = None
    readiness_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def site(self) -> web.Application:
        site = web.Application(client_max_size=LARGEST_BODY, middlewares=[require_host(self.names)])
        site.router.add_get("/health", self.health)
        site.router.add_get("/readyz", self.ready)
        site.router.add_post("/pipeline/run", self.run)
        site.router.add_get("/pipeline/runs", self.runs)
        site.router.add_get("/pipeline/runs/{run}", self.one_run)
        QueueApi(self._queues, self._check_key).add_to(site)
        return site

    def _queues(self) -> SqlQueues:
        return self.app.queues

    async def health(self, request: web.Request) -> web.Response:
        del request
        try:
            await asyncio.to_thread(self.app.catalogue.recipes)
        except (Temporary, SQLAlchemyError):
            return json_answer({"status": "unhealthy", "database": "unreachable"}, status=503)
        return json_answer({"status": "ok", "database": "ok", "time": self.app.clock().isoformat()})

    async def ready(self, request: web.Request) -> web.Response:
        """Whether the parts work, without details: anyone may ask. One answer serves all who ask within a few seconds."""
        del request
        async with self.readiness_lock:
            if self.readiness is None or time.monotonic() - self.readiness[0] > READINESS_SECONDS:
                parts = await asyncio.to_thread(check_parts, self.app)
                self.readiness = (time.monotonic(), {name: part.ok for name, part in parts.items()})
            states = self.readiness[1]
        status = "ready" if all(states.values()) else "not ready"
        parts_answer = {name: "ok" if is_ok else "problem" for name, is_ok in states.items()}
        return json_answer(
            {"status": status, "parts": parts_answer}, status=200 if status == "ready" else 503
        )

    async def run(self, request: web.Request) -> web.Response:
        if refusal := self._check_key(request):
            return refusal
        fields = await _json_object(request)
        if fields is None:
            return json_answer({"error": "give a JSON object, or no body"}, status=400)
        try:
            recipe = self._recipe(fields.pop(RECIPE, None))
            overrides = read_run_request(recipe.name, recipe.run_options, fields)
        except Refused as refused:
            return json_answer({"error": refused.detail}, status=400)
        now = self.app.clock()
        name, options = (
            new_run_name(now, secrets.token_bytes(8)),
            describe_run(self.app, recipe.name, now, overrides),
        )
        try:
            started = await asyncio.to_thread(self.app.pipeline_runs.begin, name, recipe.name, options, now)
        except MovedAway as moved:
            return json_answer({"error": moved.detail}, status=410)
        if not started:
            return json_answer({"error": "a run is in progress; wait until it ends"}, status=409)
        task = asyncio.create_task(self._perform(recipe.name, name, overrides))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        answer = {"status": "accepted", "run_id": name, **_labelled(options, recipe)}
        return json_answer(answer | {"message": f"follow it at /pipeline/runs/{name}"}, status=202)

    def _recipe(self, name: Any) -> Recipe:
        """The named recipe, or else that of this server."""
        chosen = name or self.recipe
        if not isinstance(chosen, str):
            raise Refused("which_recipe", "name a recipe")
        return self.app.recipe(chosen)

    async def _perform(self, recipe: str, name: str, overrides: Mapping[str, str]) -> None:
        """The process of the run closes it; a run whose process died is closed here."""
        try:
            code = await self.start(recipe, name, overrides)
            error = None if code == 0 else f"the run ended with exit code {code}"
        except OSError as failure:
            error = f"the run could not be started: {failure.strerror}"
        closed = await asyncio.to_thread(self.app.pipeline_runs.finish, name, self.app.clock(), error=error)
        _log.info("run ended", run=name, status=closed.get("status"))

    async def runs(self, request: web.Request) -> web.Response:
        if refusal := self._check_key(request):
            return refusal
        try:
            recipe, options = self._selection(request.query)
        except Refused as refused:
            return json_answer({"error": refused.detail}, status=400)
        rows = await asyncio.to_thread(self.app.pipeline_runs.list_runs, recipe, options)
        if not rows:
            return json_answer({"error": "there is no such run"}, status=404)
        return json_answer({"runs": [self._record(row) for row in rows]})

    def _selection(self, query: Mapping[str, str]) -> tuple[str | None, Mapping[str, str]]:
        """The recipe whose runs are listed, or None for all, and the options that they must have."""
        if self.recipe is None and RECIPE not in query:
            return None, {}
        recipe = self._recipe(query.get(RECIPE))
        filters = {} if recipe.run_options is None else recipe.run_options.filters
        fields = {name: query[parameter] for parameter, name in filters.items() if query.get(parameter)}
        return recipe.name, read_run_request(recipe.name, recipe.run_options, fields)

    async def one_run(self, request: web.Request) -> web.Response:
        if refusal := self._check_key(request):
            return refusal
        row = await asyncio.to_thread(self.app.pipeline_runs.get, request.match_info["run"])
        if row is None:
            return json_answer({"error": "there is no such run"}, status=404)
        return json_answer(self._record(row))

    def _record(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A run with the field names of the API."""
        return _labelled(row["options"], self.app.recipes.get(row["recipe"])) | {
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

    def _check_key(self, request: web.Request) -> web.Response | None:
        if not self.key:
            return json_answer({"error": "the server has no api_key: set one"}, status=500)
        shown_key = request.headers.get("X-Api-Key", "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(shown_key, self.key.encode()):
            return json_answer({"error": "X-Api-Key is missing or wrong"}, status=401)
        return None


async def _json_object(request: web.Request) -> dict[str, Any] | None:
    """The body; an empty one is an empty object. None if it is anything else."""
    body = await request.read()
    try:
        return msgspec.json.decode(body, type=dict[str, Any]) if body.strip() else {}
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def _labelled(options: Mapping[str, Any], recipe: Recipe | None) -> dict[str, Any]:
    """Recorded options under the names of the API."""
    labels = recipe.run_options.labels if recipe and recipe.run_options else {}
    return {labels.get(name, name): value for name, value in options.items()}


def _time_text(time: datetime | date | None) -> str | None:
    return None if time is None else time.isoformat()


def json_answer(value: Mapping[str, Any], *, status: int = 200) -> web.Response:
    return web.json_response(value, status=status)


async def serve_api(
    api: HttpApi, host: str, port: int, *, started: "asyncio.Future[int] | None" = None
) -> None:
    """Until cancelled, or until the environment was moved."""
    runner = make_runner(api.site())
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        if started is not None:
            started.set_result(runner.addresses[0][1])
        await wait_until_moved(api.app)
    finally:
        await runner.cleanup()
