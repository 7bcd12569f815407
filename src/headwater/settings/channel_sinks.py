"""The sink of a channel that the settings describe."""

from headwater.model.ports import Clock
from headwater.model.recipe import Sink
from headwater.secret_references import resolve_secret
from headwater.settings.channels import Channel, check_channel
from headwater.sinks.http_endpoint import HttpEndpoint
from headwater.sinks.mail import MailSink
from headwater.sinks.slack import SlackSink
from headwater.sinks.webhook import WebhookSink


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
