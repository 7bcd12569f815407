"""WebSub: subscribing at a hub that pushes new entries of a feed, and verifying what it sends.

Keys and secrets are derived from one secret of the installation, so nothing else is stored: a restarted server
subscribes again, and the hub takes that as a renewal.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from urllib.parse import urlencode

LEASE = timedelta(days=10)
SHORTEST_LEASE, LONGEST_LEASE = timedelta(minutes=5), timedelta(days=30)
RENEW_AT = 0.8
ANSWER_WITHIN = timedelta(minutes=10)
RETRY_WITHOUT_ANSWER, RETRY_AFTER_DENIAL = timedelta(hours=1), timedelta(days=1)
REPEAT_WINDOW = timedelta(hours=1)
MOST_DELIVERIES = 10_000
ALGORITHMS = frozenset({"sha1", "sha256", "sha384", "sha512"})
LINK = re.compile(
    r"<([^<>]{1,2000})>((?:\s*;\s*[\w*-]{1,40}\s*=\s*(?:\"[^\"]{0,200}\"|[^\s;,\"]{1,200})){0,8})"
)
RELATION = re.compile(r"rel\s*=\s*\"?([^\";]{1,200})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """One source's subscription at its hub. `key` is the unguessable end of its callback URL."""

    source: str
    hub: str
    topic: str
    key: str
    secret: str
    requested_at: datetime | None = None
    granted_at: datetime | None = None
    expires_at: datetime | None = None
    denied_at: datetime | None = None


def make_subscription(source: str, hub: str, topic: str, installation: bytes) -> Subscription:
    """The subscription of one source, with its key and secret derived from the installation's secret."""

    def derive(purpose: str) -> str:
        message = f"{purpose}\n{source}\n{hub}\n{topic}".encode()
        return hmac.new(installation, message, hashlib.sha256).hexdigest()

    return Subscription(source=source, hub=hub, topic=topic, key=derive("key")[:40], secret=derive("secret"))


def needs_subscribe_request(subscription: Subscription, now: datetime) -> bool:
    """True at first, before the lease ends, and again some time after a denial or a missing answer."""
    if subscription.denied_at is not None:
        return now >= subscription.denied_at + RETRY_AFTER_DENIAL
    if subscription.expires_at is not None and subscription.granted_at is not None:
        if now < subscription.granted_at + (subscription.expires_at - subscription.granted_at) * RENEW_AT:
            return False
        return (
            subscription.requested_at is None
            or subscription.requested_at <= subscription.granted_at
            or now >= subscription.requested_at + ANSWER_WITHIN
        )
    return subscription.requested_at is None or now >= subscription.requested_at + RETRY_WITHOUT_ANSWER


def subscribe_form(subscription: Subscription, callback: str) -> bytes:
    """The body of the subscribe request."""
    fields = {
        "hub.mode": "subscribe",
        "hub.topic": subscription.topic,
        "hub.callback": f"{callback.rstrip('/')}/{subscription.key}",
        "hub.lease_seconds": str(int(LEASE.total_seconds())),
        "hub.secret": subscription.secret,
    }
    return urlencode(fields).encode()


def handle_verification(
    subscription: Subscription, query: Mapping[str, str], now: datetime
) -> tuple[Subscription, str | None]:
    """Handle the hub's verification of intent or its denial: the new state and the answer. Answer None (not found)
    if this server did not ask for the subscription."""
    if query.get("hub.topic") != subscription.topic:
        return subscription, None
    mode = query.get("hub.mode")
    if mode == "denied":
        return replace(subscription, denied_at=now, expires_at=None, granted_at=None), ""
    challenge = query.get("hub.challenge")
    if (
        mode != "subscribe"
        or not challenge
        or subscription.requested_at is None
        or now > subscription.requested_at + ANSWER_WITHIN
    ):
        return subscription, None
    return replace(
        subscription, granted_at=now, expires_at=now + _lease(query.get("hub.lease_seconds")), denied_at=None
    ), challenge


def _lease(text: str | None) -> timedelta:
    seconds = int(text) if text and text.isdecimal() and len(text) < 12 else int(LEASE.total_seconds())
    return min(max(timedelta(seconds=seconds), SHORTEST_LEASE), LONGEST_LEASE)


def has_valid_signature(subscription: Subscription, signature: str, body: bytes) -> bool:
    """Whether the sender of the body knows the secret."""
    name, _, signature_digest = signature.strip().partition("=")
    if name.lower() not in ALGORITHMS:
        return False
    expected = hmac.new(subscription.secret.encode(), body, name.lower()).hexdigest()
    return hmac.compare_digest(expected.encode(), signature_digest.strip().lower().encode("utf-8", "replace"))


@dataclass
class RecentDeliveries:
    """Notifications of the last hour, by subscription and content. A signature says nothing about the time, so whoever has seen
    one notification could send it again and again."""

    times: dict[bytes, datetime] = field(default_factory=dict)

    def is_repeated(self, key: str, body: bytes, now: datetime) -> bool:
        """Whether this notification arrived within the last hour; records it if not."""
        digest = hashlib.sha256(key.encode() + b"\n" + body).digest()
        earlier = self.times.get(digest)
        if earlier is not None and now < earlier + REPEAT_WINDOW:
            return True
        self.times.pop(digest, None)
        self.times[digest] = now  # the newest are last
        while len(self.times) > MOST_DELIVERIES:
            del self.times[next(iter(self.times))]
        return False


def link_relations(header: str) -> Mapping[str, str]:
    """The first URL of each relation in a Link header."""
    relations: dict[str, str] = {}
    for match in LINK.finditer(header[:10_000]):
        relation = RELATION.search(match[2])
        for name in relation[1].lower().split() if relation else ():
            relations.setdefault(name, match[1].strip())
    return relations
