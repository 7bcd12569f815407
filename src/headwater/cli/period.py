"""What --since and --until say."""

from dataclasses import dataclass
from datetime import datetime

import typer

from headwater.app import App
from headwater.model.errors import Refused
from headwater.settings.times import parse_time


@dataclass(frozen=True, slots=True)
class Period:
    """From `since` to before `until`; None where it is open."""

    since: datetime | None = None
    until: datetime | None = None


def read_period(app: App, since: str | None, until: str | None = None) -> Period:
    """What --since and --until say. Times without a zone are local, as those that tables show."""
    now = app.clock()
    try:
        start = parse_time(since, now, "--since", zone=None) if since else None
        end = parse_time(until, now, "--until", zone=None) if until else None
    except Refused as refusal:
        raise typer.BadParameter(refusal.detail) from refusal
    if start is not None and start >= (end or now):
        limit = f"--until {until}" if until else "now"
        raise typer.BadParameter(f"--since {since} is not before {limit}; give an earlier time")
    return Period(start, end)
