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
from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from headwater.app import App
from headwater.fetch.source_secrets import has_references
from headwater.model.errors import MovedAway, Refused, Temporary
from headwater.model.http import Failure, Request
from headwater.model.ports import Fetcher
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

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
EACH = timedelta(seconds=20)
AT_ONCE = 50
SECRET_BYTES = 32
EVERY_SECONDS = 60.0
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

    async def confirm(self, request: HttpRequest) -> Response:
        """The answer to a hub that asks whether we subscribed."""
        subscription = self.subscriptions.get(_key(request))
        if subscription is None:
            return Response(status_code=404)
        after, answer = handle_verification(subscription, request.query_params, self.app.clock())
        self.subscriptions[subscription.key] = after
        # Plain text: a challenge that is echoed must not run in a browser.
        return Response(status_code=404) if answer is None else Response(answer, media_type="text/plain")

    async def receive(self, request: HttpRequest) -> Response:
        """Only signed notifications count. The response does not reveal whether the signature was valid."""
        subscription = self.subscriptions.get(_key(request))
        if subscription is None:
            return Response(status_code=410)
        body = await request.body()
        if not has_valid_signature(subscription, request.headers.get("X-Hub-Signature", ""), body):
            _log.warning("unsigned push ignored", source=subscription.source)
        elif self.deliveries.is_repeated(subscription.key, body, self.app.clock()):
            _log.info("repeated push ignored", source=subscription.source)
        else:
            try:
                await asyncio.to_thread(self.app.operations.poll_now, subscription.source, self.app.clock())
            except MovedAway:
                return Response(status_code=410)
        return Response(status_code=202)

    async def subscribe_for_ever(self, every: float = EVERY_SECONDS) -> None:
        """Keep the subscriptions up to date until cancelled."""
        fetcher = self.app.fetcher()
        try:
            while True:
                try:
                    await asyncio.to_thread(self.refresh)
                    await asyncio.to_thread(self.subscribe, fetcher)
                except Temporary as error:
                    _log.warning("subscriptions wait", reason=error.reason)
                await asyncio.sleep(every)
        finally:
            await asyncio.to_thread(fetcher.close)


def _key(request: HttpRequest) -> str:
    """At the end of the path, whatever a proxy puts before it."""
    return str(request.url.path)[-40:]


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
