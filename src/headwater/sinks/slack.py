"""Messages to a Slack channel by an incoming webhook. What came at the same time is one message."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from headwater.model.outcome import Sent
from headwater.model.recipe import Parcel
from headwater.sinks.message import LISTED, Message, message_of
from headwater.sinks.posting import Endpoint


@dataclass(frozen=True)
class Slack:
    """Slack knows no idempotency key: a message may come twice if a worker dies at the wrong moment."""

    endpoint: Endpoint

    def send(self, parcels: Sequence[Parcel]) -> Sequence[Sent]:
        messages = [message_of(parcel) for parcel in parcels]
        body = msgspec.json.encode({"text": _text(messages), "unfurl_links": False})
        receipt = self.endpoint.post(body, {"Content-Type": "application/json", "User-Agent": "headwater"})
        return [Sent(receipt)] * len(parcels)


def _text(messages: Sequence[Message]) -> str:
    lines = [_line(message) for message in messages[:LISTED]]
    if len(messages) > LISTED:
        lines.append(f"and {len(messages) - LISTED} more")
    return "\n".join(lines)


def _line(message: Message) -> str:
    parts = [f"*{_escaped(message.title)}*", _escaped(message.text), _escaped(message.url)]
    return "\n".join(part for part in parts if part)


def _escaped(text: str) -> str:
    """The three signs with which Slack begins commands: a headline calls nobody."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
