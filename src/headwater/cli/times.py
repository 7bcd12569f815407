"""Times as arguments: a day, a time, or a duration before now."""

from datetime import datetime

from headwater.model.errors import Refused
from headwater.settings.sources import DURATION, parse_duration
from headwater.text.dates import parse_iso_date


def parse_time(text: str, now: datetime, option: str) -> datetime:
    """ "2026-11-14", "2026-11-14T06:00", or "24h" for 24 hours ago. Without a time zone it is UTC."""
    if DURATION.fullmatch(text.strip()):
        return now - parse_duration(text, option)
    time = parse_iso_date(text)
    if time is None:
        raise Refused(
            "bad_moment",
            f"{option}: '{text}' is not a time; write for example 2026-11-14, 2026-11-14T06:00 or 24h",
        )
    return time
