"""The sink of a channel that the settings describe."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from headwater.model.errors import Refused, Temporary
from headwater.model.outcomes import Sent
from headwater.model.ports import Clock
from headwater.model.recipe import Envelope, Sink
from headwater.secret_references import resolve_secret
from headwater.settings.channels import Channel, check_channel
from headwater.sinks.http_endpoint import HttpEndpoint
from headwater.sinks.mail import MailSink
from headwater.sinks.slack import SlackSink
from headwater.sinks.webhook import WebhookSink

UNUSABLE_DELAY = timedelta(minutes=5)


@dataclass(frozen=True)
class UnusableSink:
    """Stands for a sink that its settings do not describe in full, such as by a variable that is not set. What goes there
    waits; everything else is delivered."""

    problem: str

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent]:
        del envelopes
        raise Temporary("unusable_sink", self.problem, delay=UNUSABLE_DELAY, counts=False)


def open_usable(open_sink: Callable[[], Sink]) -> Sink:
    """The sink; one that is refused must not stop the others."""
    try:
        return open_sink()
    except Refused as refusal:
        return UnusableSink(refusal.detail)


def unusable_sinks(sinks: Mapping[str, Sink]) -> Mapping[str, str]:
    """Why channels and tables cannot be used, by their names."""
    return {name: sink.problem for name, sink in sinks.items() if isinstance(sink, UnusableSink)}


def open_channel(name: str, channel: Channel, clock: Clock) -> Sink:
    """Raises Refused if a value is missing or a secret cannot be read."""
    check_channel(name, channel)
    if channel.kind == "email":
        return MailSink(
            host=channel.host,
            port=channel.port,
            sender=channel.sender,
            recipients=channel.to,
            clock=clock,
            security=channel.security,
            user=channel.user,
            password=resolve_secret(channel.password, f"notify.{name}.password"),
        )
    endpoint = HttpEndpoint(resolve_secret(channel.url, f"notify.{name}.url"))
    if channel.kind == "slack":
        return SlackSink(endpoint)
    return WebhookSink(endpoint, clock, resolve_secret(channel.secret, f"notify.{name}.secret"))
