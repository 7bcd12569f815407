"""WebSub: asking a hub to tell when a feed has something new, and judging what comes in under its name.

Keys and secrets are made from one secret of the installation, so that nothing else has to be kept: whoever starts
again asks again, and a hub takes that as a renewal.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import urlencode

LEASE = timedelta(days=10)
SHORTEST_LEASE, LONGEST_LEASE = timedelta(minutes=5), timedelta(days=30)
RENEW_AT = 0.8
ANSWER_WITHIN = timedelta(minutes=10)
ASK_AGAIN, DENIED_AGAIN = timedelta(hours=1), timedelta(days=1)
ALGORITHMS = frozenset({"sha1", "sha256", "sha384", "sha512"})
LINK = re.compile(
    r"<([^<>]{1,2000})>((?:\s*;\s*[\w*-]{1,40}\s*=\s*(?:\"[^\"]{0,200}\"|[^\s;,\"]{1,200})){0,8})"
)
RELATION = re.compile(r"rel\s*=\s*\"?([^\";]{1,200})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """One source's agreement with its hub. `key` is the unguessable end of its callback address."""

    source: str
    hub: str
    topic: str
    key: str
    secret: str
    asked_at: datetime | None = None
    granted_at: datetime | None = None
    until: datetime | None = None
    refused_at: datetime | None = None


def make_subscription(source: str, hub: str, topic: str, installation: bytes) -> Subscription:
    def made(purpose: str) -> str:
        words = f"{purpose}\n{source}\n{hub}\n{topic}".encode()
        return hmac.new(installation, words, hashlib.sha256).hexdigest()

    return Subscription(source=source, hub=hub, topic=topic, key=made("key")[:40], secret=made("secret"))


def needs_subscribe_request(one: Subscription, now: datetime) -> bool:
    """At first, before the lease ends, and now and then when the hub does not answer or refuses."""
    if one.refused_at is not None:
        return now >= one.refused_at + DENIED_AGAIN
    if one.until is not None and one.granted_at is not None:
        if now < one.granted_at + (one.until - one.granted_at) * RENEW_AT:
            return False
        return one.asked_at is None or one.asked_at <= one.granted_at or now >= one.asked_at + ANSWER_WITHIN
    return one.asked_at is None or now >= one.asked_at + ASK_AGAIN


def subscribe_form(one: Subscription, callback: str) -> bytes:
    """The form that asks the hub."""
    told = {
        "hub.mode": "subscribe",
        "hub.topic": one.topic,
        "hub.callback": f"{callback.rstrip('/')}/{one.key}",
        "hub.lease_seconds": str(int(LEASE.total_seconds())),
        "hub.secret": one.secret,
    }
    return urlencode(told).encode()


def handle_verification(
    one: Subscription, query: Mapping[str, str], now: datetime
) -> tuple[Subscription, str | None]:
    """A hub's question whether the agreement is meant, or its refusal: what follows, and the answer. No answer means
    that nothing of the kind was asked: not found."""
    if query.get("hub.topic") != one.topic:
        return one, None
    mode = query.get("hub.mode")
    if mode == "denied":
        return replace(one, refused_at=now, until=None, granted_at=None), ""
    challenge = query.get("hub.challenge")
    if mode != "subscribe" or not challenge or one.asked_at is None or now > one.asked_at + ANSWER_WITHIN:
        return one, None
    return replace(
        one, granted_at=now, until=now + _lease(query.get("hub.lease_seconds")), refused_at=None
    ), challenge


def _lease(text: str | None) -> timedelta:
    seconds = int(text) if text and text.isdecimal() and len(text) < 12 else int(LEASE.total_seconds())
    return min(max(timedelta(seconds=seconds), SHORTEST_LEASE), LONGEST_LEASE)


def has_valid_signature(one: Subscription, signature: str, body: bytes) -> bool:
    """Whether who sent the body knows the secret."""
    name, _, given = signature.strip().partition("=")
    if name.lower() not in ALGORITHMS:
        return False
    made = hmac.new(one.secret.encode(), body, name.lower()).hexdigest()
    return hmac.compare_digest(made.encode(), given.strip().lower().encode("utf-8", "replace"))


def link_relations(header: str) -> Mapping[str, str]:
    """The first address of each relation in a Link header."""
    found: dict[str, str] = {}
    for match in LINK.finditer(header[:10_000]):
        relation = RELATION.search(match[2])
        for name in relation[1].lower().split() if relation else ():
            found.setdefault(name, match[1].strip())
    return found
