"""Channels to which alarms are sent."""

from typing import Literal

import msgspec

from headwater.model.errors import Refused


class Channel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`url`, `secret` and `password` may be `env:NAME` or `file:PATH`, so that a settings file needs no secrets."""

    kind: Literal["webhook", "slack", "email"]
    url: str = ""
    secret: str = ""
    host: str = ""
    port: int = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str = ""
    password: str = ""
    sender: str = ""
    to: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Without the fields that may hold secrets."""
        return f"Channel(kind={self.kind!r})"


def check_channel(name: str, channel: Channel) -> None:
    """Refuses a channel that lacks a field of its kind."""
    required = ("host", "sender", "to") if channel.kind == "email" else ("url",)
    for field in required:
        if not getattr(channel, field):
            raise Refused("bad_config", f"notify.{name}.{field}: a channel of kind {channel.kind} needs it")
