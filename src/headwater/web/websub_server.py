"""WebSub: subscribes to hubs; a notification makes its source due."""

import asyncio
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import structlog
from aiohttp import web

from headwater.app import App
from headwater.fetch.source_secrets import has_references
from headwater.model.errors import MovedAway, Refused
from headwater.model.http import Failure, Request
from headwater.model.ports import Fetcher
from headwater.ops.installation_lock import wait_until_moved
from headwater.sources.feeds.websub import (
    RecentDeliveries,
    Subscription,
    handle_verification,
    has_valid_signature,
    make_subscription,
    needs_subscribe_request,
    subscribe_form,
)
from headwater.text.redaction import HIDDEN, hide_secrets
from headwater.web.server import make_runner

LARGEST_BODY = 8 * 1024 * 1024
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
EACH = timedelta(seconds=20)
AT_ONCE = 50
SECRET_BYTES = 32
_log = structlog.get_logger()


@dataclass
class WebSubServer:
    """`subscriptions` are by the key at the end of their callback URL."""

    app: App
    callback: str
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    deliveries: RecentDeliveries = field(default_factory=RecentDeliveries)

    def refresh(self) -> None:
        """Add the subscriptions of sources that offer a hub; drop those of sources that no longer do."""
        secret = installation_secret(self.app.settings.folder)
        offered = [
            subscription
            for row in self.app.catalogue.sources()
            if (subscription := _offered_subscription(row, secret))
        ]
        self.subscriptions = {
            subscription.key: self.subscriptions.get(subscription.key, subscription)
            for subscription in offered
        }

    def subscribe(self, fetcher: Fetcher) -> int:
        """Send the subscription requests that are due; returns how many."""
        now = self.app.clock()
        due = [
            subscription
            for subscription in self.subscriptions.values()
            if needs_subscribe_request(subscription, now)
        ][:AT_ONCE]
        for subscription in due:
            # Before the request: the hub may verify the subscription before it answers.
            self.subscriptions[subscription.key] = replace(subscription, requested_at=now, denied_at=None)
            body = subscribe_form(subscription, self.callback)
            fetcher.submit(
                subscription.key,
                Request(
                    url=subscription.hub, method="POST", headers=FORM, body=body, purpose="api", timeout=EACH
                ),
            )
        waiting = {subscription.key for subscription in due}
        while waiting:
            for key, answer in fetcher.collect(len(waiting), timedelta(seconds=0.2)):
                waiting.discard(key)
                reason = answer.reason if isinstance(answer, Failure) else f"http_{answer.status}"
                if isinstance(answer, Failure) or not 200 <= answer.status < 300:
                    _log.warning(
                        "hub refused",
                        hub=self.subscriptions[key].hub,
                        source=self.subscriptions[key].source,
                        reason=reason,
                    )
        return len(due)

    async def confirm(self, request: web.Request) -> web.Response:
        subscription = self.subscriptions.get(request.match_info["key"])
        if subscription is None:
            raise web.HTTPNotFound
        after, answer = handle_verification(subscription, request.query, self.app.clock())
        self.subscriptions[subscription.key] = after
        if answer is None:
            raise web.HTTPNotFound
        # Plain text: a challenge that is echoed must not run in a browser.
        return web.Response(text=answer, content_type="text/plain")

    async def receive(self, request: web.Request) -> web.Response:
        """Only signed notifications count. The response does not reveal whether the signature was valid."""
        subscription = self.subscriptions.get(request.match_info["key"])
        if subscription is None:
            raise web.HTTPGone
        body = await request.read()
        if not has_valid_signature(subscription, request.headers.get("X-Hub-Signature", ""), body):
            _log.warning("unsigned push ignored", source=subscription.source)
        elif self.deliveries.is_repeated(subscription.key, body, self.app.clock()):
            _log.info("repeated push ignored", source=subscription.source)
        else:
            try:
                await asyncio.to_thread(self.app.operations.poll_now, subscription.source, self.app.clock())
            except MovedAway as moved:
                raise web.HTTPGone from moved
        return web.Response(status=202)

    def site(self) -> web.Application:
        site = web.Application(client_max_size=LARGEST_BODY)
        site.router.add_get("/{path:.*?}{key:[0-9a-f]{40}}", self.confirm)
        site.router.add_post("/{path:.*?}{key:[0-9a-f]{40}}", self.receive)
        return site


def _offered_subscription(row: dict[str, Any], secret: bytes) -> Subscription | None:
    watermark = row["watermark"] or {}
    hub, topic = watermark.get("hub"), str(watermark.get("topic") or row["url"])
    if has_references(topic) or HIDDEN in topic or hide_secrets(topic) != topic:
        return None  # a hub must not learn the secret of a feed
    if not row["active"] or row["stop_reason"] or row["kind"] != "feed" or not hub:
        return None
    return make_subscription(row["id"], str(hub), topic, secret)


def installation_secret(folder: Path) -> bytes:
    """Created once, readable by its owner only. The file gets its name when it is complete, so a process that is killed
    leaves no empty secret, with which anyone could sign."""
    path = folder / "websub.key"
    draft = folder / f"websub.key.{os.getpid()}.tmp"
    try:
        if not path.exists():
            draft.unlink(missing_ok=True)
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(secrets.token_bytes(SECRET_BYTES))
            with suppress(FileExistsError):
                os.link(draft, path)
            draft.unlink()
        secret = path.read_bytes()
    except OSError as error:
        raise Refused("data_unwritable", f"{path} cannot be written: {error.strerror}") from error
    if len(secret) < SECRET_BYTES:
        raise Refused("bad_secret", f"{path} does not contain a secret: delete it, and a new one is created")
    return secret


async def serve_websub(
    server: WebSubServer, host: str, port: int, *, every: float, started: "asyncio.Future[int] | None" = None
) -> None:
    """Serve and subscribe until cancelled, or until the environment was moved."""
    runner = make_runner(server.site())
    await runner.setup()
    fetcher = server.app.fetcher()
    try:
        place = web.TCPSite(runner, host, port)
        await place.start()
        if started is not None:
            started.set_result(runner.addresses[0][1])
        while True:
            await asyncio.to_thread(server.refresh)
            await asyncio.to_thread(server.subscribe, fetcher)
            with suppress(TimeoutError):
                await asyncio.wait_for(wait_until_moved(server.app), every)
    finally:
        await runner.cleanup()
        await asyncio.to_thread(fetcher.close)
