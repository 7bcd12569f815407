"""Delivers records to a web address of the operator: signed, and with the same key at every attempt.

The signature is the HMAC-SHA256 of "timestamp.body" with the shared secret, in hex, after "sha256=". A receiver that
checks the signature and the age of the timestamp accepts nothing from others, and no replays.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

import msgspec

from headwater.model.alarm import Alarm
from headwater.model.document import Document
from headwater.model.outcomes import Sent
from headwater.model.ports import Clock
from headwater.model.recipe import Envelope
from headwater.model.saved_search import Digest
from headwater.sinks.http_endpoint import HttpEndpoint

SIGNATURE = "X-Headwater-Signature"
TIMESTAMP = "X-Headwater-Timestamp"
KEY = "Idempotency-Key"


@dataclass(frozen=True)
class WebhookSink:
    """One POST per record. If one fails, the whole batch is sent again under the same keys."""

    endpoint: HttpEndpoint
    clock: Clock
    secret: str = field(default="", repr=False)

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent]:
        return [Sent(self._post(envelope)) for envelope in envelopes]

    def _post(self, envelope: Envelope) -> str:
        body = msgspec.json.encode(
            {
                "key": envelope.key,
                "route": envelope.route,
                "kind": _kind(envelope),
                "revision": envelope.revision,
                "record": envelope.record,
            }
        )
        headers = {"Content-Type": "application/json", "User-Agent": "headwater", KEY: envelope.key}
        if self.secret:
            headers |= signature_headers(body, self.secret, self.clock())
        return self.endpoint.post(body, headers)


def _kind(envelope: Envelope) -> str:
    if isinstance(envelope.record, Alarm):
        return "alarm"
    if isinstance(envelope.record, Digest):
        return "digest"
    return "document" if isinstance(envelope.record, Document) else "story"


def signature_headers(body: bytes, secret: str, now: datetime) -> dict[str, str]:
    """The two headers that prove who sent the body, and when."""
    timestamp = str(int(now.timestamp()))
    return {TIMESTAMP: timestamp, SIGNATURE: f"sha256={signature(body, secret, timestamp)}"}


def signature(body: bytes, secret: str, timestamp: str) -> str:
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, sha256).hexdigest()
