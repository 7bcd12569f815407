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
from headwater.model.errors import MovedAway, Temporary
from headwater.ops.installation_lock import wait_until_moved
from headwater.ops.system_checks import check_parts
from headwater.runtime.runs import new_run_name, parse_target_day
from headwater.store.changes.queues import SqlQueues
from headwater.web.queue_api import QueueApi

LARGEST_BODY = 64 * 1024
READINESS_SECONDS = 5.0
TIERS = ("A", "B", "C")
Start = Callable[[str, Mapping[str, str]], Awaitable[int]]
"""Performs the run with this id and these options (tier, date); returns an exit code."""
_log = structlog.get_logger()


class RunRequest(msgspec.Struct, frozen=True):
    """The body of a request to start a run."""

    target_date: str | None = None
    tier: str | None = None


@dataclass
class HttpApi:
    """`key` is the value that callers must send in X-Api-Key; without a key every call but /health and /readyz fails."""

    app: App
    recipe: str
    key: str = field(repr=False)
    start: Start
    tier: str = "A"
    tasks: set["asyncio.Task[None]"] = field(default_factory=set)
    readiness: tuple[float, Mapping[str, bool]] | None = None
    readiness_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def site(self) -> web.Application:
        site = web.Application(client_max_size=LARGEST_BODY)
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
        run_request = await _run_request(request)
        now = self.app.clock()
        day = parse_target_day(run_request.target_date, now) if run_request else None
        if (
            run_request is None
            or day is None
            or (run_request.tier is not None and run_request.tier not in TIERS)
        ):
            return json_answer(
                {"error": "give target_date as YYYY-MM-DD and tier as A, B or C, or leave them out"},
                status=400,
            )
        name = new_run_name(now, secrets.token_bytes(8))
        rows = self.app.pipeline_runs
        try:
            started = await asyncio.to_thread(
                rows.begin, name, self.recipe, run_request.tier or self.tier, day.isoformat(), now
            )
        except MovedAway as moved:
            return json_answer({"error": moved.detail}, status=410)
        if not started:
            return json_answer({"error": "a run is in progress; wait until it ends"}, status=409)
        requested = {"tier": run_request.tier, "date": day.isoformat() if run_request.target_date else None}
        overrides = {option: value for option, value in requested.items() if value is not None}
        task = asyncio.create_task(self._perform(name, overrides))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        answer = {"status": "accepted", "run_id": name, "target_date": day.isoformat()}
        return json_answer(answer | {"message": f"follow it at /pipeline/runs/{name}"}, status=202)

    async def _perform(self, name: str, overrides: Mapping[str, str]) -> None:
        """The process of the run closes it; a run whose process died is closed here."""
        try:
            code = await self.start(name, overrides)
            error = None if code == 0 else f"the run ended with exit code {code}"
        except OSError as failure:
            error = f"the run could not be started: {failure.strerror}"
        rows = self.app.pipeline_runs
        closed = await asyncio.to_thread(rows.finish, name, self.app.clock(), error=error)
        _log.info("run ended", run=name, status=closed.get("status"))

    async def runs(self, request: web.Request) -> web.Response:
        if refusal := self._check_key(request):
            return refusal
        requested = request.query.get("date")
        day = parse_target_day(requested, self.app.clock()) if requested else None
        if requested and day is None:
            return json_answer({"error": "give date as YYYY-MM-DD"}, status=400)
        rows = self.app.pipeline_runs
        listed = await asyncio.to_thread(rows.list_runs, self.recipe, day.isoformat() if day else None)
        if not listed:
            return json_answer({"error": "there is no such run"}, status=404)
        return json_answer({"runs": [run_record(row) for row in listed]})

    async def one_run(self, request: web.Request) -> web.Response:
        if refusal := self._check_key(request):
            return refusal
        rows = self.app.pipeline_runs
        row = await asyncio.to_thread(rows.get, request.match_info["run"])
        if row is None or row["recipe"] != self.recipe:
            return json_answer({"error": "there is no such run"}, status=404)
        return json_answer(run_record(row))

    def _check_key(self, request: web.Request) -> web.Response | None:
        if not self.key:
            return json_answer({"error": "the server has no api_key: set one"}, status=500)
        shown_key = request.headers.get("X-Api-Key", "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(shown_key, self.key.encode()):
            return json_answer({"error": "X-Api-Key is missing or wrong"}, status=401)
        return None


async def _run_request(request: web.Request) -> RunRequest | None:
    body = await request.read()
    try:
        return msgspec.json.decode(body, type=RunRequest) if body.strip() else RunRequest()
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def run_record(row: Mapping[str, Any]) -> dict[str, Any]:
    """A run with the field names of the API."""
    return {
        "run_id": row["id"],
        "status": row["status"],
        "pipeline_tier": row["tier"],
        "target_date": row["target_date"],
        "total_entries": row["total"],
        "processed_entries": row["processed"],
        "failed_entries": row["failed"],
        "dedupe_skipped": row["duplicates"],
        "clusters_created": row["stories"],
        "started_at": _time_text(row["started_at"]),
        "completed_at": _time_text(row["ended_at"]),
        "error_message": row["error"],
        "metrics": row["metrics"],
    }


def _time_text(time: datetime | date | None) -> str | None:
    return None if time is None else time.isoformat()


def json_answer(value: Mapping[str, Any], *, status: int = 200) -> web.Response:
    return web.json_response(value, status=status)


async def serve_api(
    api: HttpApi, host: str, port: int, *, started: "asyncio.Future[int] | None" = None
) -> None:
    """Until cancelled, or until the environment was moved."""
    runner = web.AppRunner(api.site(), access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        if started is not None:
            started.set_result(runner.addresses[0][1])
        await wait_until_moved(api.app)
    finally:
        await runner.cleanup()
