"""WebSub with a hub on this machine: subscriptions are requested, confirmed, used and renewed; forged pushes fail."""

import asyncio
import hashlib
import hmac
import socket
import stat
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from sqlalchemy import update
from tests.flow.command_line import call
from tests.support.deadline import DEADLINE
from tests.support.web_client import refuse_runs

from headwater.app import App
from headwater.model.errors import Refused
from headwater.model.keys import source_key
from headwater.model.source import Source
from headwater.settings.settings import Settings
from headwater.store.schema.flow import sources
from headwater.web import application
from headwater.web.contract.websub import WebSubServer, installation_secret
from headwater.web.server import listen_on
from headwater.web.serving import make_context, run_server

TOPIC = "http://wire.example/feed"
SOURCE = source_key("crypto", "feed", TOPIC, "Wire")
NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)


@dataclass
class Hub:
    """Accepts a subscription and verifies its intent, as the standard demands."""

    requests: list[dict[str, str]] = field(default_factory=list)
    answers: list[tuple[int, str]] = field(default_factory=list)
    work: set["asyncio.Task[None]"] = field(default_factory=set)

    async def take(self, request: web.Request) -> web.Response:
        form = {str(name): str(value) for name, value in (await request.post()).items()}
        self.requests.append(form)
        task = asyncio.create_task(self._verify(form))
        self.work.add(task)
        return web.Response(status=202)

    async def _verify(self, form: dict[str, str]) -> None:
        query = {name: form[name] for name in ("hub.mode", "hub.topic", "hub.lease_seconds")}
        async with (
            aiohttp.ClientSession() as session,
            session.get(form["hub.callback"], params=query | {"hub.challenge": "<b>42</b>"}) as answer,
        ):
            self.answers.append((answer.status, await answer.text()))

    async def push(self, body: bytes, secret: str) -> int:
        signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        async with (
            aiohttp.ClientSession() as session,
            session.post(
                self.requests[0]["hub.callback"],
                data=body,
                headers={"X-Hub-Signature": f"sha256={signature}"},
            ) as answer,
        ):
            return answer.status


@asynccontextmanager
async def serving(hub: Hub) -> AsyncIterator[str]:
    site = web.Application()
    site.router.add_post("/", hub.take)
    runner = web.AppRunner(site)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await asyncio.gather(*hub.work)
        await runner.cleanup()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not condition():  # noqa: ASYNC110 - it waits for other tasks
            await asyncio.sleep(0.02)


@dataclass
class Clock:
    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now


def installation(tmp_path: Path, hub_address: str, clock: Clock, callback: str = "") -> App:
    app = App(
        Settings(
            data=str(tmp_path / "data"),
            hosts={"hub.example": hub_address},
            requests_per_second=0,
            callback=callback,
        ),
        clock,
    )
    hub_watermark = {"hub": "http://hub.example/", "topic": TOPIC}
    app.store.register(
        [Source(id=SOURCE, recipe="crypto", kind="feed", name="Wire", url=TOPIC, watermark=hub_watermark)],
        clock(),
    )
    with app.store.engine.begin() as connection:
        connection.execute(update(sources).values(due_at=NOW + timedelta(hours=4)))
    return app


def due(app: App) -> datetime:
    return app.catalogue.sources()[0]["due_at"]


async def follow_subscription(tmp_path: Path, servers: list[WebSubServer]) -> None:
    hub, clock = Hub(), Clock()
    async with serving(hub) as address:
        port = free_port()
        app = installation(tmp_path, address, clock, callback=f"http://127.0.0.1:{port}/push")
        context = make_context(app, refuse_runs)
        task = asyncio.create_task(
            run_server(context, listen_on("127.0.0.1", port), on_started=lambda *_: None)
        )
        try:
            await until(lambda: len(hub.answers) == 1)
            assert hub.answers == [(200, "<b>42</b>")]
            assert (hub.requests[0]["hub.topic"], hub.requests[0]["hub.mode"]) == (TOPIC, "subscribe")

            assert await hub.push(b"<rss/>", "guessed") == 202
            assert due(app) == NOW + timedelta(hours=4)
            assert await hub.push(b"<rss/>", hub.requests[0]["hub.secret"]) == 202
            assert due(app) == NOW
            with app.store.engine.begin() as connection:
                connection.execute(update(sources).values(due_at=NOW + timedelta(hours=4)))
            assert await hub.push(b"<rss/>", hub.requests[0]["hub.secret"]) == 202
            assert due(app) == NOW + timedelta(hours=4)

            clock.now += timedelta(days=9)
            await until(lambda: len(hub.answers) == 2)
            assert hub.requests[0]["hub.callback"] == hub.requests[1]["hub.callback"]

            app.operations.pause(SOURCE, active=False, now=clock())
            (server,) = servers
            await until(lambda: not server.subscriptions)
            assert await hub.push(b"<rss/>", hub.requests[0]["hub.secret"]) == 410
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            app.store.engine.dispose()


def test_a_subscription_is_requested_confirmed_verified_and_renewed(tmp_path: Path, monkeypatch):
    servers: list[WebSubServer] = []

    class QuickServer(WebSubServer):
        async def subscribe_for_ever(self, every: float = 0.05) -> None:
            servers.append(self)
            await super().subscribe_for_ever(every)

    monkeypatch.setattr(application, "WebSubServer", QuickServer)
    asyncio.run(follow_subscription(tmp_path, servers))
    key = tmp_path / "data" / "websub.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_a_nudge_does_not_wake_a_source_that_an_operator_stopped(tmp_path: Path):
    clock = Clock()
    app = installation(tmp_path, "http://127.0.0.1:1", clock)
    app.operations.pause(SOURCE, active=False, now=clock())
    assert not app.operations.poll_now(SOURCE, clock())
    assert app.catalogue.sources()[0]["due_at"] is None
    app.store.engine.dispose()


def test_the_callback_of_hubs_must_be_a_public_address(tmp_path: Path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call(capsys, monkeypatch, "init").code == 0
    with (tmp_path / "headwater.yaml").open("a") as file:
        file.write("callback: news.example/websub\n")
    answer = call(capsys, monkeypatch, "serve", "--port", "0")
    assert (answer.code, "callback" in answer.err) == (1, True)


def test_an_empty_secret_is_refused_and_a_new_one_is_complete(tmp_path: Path):
    (tmp_path / "websub.key").touch()
    with pytest.raises(Refused, match="does not contain a secret: delete it"):
        installation_secret(tmp_path)
    (tmp_path / "websub.key").unlink()
    secret = installation_secret(tmp_path)
    assert len(secret) == 32
    assert installation_secret(tmp_path) == secret
    assert [path.name for path in tmp_path.iterdir()] == ["websub.key"]
