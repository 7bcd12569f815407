"""Channels on which operators are told: what the settings say about them, and where their secrets come from."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from headwater.model.errors import Refused


class Channel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`url`, `secret` and `password` may be `env:NAME` or `file:PATH`: then they are read from there, and a settings
    file holds no secret."""

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
        """Without what nobody else should read."""
        return f"Channel(kind={self.kind!r})"


def check_channel(name: str, channel: Channel) -> Channel:
    """Refused with what is missing."""
    needed = ("host", "sender", "to") if channel.kind == "email" else ("url",)
    for field in needed:
        if not getattr(channel, field):
            raise Refused("bad_config", f"notify.{name}.{field}: a channel of kind {channel.kind} needs it")
    return channel


def resolve_secret(text: str, where: str, environment: Mapping[str, str] = os.environ) -> str:
    """The secret that `env:NAME` or `file:PATH` stands for; anything else is taken as it is."""
    kind, _, rest = text.partition(":")
    if kind == "env":
        if rest not in environment:
            raise Refused("bad_config", f"{where}: the environment has no variable {rest}")
        return environment[rest]
    if kind == "file":
        try:
            return Path(rest).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise Refused("bad_config", f"{where}: the file {rest} cannot be read") from error
    return text
