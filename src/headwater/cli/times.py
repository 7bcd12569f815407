"""Times as arguments: a day, a time, or a duration before now."""

from datetime import UTC, datetime

from headwater.model.errors import Refused
from headwater.settings.sources import DURATION, parse_duration


def parse_time(text: str, now: datetime, option: str) -> datetime:
    """ "2026-11-14", "2026-11-14T06:00", or "24h" for 24 hours ago. Without a time zone it is UTC."""
    if DURATION.fullmatch(text.strip()):
        return now - parse_duration(text, option)
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise Refused(
            "bad_moment",
            f"{option}: '{text}' is not a time; write for example 2026-11-14, 2026-11-14T06:00 or 24h",
        ) from error
    return time if time.tzinfo else time.replace(tzinfo=UTC)
