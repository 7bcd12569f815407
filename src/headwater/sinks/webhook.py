"""Records to a web address of the operator's, signed, each with the same key for every try.

The signature is the HMAC-SHA256 of "timestamp.body" with the shared secret, in hex, after "sha256=". A receiver that
checks it and the age of the timestamp takes nothing from others and nothing twice.
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
from headwater.sinks.http_endpoint import HttpEndpoint

SIGNATURE = "X-Headwater-Signature"
TIMESTAMP = "X-Headwater-Timestamp"
KEY = "Idempotency-Key"


@dataclass(frozen=True)
class WebhookSink:
    """One POST per record. If one fails the rest of the batch is sent again with it, under the same keys."""

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
    return "document" if isinstance(envelope.record, Document) else "story"


def signature_headers(body: bytes, secret: str, now: datetime) -> dict[str, str]:
    """The two headers by which a receiver knows who sent it, and when."""
    stamp = str(int(now.timestamp()))
    return {TIMESTAMP: stamp, SIGNATURE: f"sha256={signature(body, secret, stamp)}"}


def signature(body: bytes, secret: str, stamp: str) -> str:
    return hmac.new(secret.encode(), stamp.encode() + b"." + body, sha256).hexdigest()
