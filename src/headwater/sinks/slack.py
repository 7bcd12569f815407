"""Delivers records to a Slack channel by an incoming webhook. Records of one batch go into one message."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from headwater.model.outcomes import Sent
from headwater.model.recipe import Envelope
from headwater.sinks.http_endpoint import HttpEndpoint
from headwater.sinks.message import MOST_LISTED, Message, message_of


@dataclass(frozen=True)
class SlackSink:
    """Slack has no idempotency keys: a message may arrive twice if a worker dies before it records the delivery."""

    endpoint: HttpEndpoint

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent]:
        messages = [message_of(envelope) for envelope in envelopes]
        body = msgspec.json.encode({"text": _text(messages), "unfurl_links": False})
        receipt = self.endpoint.post(body, {"Content-Type": "application/json", "User-Agent": "headwater"})
        return [Sent(receipt)] * len(envelopes)


def _text(messages: Sequence[Message]) -> str:
    lines = [_line(message) for message in messages[:MOST_LISTED]]
    if len(messages) > MOST_LISTED:
        lines.append(f"and {len(messages) - MOST_LISTED} more")
    return "\n".join(lines)


def _line(message: Message) -> str:
    parts = [f"*{_escaped(message.title)}*", _escaped(message.text), _escaped(message.url)]
    return "\n".join(part for part in parts if part)


def _escaped(text: str) -> str:
    """Escape the three characters of Slack's markup, so that a headline cannot mention anyone."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
