"""Moments as people write them: a day, a moment, or so long ago."""

from datetime import UTC, datetime

from headwater.model.errors import Refused
from headwater.settings.sources import DURATION, parse_duration


def parse_time(text: str, now: datetime, where: str) -> datetime:
    """ "2026-11-14", "2026-11-14T06:00", "24h" (ago). Without a zone it is UTC."""
    if DURATION.fullmatch(text.strip()):
        return now - parse_duration(text, where)
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise Refused(
            "bad_moment",
            f"{where}: '{text}' is no moment; write for example 2026-11-14, 2026-11-14T06:00 or 24h",
        ) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
