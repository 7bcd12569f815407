"""Times as arguments: a day, a time, or a duration before now."""

from datetime import UTC, datetime, timedelta

from headwater.model.errors import Refused
from headwater.settings.sources import DURATION, parse_duration
from headwater.text.dates import parse_iso_date

DAYS = {"today": timedelta(0), "yesterday": timedelta(days=1)}


def parse_time(text: str, now: datetime, option: str) -> datetime:
    """ "2026-11-14", "2026-11-14T06:00", "24h" for 24 hours ago, "today" or "yesterday". Without a time zone it is UTC."""
    if (days := DAYS.get(text.strip().lower())) is not None:
        return now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - days
    if DURATION.fullmatch(text.strip()):
        return now - parse_duration(text, option)
    time = parse_iso_date(text)
    if time is None:
        raise Refused(
            "bad_moment",
            f"{option}: '{text}' is not a time; write for example 2026-11-14, 2026-11-14T06:00, 24h or yesterday",
        )
    return time
